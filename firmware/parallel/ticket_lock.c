// summary: a lock that serves in the order of arrival
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} turns, each hart its share

#include "harts.h"

#define ROUNDS 200

static volatile uint32_t next_ticket, now_serving;
static volatile uint32_t served[HARTS];
static volatile uint32_t inside, mistakes, turns;

static void work(uint32_t hart)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t ticket = atomic_add(&next_ticket, 1);
        while (now_serving != ticket)
            ;
        fence();
        if (inside++)
            mistakes++;
        served[hart]++;
        turns++;
        inside--;
        fence();
        now_serving = ticket + 1;
    }
}

int main(void)
{
    harts_run(work);
    for (uint32_t hart = 0; hart < HARTS; hart++)
        if (served[hart] != ROUNDS)
            return 2;
    if (mistakes || turns != ROUNDS * HARTS)
        return 1;
    printf("%u turns, each hart its share\n", turns);
    return 0;
}
