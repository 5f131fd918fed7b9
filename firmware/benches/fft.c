// summary: fixed-point FFT of 2048 points, spectrum, and back, 31 KB
// expect: exit pass
// build: -O2
// limit: 15000000
// console: peaks at 37 and 411
// console: back within 1746/1024 of the signal

#include "random.h"
#include "runtime.h"

#define LOG 11
#define POINTS (1 << LOG)
#define ROUNDS 4

struct complex {
    int32_t re;
    int32_t im;
};

static struct complex data[POINTS];
static int32_t signal[POINTS];
// A quarter of a turn of the sine in 1/32768, both ends included.
static int32_t quarter[POINTS / 4 + 1];
static uint32_t power[POINTS / 2];

// sine(i): i of POINTS parts of a full turn.
static int32_t sine(uint32_t i)
{
    i %= POINTS;
    uint32_t part = i % (POINTS / 4);
    switch (i / (POINTS / 4)) {
    case 0:
        return quarter[part];
    case 1:
        return quarter[POINTS / 4 - part];
    case 2:
        return -quarter[part];
    default:
        return -quarter[POINTS / 4 - part];
    }
}

static int32_t cosine(uint32_t i)
{
    return sine(i + POINTS / 4);
}

// Taylor's series in 1/2^28, of x up to a quarter of a turn.
static void make_sines(void)
{
    const int64_t half_pi = 421657428; // pi / 2 * 2^28
    for (int i = 0; i <= POINTS / 4; i++) {
        int64_t x = half_pi * i / (POINTS / 4);
        int64_t square = x * x >> 28;
        int64_t term = x;
        int64_t sum = 0;
        for (int n = 1; term; n += 2) {
            sum += term;
            term = -(term * square >> 28) / ((n + 1) * (n + 2));
        }
        quarter[i] = (int32_t)((sum + (1 << 12)) >> 13);
    }
}

static int32_t scaled(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + (1 << 14)) >> 15);
}

static void reverse_bits(void)
{
    for (uint32_t i = 0, j = 0; i < POINTS; i++) {
        if (i < j) {
            struct complex swap = data[i];
            data[i] = data[j];
            data[j] = swap;
        }
        uint32_t bit = POINTS / 2;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j |= bit;
    }
}

// In place. Forwards each stage halves, so that nothing overflows; backwards none does.
static void transform(bool forwards)
{
    reverse_bits();
    for (uint32_t half = 1; half < POINTS; half *= 2) {
        for (uint32_t k = 0; k < half; k++) {
            uint32_t angle = k * (POINTS / 2 / half);
            int32_t wr = cosine(angle);
            int32_t wi = forwards ? -sine(angle) : sine(angle);
            for (uint32_t i = k; i < POINTS; i += 2 * half) {
                struct complex *low = &data[i], *high = &data[i + half];
                int32_t re = scaled(high->re, wr) - scaled(high->im, wi);
                int32_t im = scaled(high->re, wi) + scaled(high->im, wr);
                int shift = forwards;
                *high = (struct complex){(low->re - re) >> shift, (low->im - im) >> shift};
                *low = (struct complex){(low->re + re) >> shift, (low->im + im) >> shift};
            }
        }
    }
}

static uint32_t loudest(void)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < POINTS / 2; i++) {
        if (power[i] > power[best]) {
            best = i;
        }
    }
    return best;
}

int main(void)
{
    uint32_t seed = 69069u;
    uint32_t first = 0, second = 0;
    int32_t worst = 0;
    make_sines();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < POINTS; i++) {
            int32_t noise = (int32_t)(next_random(&seed) >> 16) - 32768;
            // Two tones, in 1/1024 of a step so that halving loses little.
            signal[i] = 1024 * (sine(37 * i) / 2 + sine(411 * i + 100 * round) / 4 + noise / 16);
            data[i] = (struct complex){signal[i], 0};
        }
        transform(true);
        memset(power, 0, sizeof power);
        for (uint32_t i = 0; i < POINTS / 2; i++) {
            int32_t re = data[i].re >> 10, im = data[i].im >> 10;
            power[i] = (uint32_t)(re * re + im * im);
        }
        first = loudest();
        power[first] = 0;
        second = loudest();
        transform(false);
        for (uint32_t i = 0; i < POINTS; i++) {
            int32_t error = data[i].re - signal[i];
            error = error < 0 ? -error : error;
            worst = error > worst ? error : worst;
        }
        assert(first == 37 && second == 411);
    }
    printf("peaks at %u and %u\n", first, second);
    printf("back within %d/1024 of the signal\n", worst);
    assert(worst < 200 * 1024);
    return 0;
}
