// summary: greets, then counts timer interrupts while it works
// expect: exit pass
// cores: picorv32 serv ibex picorv32-c ibex-c
// limit: 60000
// console: hello from lookback
// console: tick 1
// console: tick 2
// console: tick 3
// console: tick 4
// console: tick 5
// console: the work came out right

#include "runtime.h"

#define TICKS 5
// Longer than the handler takes on a board whose timer counts clock cycles.
#define TICK_LENGTH 1500

static volatile uint32_t ticks;

static void on_tick(struct trap_frame *frame)
{
    (void)frame;
    if (++ticks == TICKS) {
        timer_off();
    } else {
        timer_set(timer_now() + TICK_LENGTH);
    }
}

// One step of a generator with a known sequence: a register that an interrupt failed to preserve
// would show in its result.
static uint32_t next_random(uint32_t state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ state << 5;
}

static bool work(void)
{
    uint32_t state = 1;
    for (int step = 0; step < 16; step++) {
        state = next_random(state);
    }
    return state == 0xc9c495b1;
}

int main(void)
{
    print("hello from lookback\n");
    on_interrupt(TIMER_INTERRUPT, on_tick);
    timer_set(timer_now() + TICK_LENGTH);
    interrupts_enable();

    bool right = true;
    uint32_t printed = 0;
    while (printed < TICKS) {
        right = work() && right;
        if (printed < ticks) {
            printf("tick %u\n", ++printed);
        }
    }
    interrupts_disable();
    print(right ? "the work came out right\n" : "an interrupt disturbed the work\n");
    return right ? 0 : 1;
}
