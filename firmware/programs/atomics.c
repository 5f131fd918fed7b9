// summary: every AMO, LR/SC that succeed and fail, and counters shared with an interrupt handler
// expect: exit pass
// limit: 60000
// console: amo: 9 of 9
// console: sc: 4 of 4
// console: shared: 64 by main, 3 by the handler

#include "runtime.h"

#define ROUNDS 64
#define TICKS 3
#define TICK_LENGTH 1200

static volatile uint32_t ticks;
static uint32_t added;    // with amoadd
static uint32_t reserved; // with lr/sc

#define AMO(name, address, operand)                                                                \
    ({                                                                                             \
        uint32_t amo_old;                                                                          \
        __asm__ volatile(name " %0, %2, (%1)"                                                      \
                         : "=&r"(amo_old)                                                          \
                         : "r"(address), "r"(operand)                                              \
                         : "memory");                                                              \
        amo_old;                                                                                   \
    })

#define CHECK_AMO(name, before, operand, after)                                                    \
    ({                                                                                             \
        static uint32_t amo_word;                                                                  \
        amo_word = (before);                                                                       \
        uint32_t amo_seen = AMO(name, &amo_word, operand);                                         \
        amo_seen == (uint32_t)(before) && amo_word == (uint32_t)(after);                           \
    })

// Inlined, so that nothing touches memory between the two.
static inline __attribute__((always_inline)) uint32_t load_reserved(uint32_t *word)
{
    uint32_t value;
    __asm__ volatile("lr.w %0, (%1)" : "=r"(value) : "r"(word) : "memory");
    return value;
}

static inline __attribute__((always_inline)) bool store_conditional(uint32_t *word,
                                                                    uint32_t value)
{
    uint32_t failed;
    __asm__ volatile("sc.w %0, %2, (%1)" : "=&r"(failed) : "r"(word), "r"(value) : "memory");
    return failed == 0;
}

static int check_amos(void)
{
    int right = 0;
    right += CHECK_AMO("amoswap.w", 5, 7, 7);
    right += CHECK_AMO("amoadd.w", 0xffffffff, 2, 1);
    right += CHECK_AMO("amoxor.w.aq", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0);
    right += CHECK_AMO("amoand.w.rl", 0xff00ff00, 0x0ff00ff0, 0x0f000f00);
    right += CHECK_AMO("amoor.w.aqrl", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0);
    right += CHECK_AMO("amomin.w", -3, 2, -3);
    right += CHECK_AMO("amomax.w", -3, 2, 2);
    right += CHECK_AMO("amominu.w", -3, 2, 2);
    right += CHECK_AMO("amomaxu.w", -3, 2, -3);
    return right;
}

static int check_conditionals(void)
{
    static uint32_t words[2];
    int right = 0;
    load_reserved(&words[0]);
    right += store_conditional(&words[0], 11) && words[0] == 11;
    // The first sc used the reservation up.
    right += !store_conditional(&words[0], 12) && words[0] == 11;
    load_reserved(&words[0]);
    // Reserved as one word, stored as another. A hart may reserve more than a word, so the other
    // one is far away.
    static uint32_t far[64];
    right += !store_conditional(&far[63], 13) && far[63] == 0;
    right += load_reserved(&words[0]) == 11 && store_conditional(&words[0], 14) && words[0] == 14;
    return right;
}

static void increment_reserved(void)
{
    // In one piece, because a hart may give a reservation up at any other memory access. An
    // interrupt in between makes it try again.
    uint32_t value, failed;
    __asm__ volatile("1: lr.w %0, (%2)\n"
                     "   addi %0, %0, 1\n"
                     "   sc.w %1, %0, (%2)\n"
                     "   bnez %1, 1b"
                     : "=&r"(value), "=&r"(failed)
                     : "r"(&reserved)
                     : "memory");
}

static void on_tick(struct trap_frame *frame)
{
    (void)frame;
    AMO("amoadd.w", &added, 1);
    increment_reserved();
    if (++ticks < TICKS) {
        timer_set(timer_now() + TICK_LENGTH);
    } else {
        timer_off();
    }
}

int main(void)
{
    printf("amo: %d of 9\n", check_amos());
    printf("sc: %d of 4\n", check_conditionals());

    on_interrupt(TIMER_INTERRUPT, on_tick);
    timer_set(timer_now() + TICK_LENGTH);
    interrupts_enable();
    for (int round = 0; round < ROUNDS; round++) {
        AMO("amoadd.w", &added, 1);
        increment_reserved();
    }
    while (ticks < TICKS) {
    }
    interrupts_disable();
    printf("shared: %d by main, %u by the handler\n", ROUNDS, added - ROUNDS);
    return added == ROUNDS + TICKS && reserved == added ? 0 : 1;
}
