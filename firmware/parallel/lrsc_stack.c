// summary: a stack without locks, by load-reserved and store-conditional
// expect: exit pass
// harts: 2 4
// limit: 3000000
// console: {*} nodes, all back, none twice

#include "harts.h"

#define NODES 32
#define ROUNDS 250

struct node {
    volatile uint32_t next; // number of the next node + 1, 0 at the end
    volatile uint32_t owner;
};

static struct node nodes[NODES];
static volatile uint32_t top;
static volatile uint32_t mistakes;

static void push(uint32_t number)
{
    uint32_t old;
    do {
        old = load_reserved(&top);
        nodes[number].next = old;
    } while (!store_conditional(&top, number + 1));
}

// The reservation makes this safe: a node that came back meanwhile breaks it.
static bool pop(uint32_t *number)
{
    uint32_t old, next;
    do {
        old = load_reserved(&top);
        if (old == 0)
            return false;
        next = nodes[old - 1].next;
    } while (!store_conditional(&top, next));
    *number = old - 1;
    return true;
}

static void work(uint32_t hart)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t number;
        if (!pop(&number))
            continue;
        if (atomic_swap(&nodes[number].owner, hart + 1) != 0)
            mistakes = 1;
        idle(round % 4);
        if (atomic_swap(&nodes[number].owner, 0) != hart + 1)
            mistakes = 1;
        push(number);
    }
}

int main(void)
{
    for (uint32_t number = 0; number < NODES; number++)
        push(number);
    harts_run(work);
    uint32_t count = 0, number;
    bool seen[NODES] = {false};
    while (pop(&number)) {
        if (seen[number])
            return 2;
        seen[number] = true;
        count++;
    }
    if (mistakes || count != NODES)
        return 1;
    printf("%u nodes, all back, none twice\n", count);
    return 0;
}
