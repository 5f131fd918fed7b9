// summary: each hart sorts its part, then parts are merged two by two
// expect: exit pass
// harts: 2 4
// limit: 3000000
// console: {*} numbers sorted

#include "harts.h"

#define WORDS 1024
#define PART (WORDS / HARTS)

static uint32_t numbers[WORDS], merged[WORDS];
static struct barrier meeting;

static void sort(uint32_t *first, uint32_t count)
{
    for (uint32_t gap = count / 2; gap; gap /= 2) {
        for (uint32_t at = gap; at < count; at++) {
            uint32_t value = first[at];
            uint32_t place = at;
            for (; place >= gap && first[place - gap] > value; place -= gap)
                first[place] = first[place - gap];
            first[place] = value;
        }
    }
}

static void merge(const uint32_t *from, uint32_t *to, uint32_t half)
{
    uint32_t left = 0, right = half;
    for (uint32_t at = 0; at < 2 * half; at++) {
        bool take_left = right == 2 * half || (left < half && from[left] <= from[right]);
        to[at] = from[take_left ? left++ : right++];
    }
}

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    sort(numbers + hart * PART, PART);
    barrier_wait(&meeting, &sense);
    uint32_t *from = numbers, *to = merged;
    for (uint32_t harts = 2; harts <= HARTS; harts *= 2) {
        if (hart % harts == 0)
            merge(from + hart * PART, to + hart * PART, harts / 2 * PART);
        barrier_wait(&meeting, &sense);
        uint32_t *other = from;
        from = to;
        to = other;
    }
}

int main(void)
{
    uint32_t value = 1, before = 0, after = 0;
    for (uint32_t at = 0; at < WORDS; at++) {
        value = value * 1664525 + 1013904223;
        numbers[at] = value;
        before += value;
    }
    harts_run(work);
    const uint32_t *sorted = HARTS == 2 ? merged : numbers;
    for (uint32_t at = 0; at < WORDS; at++) {
        if (at && sorted[at - 1] > sorted[at])
            return 1;
        after += sorted[at];
    }
    if (before != after)
        return 2;
    printf("%u numbers sorted\n", WORDS);
    return 0;
}
