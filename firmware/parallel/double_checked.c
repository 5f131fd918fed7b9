// summary: double-checked initialisation that sets its flag too early
// expect: exit pass
// harts: 2 4
// limit: 3000000
// console: seen before it was ready: {*} of {*}

#include "harts.h"

#define ROUNDS 200

struct config {
    volatile uint32_t speed;
    volatile uint32_t check;
};

static struct config config;
static volatile uint32_t is_ready;
static spin_lock init_lock;
static struct barrier meeting;
static volatile uint32_t unready;

static const struct config *get(void)
{
    if (!is_ready) {
        lock(&init_lock);
        if (!is_ready) {
            is_ready = 1; // the mistake: it is not
            config.speed = 115200;
            idle(3);
            config.check = ~115200u;
        }
        unlock(&init_lock);
    }
    return &config;
}

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (hart == 0) {
            config.speed = 0;
            config.check = 0;
            is_ready = 0;
        }
        barrier_wait(&meeting, &sense);
        idle(round * (hart + 1) % 17);
        const struct config *mine = get();
        if (mine->check != ~mine->speed)
            atomic_add(&unready, 1);
        barrier_wait(&meeting, &sense);
    }
}

int main(void)
{
    harts_run(work);
    printf("seen before it was ready: %u of %u\n", unready, ROUNDS * HARTS);
    return 0;
}
