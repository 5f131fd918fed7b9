// summary: a counter behind a lock that spins
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} additions, none lost

#include "harts.h"

#define ROUNDS 300

static spin_lock counter_lock;
static uint32_t counter; // not volatile: the lock is what protects it

static void work(uint32_t hart)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        lock(&counter_lock);
        uint32_t value = *(volatile uint32_t *)&counter;
        idle(hart);
        *(volatile uint32_t *)&counter = value + 1;
        unlock(&counter_lock);
        idle(3 + hart * 5);
    }
}

int main(void)
{
    harts_run(work);
    if (counter != ROUNDS * HARTS)
        return 1;
    printf("%u additions, none lost\n", counter);
    return 0;
}
