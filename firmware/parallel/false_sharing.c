// summary: every hart has its own counter, all of them in one line
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} each

#include "harts.h"

#define ROUNDS 2000

static volatile uint32_t counters[HARTS] __attribute__((aligned(64)));

static void work(uint32_t hart)
{
    for (uint32_t round = 0; round < ROUNDS; round++)
        counters[hart]++;
}

int main(void)
{
    harts_run(work);
    for (uint32_t hart = 0; hart < HARTS; hart++)
        if (counters[hart] != ROUNDS)
            return 1;
    printf("%u each\n", ROUNDS);
    return 0;
}
