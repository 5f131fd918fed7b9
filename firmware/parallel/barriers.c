// summary: harts that wait for each other after every step
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} steps, nobody was ahead

#include "harts.h"

#define STEPS 120

static struct barrier meeting;
static volatile uint32_t step_of[HARTS];
static volatile uint32_t ahead;

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    for (uint32_t step = 1; step <= STEPS; step++) {
        idle(hart * 7 + step % 5);
        step_of[hart] = step;
        barrier_wait(&meeting, &sense);
        for (uint32_t other = 0; other < HARTS; other++)
            if (step_of[other] != step)
                ahead = 1;
        barrier_wait(&meeting, &sense);
    }
}

int main(void)
{
    harts_run(work);
    if (ahead)
        return 1;
    printf("%u steps, nobody was ahead\n", STEPS);
    return 0;
}
