// summary: a number-theoretic transform and back, a barrier after each stage
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} points there and back

#include "harts.h"

#define LOG2 8
#define POINTS (1u << LOG2)
// A prime with roots of unity of order 2^12; products of two residues fit a word.
#define PRIME 12289u
#define ROOT 11u

static uint32_t values[POINTS];
static uint32_t roots[2][POINTS / 2];
static struct barrier meeting;

static uint32_t power(uint32_t base, uint32_t exponent)
{
    uint32_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % PRIME;
        base = base * base % PRIME;
    }
    return result;
}

static void transform(uint32_t hart, const uint32_t *root, uint32_t *sense)
{
    for (uint32_t half = POINTS / 2; half; half >>= 1) {
        for (uint32_t pair = hart * (POINTS / 2 / HARTS); pair < (hart + 1) * (POINTS / 2 / HARTS);
             pair++) {
            uint32_t low = (pair & ~(half - 1)) * 2 + (pair & (half - 1));
            uint32_t a = values[low], b = values[low + half];
            values[low] = (a + b) % PRIME;
            values[low + half] =
                (a + PRIME - b) * root[(pair & (half - 1)) * (POINTS / 2 / half)] % PRIME;
        }
        barrier_wait(&meeting, sense);
    }
}

// Every point changes places with the one whose number is reversed.
static void reorder(uint32_t hart, uint32_t *sense)
{
    for (uint32_t at = hart * (POINTS / HARTS); at < (hart + 1) * (POINTS / HARTS); at++) {
        uint32_t other = 0;
        for (uint32_t bit = 0; bit < LOG2; bit++)
            other |= (at >> bit & 1) << (LOG2 - 1 - bit);
        if (at < other) {
            uint32_t kept = values[at];
            values[at] = values[other];
            values[other] = kept;
        }
    }
    barrier_wait(&meeting, sense);
}

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    for (uint32_t inverse = 0; inverse < 2; inverse++) {
        transform(hart, roots[inverse], &sense);
        reorder(hart, &sense);
    }
}

static uint32_t point(uint32_t at)
{
    return (at * 7919u + 3) % PRIME;
}

int main(void)
{
    uint32_t unit = power(ROOT, (PRIME - 1) / POINTS), back = power(unit, PRIME - 2);
    for (uint32_t at = 0; at < POINTS; at++)
        values[at] = point(at);
    roots[0][0] = roots[1][0] = 1;
    for (uint32_t at = 1; at < POINTS / 2; at++) {
        roots[0][at] = roots[0][at - 1] * unit % PRIME;
        roots[1][at] = roots[1][at - 1] * back % PRIME;
    }
    harts_run(work);
    uint32_t shrink = power(POINTS, PRIME - 2);
    for (uint32_t at = 0; at < POINTS; at++)
        if (values[at] * shrink % PRIME != point(at))
            return 1;
    printf("%u points there and back\n", POINTS);
    return 0;
}
