// summary: calls, breakpoints and fences while a timer interrupts
// expect: exit pass
// cores: serv ibex
// limit: 60000
// console: 12 calls, 12 breakpoints, 4 ticks
// console: the sum is 4038

#include "runtime.h"

#define ROUNDS 12
#define TICKS 4
#define TICK_LENGTH 400

static uint32_t calls, breakpoints;
static volatile uint32_t ticks;

enum { A0 = 10 };

static void on_call(struct trap_frame *frame)
{
    calls++;
    frame->x[A0] = frame->x[A0] * 3 + calls;
    frame->x[FRAME_PC] += 4;
}

static void on_breakpoint(struct trap_frame *frame)
{
    breakpoints++;
    frame->x[FRAME_PC] += 4;
}

static void on_tick(struct trap_frame *frame)
{
    (void)frame;
    if (++ticks < TICKS) {
        timer_set(timer_now() + TICK_LENGTH);
    } else {
        timer_off();
    }
}

static uint32_t call(uint32_t argument)
{
    register uint32_t a0 __asm__("a0") = argument;
    __asm__ volatile("ecall" : "+r"(a0) : : "memory");
    return a0;
}

int main(void)
{
    on_exception(ECALL_FROM_MACHINE, on_call);
    on_exception(BREAKPOINT, on_breakpoint);
    on_interrupt(TIMER_INTERRUPT, on_tick);
    timer_set(timer_now() + TICK_LENGTH);
    interrupts_enable();
    uint32_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        sum += call(round * 20);
        __asm__ volatile("ebreak" ::: "memory");
        __asm__ volatile("fence" ::: "memory");
        fence_i();
        __asm__ volatile("fence rw, w" ::: "memory");
    }
    // Again and again: SERV forgets it when an interrupt comes together with a return from a trap.
    while (ticks < TICKS) {
        interrupts_enable();
    }
    interrupts_disable();
    printf("%u calls, %u breakpoints, %u ticks\n", calls, breakpoints, ticks);
    printf("the sum is %u\n", sum);
    return 0;
}
