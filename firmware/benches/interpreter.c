// summary: a stack machine's bytecode: primes, recursive Fibonacci, a sort, all interpreted
// expect: exit pass
// build: -O2
// limit: 15000000
// console: primes 1229
// console: fibonacci 2584
// console: sorted 1

#include "runtime.h"

// What an instruction is followed by: nothing, a byte, or two bytes with the lower one first.
enum operation {
    PUSH,  // 16-bit constant
    LOCAL, // byte: a local variable's value
    STORE, // byte: to a local variable
    FETCH, // address from the stack
    PUT,   // value, then address, from the stack
    ADD,
    SUB,
    MUL,
    LESS,
    JUMP,  // 16-bit address
    ZERO,  // 16-bit address: jump if the top is 0
    CALL,  // 16-bit address, byte: arguments
    RETURN,
    SHOW,
    HALT,
};

#define CODE 1024
#define CELLS 10000
#define STACK 1024
#define LOCALS 4

static uint8_t code[CODE];
static uint32_t here; // where the next instruction is written
static int32_t cells[CELLS];
static int32_t stack[STACK];
static const char *const titles[] = {"primes", "fibonacci", "sorted"};

static void emit(enum operation operation)
{
    assert(here < CODE);
    code[here++] = (uint8_t)operation;
}

static void emit_byte(enum operation operation, uint32_t operand)
{
    emit(operation);
    code[here++] = (uint8_t)operand;
}

// Returns where the operand is, for jumps whose goal is not known yet.
static uint32_t emit_word(enum operation operation, uint32_t operand)
{
    emit_byte(operation, operand);
    code[here++] = (uint8_t)(operand >> 8);
    return here - 2;
}

static void land(uint32_t operand)
{
    code[operand] = (uint8_t)here;
    code[operand + 1] = (uint8_t)(here >> 8);
}

static void add_constant(uint32_t local, int32_t value)
{
    emit_byte(LOCAL, local);
    emit_word(PUSH, (uint32_t)value);
    emit(ADD);
}

// while (local < limit) { … }: returns what end_loop needs.
static uint32_t begin_loop(uint32_t local, uint32_t limit)
{
    emit_byte(LOCAL, local);
    emit_word(PUSH, limit);
    emit(LESS);
    return emit_word(ZERO, 0);
}

static void end_loop(uint32_t start, uint32_t exit)
{
    emit_word(JUMP, start);
    land(exit);
}

// Sieve of Eratosthenes: 0 is i, 1 is j, 2 counts.
static void compile_primes(uint32_t limit)
{
    emit_word(PUSH, 2);
    emit_byte(STORE, 0);
    emit_word(PUSH, 0);
    emit_byte(STORE, 2);
    uint32_t outer = here;
    uint32_t done = begin_loop(0, limit);
    emit_byte(LOCAL, 0);
    emit(FETCH);
    uint32_t prime = emit_word(ZERO, 0);
    uint32_t composite = emit_word(JUMP, 0);
    land(prime);
    add_constant(2, 1);
    emit_byte(STORE, 2);
    emit_byte(LOCAL, 0);
    emit_byte(LOCAL, 0);
    emit(ADD);
    emit_byte(STORE, 1);
    uint32_t inner = here;
    uint32_t crossed = begin_loop(1, limit);
    emit_word(PUSH, 1);
    emit_byte(LOCAL, 1);
    emit(PUT);
    emit_byte(LOCAL, 1);
    emit_byte(LOCAL, 0);
    emit(ADD);
    emit_byte(STORE, 1);
    end_loop(inner, crossed);
    land(composite);
    add_constant(0, 1);
    emit_byte(STORE, 0);
    end_loop(outer, done);
    emit_byte(LOCAL, 2);
    emit(SHOW);
}

static void compile_fibonacci(uint32_t n)
{
    uint32_t over = emit_word(JUMP, 0);
    uint32_t function = here;
    emit_byte(LOCAL, 0);
    emit_word(PUSH, 2);
    emit(LESS);
    uint32_t recurse = emit_word(ZERO, 0);
    emit_byte(LOCAL, 0);
    emit(RETURN);
    land(recurse);
    for (int32_t less = -1; less >= -2; less--) {
        add_constant(0, less);
        emit_word(CALL, function);
        code[here++] = 1;
    }
    emit(ADD);
    emit(RETURN);
    land(over);
    emit_word(PUSH, n);
    emit_word(CALL, function);
    code[here++] = 1;
    emit(SHOW);
}

