// summary: one hart looks and goes to sleep, another wakes it up in between
// expect: exit pass
// harts: 2
// limit: 3000000
// console: woken: {*}, overslept: {*}

#include "harts.h"

#define ROUNDS 200
#define PATIENCE 200

static volatile uint32_t has_work, is_asleep, wake;
static struct barrier meeting;
static uint32_t woken, overslept;

static void sleeper(uint32_t round)
{
    idle(round % 13);
    if (has_work) {
        woken++;
        return;
    }
    idle(2); // the mistake: between looking and lying down work can come
    is_asleep = 1;
    for (uint32_t turn = 0; turn < PATIENCE; turn++) {
        if (wake) {
            woken++;
            return;
        }
    }
    overslept++;
}

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (hart == 0)
            has_work = is_asleep = wake = 0;
        barrier_wait(&meeting, &sense);
        if (hart == 0) {
            idle(round % 29);
            has_work = 1;
            if (is_asleep)
                wake = 1;
        } else {
            sleeper(round);
        }
        barrier_wait(&meeting, &sense);
    }
}

int main(void)
{
    harts_run(work);
    printf("woken: %u, overslept: %u\n", woken, overslept);
    return woken + overslept == ROUNDS ? 0 : 1;
}
