// The frame of a litmus test: many rounds, between barriers, with different delays; what each round
// showed is judged afterwards. The program gives test(), judge() and say(). A forbidden outcome ends
// the run with code 9.

#ifndef LITMUS_H
#define LITMUS_H

#include "harts.h"

#define ROUNDS 300

enum outcome {
    USUAL,
    INTERESTING,
    FORBIDDEN,
};

static void test(uint32_t hart, uint32_t round);
static enum outcome judge(uint32_t round);
static void say(void);

// Far from each other, so that no two lie in one block.
static volatile uint32_t x __attribute__((aligned(64)));
static volatile uint32_t y __attribute__((aligned(64)));
static volatile uint32_t seen[4] __attribute__((aligned(64)));
static uint32_t interesting, forbidden;
static struct barrier meeting;

static inline __attribute__((always_inline)) void store(volatile uint32_t *word, uint32_t value)
{
    *word = value;
}

static inline __attribute__((always_inline)) uint32_t load(volatile uint32_t *word)
{
    return *word;
}

static void rounds(uint32_t hart)
{
    uint32_t sense = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        barrier_wait(&meeting, &sense);
        idle(round * (hart * 2 + 1) % 9);
        test(hart, round);
        barrier_wait(&meeting, &sense);
        if (hart != 0)
            continue;
        enum outcome outcome = judge(round);
        interesting += outcome == INTERESTING;
        forbidden += outcome == FORBIDDEN;
    }
}

#define LITMUS(name)                                                                               \
    int main(void)                                                                                 \
    {                                                                                              \
        harts_run(rounds);                                                                         \
        if (forbidden) {                                                                           \
            printf(#name ": forbidden, %u times\n", forbidden);                                    \
            return 9;                                                                              \
        }                                                                                          \
        say();                                                                                     \
        return 0;                                                                                  \
    }

#endif