// Fills cells with a scrambled sequence, sorts them by exchange, and tells whether they are
// sorted. 0 is i, 1 is j, 2 and 3 are for values.
static void compile_sort(uint32_t count)
{
    emit_word(PUSH, 0);
    emit_byte(STORE, 0);
    uint32_t fill = here;
    uint32_t filled = begin_loop(0, count);
    emit_byte(LOCAL, 0);
    emit_word(PUSH, 7919);
    emit(MUL);
    emit_byte(LOCAL, 0);
    emit_byte(LOCAL, 0);
    emit(MUL);
    emit_word(PUSH, (uint32_t)-37);
    emit(MUL);
    emit(ADD);
    emit_byte(LOCAL, 0);
    emit(PUT);
    add_constant(0, 1);
    emit_byte(STORE, 0);
    end_loop(fill, filled);

    emit_word(PUSH, 1);
    emit_byte(STORE, 0);
    uint32_t outer = here;
    uint32_t done = begin_loop(0, count);
    emit_byte(LOCAL, 0);
    emit_byte(STORE, 1);
    uint32_t inner = here;
    // while (0 < j && cells[j] < cells[j - 1])
    emit_word(PUSH, 0);
    emit_byte(LOCAL, 1);
    emit(LESS);
    uint32_t first = emit_word(ZERO, 0);
    emit_byte(LOCAL, 1);
    emit(FETCH);
    emit_byte(STORE, 2);
    add_constant(1, -1);
    emit(FETCH);
    emit_byte(STORE, 3);
    emit_byte(LOCAL, 2);
    emit_byte(LOCAL, 3);
    emit(LESS);
    uint32_t ordered = emit_word(ZERO, 0);
    emit_byte(LOCAL, 3);
    emit_byte(LOCAL, 1);
    emit(PUT);
    emit_byte(LOCAL, 2);
    add_constant(1, -1);
    emit(PUT);
    add_constant(1, -1);
    emit_byte(STORE, 1);
    emit_word(JUMP, inner);
    land(first);
    land(ordered);
    add_constant(0, 1);
    emit_byte(STORE, 0);
    end_loop(outer, done);
    emit_word(PUSH, 1);
    emit(SHOW);
}

static int32_t word_at(const uint8_t *at)
{
    return (int16_t)(at[0] | at[1] << 8);
}

// A frame is the saved pc and frame, then LOCALS variables; arguments are moved into the first.
static void interpret(void)
{
    int32_t *top = stack + LOCALS; // the first free place
    int32_t *locals = stack;
    const uint8_t *pc = code;
    int shown = 0;
    for (;;) {
        switch ((enum operation)*pc++) {
        case PUSH:
            *top++ = word_at(pc);
            pc += 2;
            break;
        case LOCAL:
            *top++ = locals[*pc++];
            break;
        case STORE:
            locals[*pc++] = *--top;
            break;
        case FETCH:
            assert((uint32_t)top[-1] < CELLS);
            top[-1] = cells[top[-1]];
            break;
        case PUT:
            top -= 2;
            assert((uint32_t)top[1] < CELLS);
            cells[top[1]] = top[0];
            break;
        case ADD:
            top--;
            top[-1] += *top;
            break;
        case SUB:
            top--;
            top[-1] -= *top;
            break;
        case MUL:
            top--;
            top[-1] *= *top;
            break;
        case LESS:
            top--;
            top[-1] = top[-1] < *top;
            break;
        case JUMP:
            pc = code + word_at(pc);
            break;
        case ZERO:
            pc = *--top ? pc + 2 : code + word_at(pc);
            break;
        case CALL: {
            int arguments = pc[2];
            top -= arguments;
            assert(top + LOCALS + 2 < stack + STACK);
            int32_t argument = *top;
            top[0] = (int32_t)(pc + 3 - code);
            top[1] = (int32_t)(locals - stack);
            locals = top + 2;
            locals[0] = argument;
            top = locals + LOCALS;
            pc = code + word_at(pc);
            break;
        }
        case RETURN: {
            int32_t result = *--top;
            top = locals - 2;
            pc = code + top[0];
            locals = stack + top[1];
            *top++ = result;
            break;
        }
        case SHOW:
            printf("%s %d\n", titles[shown++], *--top);
            break;
        case HALT:
            return;
        }
    }
}

static void check_order(int count)
{
    for (int i = 1; i < count; i++) {
        assert(cells[i - 1] <= cells[i]);
    }
}

int main(void)
{
    compile_primes(CELLS);
    compile_fibonacci(18);
    compile_sort(140);
    emit(HALT);
    interpret();
    check_order(140);
    return 0;
}
