// Traps on PicoRV32 after trap_entry: its lines are taken apart into the exceptions and interrupts
// that programs know, and go to the program's handler, or to a report and the end of the run.

#include "irq.h"
#include "mmio.h"
#include "runtime.h"

#define CAUSES 32

#define ECALL 0x00000073u
#define EBREAK 0x00100073u
#define C_EBREAK 0x9002u
#define OPCODE_STORE 0x23u

static trap_handler exception_handlers[CAUSES];
static trap_handler interrupt_handlers[CAUSES];
static uint32_t wanted;

static const char *const exception_names[8] = {
    "instruction misaligned", "instruction access fault", "illegal instruction",
    "breakpoint",             "load misaligned",          "load access fault",
    "store misaligned",       "store access fault",
};

void exit_with(uint32_t code)
{
    FINISHER = code ? FINISHER_FAIL | code << 16 : FINISHER_PASS;
    for (;;) {
    }
}

void report_assertion(const char *file, int line, const char *condition)
{
    printf("%s:%d: assertion failed: %s\n", file, line, condition);
}

// The instruction at an address, of two bytes or four.
static uint32_t instruction_at(uint32_t address)
{
    const uint16_t *half = (const uint16_t *)address;
    return (half[0] & 3) == 3 ? half[0] | (uint32_t)half[1] << 16 : half[0];
}

static int is_store(uint32_t instruction)
{
    // c.sw and c.swsp
    return (instruction & 3) == 3 ? (instruction & 0x7f) == OPCODE_STORE
                                  : (instruction & 0xe001) == 0xc000;
}

// The core says no more than which line it was: the instruction tells the rest.
static uint32_t exception_cause(uint32_t lines, uint32_t instruction)
{
    if (lines & 1u << MISALIGNED_IRQ) {
        return is_store(instruction) ? STORE_MISALIGNED : LOAD_MISALIGNED;
    }
    return instruction == EBREAK || instruction == C_EBREAK ? BREAKPOINT
           : instruction == ECALL                           ? ECALL_FROM_MACHINE
                                                            : ILLEGAL_INSTRUCTION;
}

static void exception(struct trap_frame *frame, uint32_t lines)
{
    // The frame's pc is the next one, with bit 0 set behind a compressed instruction; handlers know it as
    // the one that trapped.
    uint32_t next = frame->x[FRAME_PC];
    frame->x[FRAME_PC] = (next & ~1u) - (next & 1 ? 2 : 4);
    frame->cause = exception_cause(lines, instruction_at(frame->x[FRAME_PC]));
    frame->value = 0;
    trap_handler handler = exception_handlers[frame->cause];
    if (handler) {
        handler(frame);
        return;
    }
    const char *name = frame->cause < 8 ? exception_names[frame->cause] : "exception";
    printf("trap: %s (mcause %x) at %08x, value %08x\n", name, frame->cause, frame->x[FRAME_PC],
           frame->value);
    exit_with(128 + frame->cause);
}

void trap_dispatch(struct trap_frame *frame)
{
    uint32_t lines = frame->cause;
    if (lines & EXCEPTION_IRQS) {
        exception(frame, lines);
    }
    for (uint32_t line = 0; line < CAUSES; line++) {
        if (lines & ~EXCEPTION_IRQS & 1u << line) {
            frame->cause = line;
            if (!interrupt_handlers[line]) {
                exit_with(160 + line);
            }
            interrupt_handlers[line](frame);
        }
    }
}

void on_exception(enum exception cause, trap_handler handler)
{
    exception_handlers[cause] = handler;
}

void on_interrupt(enum interrupt cause, trap_handler handler)
{
    interrupt_handlers[cause] = handler;
    wanted |= 1u << cause;
}

void interrupts_enable(void)
{
    maskirq(~(EXCEPTION_IRQS | wanted));
}

void interrupts_disable(void)
{
    maskirq(~EXCEPTION_IRQS);
}
