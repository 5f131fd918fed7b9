// summary: a reference count that is decremented without a lock: freed twice, or never
// expect: exit pass
// harts: 2 4
// limit: 3000000
// console: freed once: {*}, twice or more: {*}, never: {*}

#include "harts.h"

// The mistake of Narayanasamy's figure V.2: decrement, read again, free if it is 0. Two harts can
// both see 0 (two frees), or both write the same count (none).

#define ROUNDS 300

struct foo {
    volatile uint32_t count;
    volatile uint32_t freed;
};

static struct foo foo;
static struct barrier meeting;
static uint32_t once, more, never;

static void release(struct foo *object)
{
    object->count = object->count - 1;
    if (object->count == 0)
        atomic_add(&object->freed, 1);
}

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (hart == 0) {
            foo.count = HARTS;
            foo.freed = 0;
        }
        barrier_wait(&meeting, &sense);
        idle(round * (hart + 3) % 11);
        release(&foo);
        barrier_wait(&meeting, &sense);
        if (hart == 0) {
            once += foo.freed == 1;
            more += foo.freed > 1;
            never += foo.freed == 0;
        }
    }
}

int main(void)
{
    harts_run(work);
    printf("freed once: %u, twice or more: %u, never: %u\n", once, more, never);
    return once + more + never == ROUNDS ? 0 : 1;
}
