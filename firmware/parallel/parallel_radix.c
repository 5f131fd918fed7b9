// summary: radix sort: histograms of all harts, then every hart scatters over the whole array
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} keys in order

#include "harts.h"

#define KEYS 1024
#define BUCKETS 16
#define DIGITS 4

static uint32_t keys[2][KEYS];
static uint32_t counts[HARTS][BUCKETS];
static uint32_t places[HARTS][BUCKETS];
static struct barrier meeting;

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    uint32_t first = hart * (KEYS / HARTS), last = first + KEYS / HARTS;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t *from = keys[digit % 2], *to = keys[1 - digit % 2];
        for (uint32_t bucket = 0; bucket < BUCKETS; bucket++)
            counts[hart][bucket] = 0;
        for (uint32_t at = first; at < last; at++)
            counts[hart][from[at] >> (4 * digit) & (BUCKETS - 1)]++;
        barrier_wait(&meeting, &sense);
        // Where the keys of this hart go: behind all smaller ones, and those of the harts before it.
        uint32_t place = 0;
        for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
            for (uint32_t other = 0; other < HARTS; other++) {
                if (other == hart)
                    places[hart][bucket] = place;
                place += counts[other][bucket];
            }
        }
        for (uint32_t at = first; at < last; at++)
            to[places[hart][from[at] >> (4 * digit) & (BUCKETS - 1)]++] = from[at];
        barrier_wait(&meeting, &sense);
    }
}

int main(void)
{
    uint32_t sum = 0, state = 12345;
    for (uint32_t at = 0; at < KEYS; at++) {
        state = state * 1664525u + 1013904223u;
        keys[0][at] = state >> 16;
        sum += keys[0][at];
    }
    harts_run(work);
    for (uint32_t at = 0; at < KEYS; at++) {
        sum -= keys[0][at];
        if (at > 0 && keys[0][at - 1] > keys[0][at])
            return 1;
    }
    if (sum != 0)
        return 2;
    printf("%u keys in order\n", KEYS);
    return 0;
}
