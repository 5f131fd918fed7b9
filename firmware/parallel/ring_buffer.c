// summary: pairs of harts with a ring between them: one puts in, the other takes out
// expect: exit pass
// harts: 2 4
// limit: 3000000
// console: {*} words arrived, in order

#include "harts.h"

#define WORDS 1500
#define SLOTS 16

struct ring {
    volatile uint32_t head; // written by the producer
    volatile uint32_t tail; // written by the consumer
    volatile uint32_t slot[SLOTS];
};

static struct ring rings[HARTS / 2];
static volatile uint32_t sums[HARTS / 2];
static volatile uint32_t out_of_order;

static void produce(struct ring *ring)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        while (ring->head - ring->tail == SLOTS)
            ;
        ring->slot[ring->head % SLOTS] = word * 7 + 1;
        fence();
        ring->head = ring->head + 1;
    }
}

static uint32_t consume(struct ring *ring)
{
    uint32_t sum = 0;
    for (uint32_t word = 0; word < WORDS; word++) {
        while (ring->head == ring->tail)
            ;
        fence();
        uint32_t value = ring->slot[ring->tail % SLOTS];
        if (value != word * 7 + 1)
            out_of_order = 1;
        sum += value;
        fence();
        ring->tail = ring->tail + 1;
    }
    return sum;
}

static void work(uint32_t hart)
{
    if (hart % 2 == 0)
        produce(&rings[hart / 2]);
    else
        sums[hart / 2] = consume(&rings[hart / 2]);
}

int main(void)
{
    harts_run(work);
    uint32_t total = 0;
    for (uint32_t pair = 0; pair < HARTS / 2; pair++) {
        if (sums[pair] != WORDS * (WORDS - 1) / 2 * 7 + WORDS)
            return 1;
        total += WORDS;
    }
    if (out_of_order)
        return 2;
    printf("%u words arrived, in order\n", total);
    return 0;
}
