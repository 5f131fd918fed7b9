// summary: each hart adds up its part of an array
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: the sum is {*}, four times

#include "harts.h"

#define WORDS 2048

static uint32_t numbers[WORDS];
static volatile uint32_t total;

static void work(uint32_t hart)
{
    uint32_t sum = 0;
    for (uint32_t at = hart * (WORDS / HARTS); at < (hart + 1) * (WORDS / HARTS); at++)
        sum += numbers[at];
    atomic_add(&total, sum);
}

int main(void)
{
    uint32_t expected = 0;
    for (uint32_t at = 0; at < WORDS; at++) {
        numbers[at] = at * 2654435761u;
        expected += numbers[at];
    }
    for (uint32_t round = 0; round < 4; round++) {
        total = 0;
        harts_run(work);
        if (total != expected)
            return 1 + round;
    }
    printf("the sum is %08x, four times\n", total);
    return 0;
}
