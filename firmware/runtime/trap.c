// Traps after trap_entry: to the program's handler, or to a report and the end of the run.

#include "mmio.h"
#include "runtime.h"

#define CAUSES 16
#define INTERRUPT_BIT 0x80000000u
#define STATUS_MIE 8u

static trap_handler exception_handlers[CAUSES];
static trap_handler interrupt_handlers[CAUSES];

static const char *const exception_names[8] = {
    "instruction misaligned", "instruction access fault", "illegal instruction",
    "breakpoint",             "load misaligned",          "load access fault",
    "store misaligned",       "store access fault",
};

void exit_with(uint32_t code)
{
    FINISHER = code ? FINISHER_FAIL | code << 16 : FINISHER_PASS;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void report_assertion(const char *file, int line, const char *condition)
{
    printf("%s:%d: assertion failed: %s\n", file, line, condition);
}

static void unhandled(const struct trap_frame *frame)
{
    uint32_t cause = frame->cause & ~INTERRUPT_BIT;
    bool interrupt = frame->cause & INTERRUPT_BIT;
    const char *name = interrupt ? "interrupt" : cause < 8 ? exception_names[cause] : "exception";
    printf("trap: %s (mcause %x) at %08x, value %08x\n", name, frame->cause, frame->x[FRAME_PC],
           frame->value);
    exit_with((interrupt ? 160 : 128) + cause);
}

void trap_dispatch(struct trap_frame *frame)
{
    uint32_t cause = frame->cause & ~INTERRUPT_BIT;
    trap_handler *handlers =
        frame->cause & INTERRUPT_BIT ? interrupt_handlers : exception_handlers;
    if (cause >= CAUSES || !handlers[cause]) {
        unhandled(frame);
    } else {
        handlers[cause](frame);
    }
}

void on_exception(enum exception cause, trap_handler handler)
{
    exception_handlers[cause] = handler;
}

void on_interrupt(enum interrupt cause, trap_handler handler)
{
    interrupt_handlers[cause] = handler;
    csr_set(mie, 1u << cause);
}

void interrupts_enable(void)
{
    csr_set(mstatus, STATUS_MIE);
}

void interrupts_disable(void)
{
    csr_clear(mstatus, STATUS_MIE);
}
