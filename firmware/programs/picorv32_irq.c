// summary: PicoRV32's own timer, waitirq, exceptions as interrupts, a misaligned load, counters
// expect: exit pass
// runs-on: cores
// cores: picorv32
// limit: 60000
// console: timer: 4 interrupts
// console: waited for line 0
// console: exceptions: breakpoint 1, call 1, illegal 1, misaligned 1
// console: counters go forward

#include "irq.h"
#include "runtime.h"

#define TICKS 4
#define TICK_LENGTH 700

static volatile uint32_t ticks;
static uint32_t seen[16];

static void on_timer(struct trap_frame *frame)
{
    (void)frame;
    if (++ticks < TICKS) {
        timer(TICK_LENGTH);
    }
}

static void on_any(struct trap_frame *frame)
{
    seen[frame->cause]++;
    frame->x[FRAME_PC] += 4;
}

static bool counts_interrupts(void)
{
    on_interrupt((enum interrupt)TIMER_IRQ, on_timer);
    timer(TICK_LENGTH);
    interrupts_enable();
    uint32_t state = 1, steps = 0;
    while (ticks < TICKS) {
        // A register that a handler failed to preserve would show in the result.
        state = state * 1664525u + 1013904223u;
        steps++;
    }
    interrupts_disable();
    uint32_t again = 1;
    while (steps--) {
        again = again * 1664525u + 1013904223u;
    }
    printf("timer: %u interrupts\n", ticks);
    return again == state;
}

static void waits(void)
{
    ticks = TICKS;
    timer(300);
    uint32_t lines = waitirq();
    printf("waited for line %d\n", lines == 1u << TIMER_IRQ ? TIMER_IRQ : -1);
    // Taken now that it is let through, so that it is not left pending.
    interrupts_enable();
    while (ticks == TICKS) {
    }
    interrupts_disable();
}

static void traps(void)
{
    static const uint32_t words[2] = {0x11223344, 0x55667788};
    uint32_t value;
    on_exception(BREAKPOINT, on_any);
    on_exception(ECALL_FROM_MACHINE, on_any);
    on_exception(ILLEGAL_INSTRUCTION, on_any);
    on_exception(LOAD_MISALIGNED, on_any);
    __asm__ volatile("ebreak");
    __asm__ volatile("ecall");
    // An opcode that nobody has; its rd field is t6.
    __asm__ volatile(".word 0xffffffff" ::: "t6");
    // The core reads something all the same before it says that it minds.
    __asm__ volatile("lw %0, 1(%1)" : "=r"(value) : "r"(words) : "memory");
    printf("exceptions: breakpoint %u, call %u, illegal %u, misaligned %u\n", seen[BREAKPOINT],
           seen[ECALL_FROM_MACHINE], seen[ILLEGAL_INSTRUCTION], seen[LOAD_MISALIGNED]);
}

static bool counters(void)
{
    uint32_t cycles, instructions, later_cycles, later_instructions;
    __asm__ volatile("rdcycle %0" : "=r"(cycles));
    __asm__ volatile("rdinstret %0" : "=r"(instructions));
    __asm__ volatile("rdcycle %0" : "=r"(later_cycles));
    __asm__ volatile("rdinstret %0" : "=r"(later_instructions));
    bool right = later_cycles > cycles && later_instructions == instructions + 2;
    print(right ? "counters go forward\n" : "a counter is wrong\n");
    return right;
}

int main(void)
{
    bool right = counts_interrupts();
    waits();
    traps();
    return counters() && right ? 0 : 1;
}
