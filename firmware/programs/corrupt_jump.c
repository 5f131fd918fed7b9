// summary: a script overruns its stack into the table of operations and jumps into data
// expect: crash illegal-instruction from step
// stack: step run main
// bug: push
// limit: 60000
// console: script starts
// console: counter 13
// console: trap: illegal instruction (mcause 2) at {*}, value {*}

#include "runtime.h"

#define STACK_WORDS 12

enum { PRINT, LITERAL, DECREMENT, ADDRESS, MIX, JUMP_UNLESS_ZERO, STOP, OPERATIONS };

struct machine;
typedef void (*operation)(struct machine *machine);

// The stack grows towards the operations; the first of them is do_print.
struct machine {
    uint32_t stack[STACK_WORDS];
    operation operations[OPERATIONS];
    uint32_t depth;
    uint32_t counter;
    uint32_t mixed;
    const uint8_t *next;
    bool running;
};

static uint32_t scratch[4];

// Thirteen rounds that mix a checksum and leave an address on the stack that nobody takes off, then
// eight without, then the counter is printed again.
static const uint8_t script[] = {
    LITERAL, 13, PRINT,                                // 0
    MIX,     ADDRESS, DECREMENT, JUMP_UNLESS_ZERO, 3,  // 3
    LITERAL, 8,                                        // 8
    MIX,     DECREMENT, JUMP_UNLESS_ZERO, 10,          // 10
    PRINT,   STOP,
};

// The bug: no check that the stack has room.
static void push(struct machine *machine, uint32_t value)
{
    machine->stack[machine->depth++] = value;
}

static void do_literal(struct machine *machine)
{
    machine->counter = *machine->next++;
}

static void do_decrement(struct machine *machine)
{
    machine->counter--;
}

static void do_address(struct machine *machine)
{
    push(machine, (uint32_t)scratch);
}

static void do_print(struct machine *machine)
{
    printf("counter %u\n", machine->counter);
}

static void do_mix(struct machine *machine)
{
    uint32_t mixed = machine->mixed ^ machine->counter;
    for (int i = 0; i < 96; i++) {
        mixed = mixed >> 1 ^ (mixed & 1 ? 0xedb88320 : 0);
    }
    machine->mixed = mixed;
}

static void do_jump_unless_zero(struct machine *machine)
{
    uint8_t target = *machine->next++;
    if (machine->counter) {
        machine->next = script + target;
    }
}

static void do_stop(struct machine *machine)
{
    machine->running = false;
}

static void step(struct machine *machine)
{
    uint8_t code = *machine->next++;
    machine->operations[code](machine);
}

static void run(struct machine *machine)
{
    while (machine->running) {
        step(machine);
    }
}

int main(void)
{
    static struct machine machine = {
        .operations = {do_print, do_literal, do_decrement, do_address, do_mix, do_jump_unless_zero,
                       do_stop},
        .next = script,
        .running = true,
    };
    print("script starts\n");
    run(&machine);
    printf("mixed %08x\n", machine.mixed);
    return 0;
}
