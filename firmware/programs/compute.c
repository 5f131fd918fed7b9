// summary: checksum, sorting, matrices, primes, division at its edges, 64-bit arithmetic
// expect: exit pass
// build: -O2
// cores: picorv32 serv ibex picorv32-c ibex-c
// limit: 60000
// console: crc32 cbf43926
// console: sorted, sum 32640, median 128
// console: fibonacci by matrix dec1139639
// console: 46 primes below 200, the last is 199
// console: division at its edges is right
// console: collatz 27: 111 steps up to 9232

#include "runtime.h"

static uint32_t crc32(const char *text)
{
    uint32_t crc = 0xffffffff;
    for (; *text; text++) {
        crc ^= (uint8_t)*text;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

#define KEYS 256
static uint8_t keys[KEYS];

static void sort(int from, int to)
{
    while (from < to) {
        uint8_t pivot = keys[(from + to) / 2];
        int left = from;
        int right = to;
        while (left <= right) {
            while (keys[left] < pivot) {
                left++;
            }
            while (keys[right] > pivot) {
                right--;
            }
            if (left <= right) {
                uint8_t swap = keys[left];
                keys[left++] = keys[right];
                keys[right--] = swap;
            }
        }
        sort(from, right);
        from = left;
    }
}

static bool sorted_keys(void)
{
    // 181 is odd, so this is a permutation of 0..=255.
    for (int i = 0; i < KEYS; i++) {
        keys[i] = (uint8_t)(i * 181 + 7);
    }
    sort(0, KEYS - 1);
    uint32_t sum = 0;
    for (int i = 0; i < KEYS; i++) {
        sum += keys[i];
        if (keys[i] != i) {
            return false;
        }
    }
    printf("sorted, sum %u, median %u\n", sum, keys[KEYS / 2]);
    return true;
}

struct matrix {
    uint64_t cell[2][2];
};

static struct matrix multiply(const struct matrix *a, const struct matrix *b)
{
    struct matrix product;
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 2; column++) {
            product.cell[row][column] = a->cell[row][0] * b->cell[0][column] +
                                        a->cell[row][1] * b->cell[1][column];
        }
    }
    return product;
}

static uint64_t fibonacci(uint32_t n)
{
    struct matrix result = {{{1, 0}, {0, 1}}};
    struct matrix base = {{{1, 1}, {1, 0}}};
    for (; n; n >>= 1) {
        if (n & 1) {
            result = multiply(&result, &base);
        }
        base = multiply(&base, &base);
    }
    return result.cell[0][1];
}

static void primes(void)
{
    static uint8_t composite[200];
    uint32_t count = 0;
    uint32_t last = 0;
    for (uint32_t n = 2; n < sizeof composite; n++) {
        if (composite[n]) {
            continue;
        }
        count++;
        last = n;
        for (uint32_t multiple = n * n; multiple < sizeof composite; multiple += n) {
            composite[multiple] = 1;
        }
    }
    printf("%u primes below 200, the last is %u\n", count, last);
}

// The instruction, or on a hart without it the compiler's routine, which keeps to what it does.
#ifdef __riscv_div
#define DIVIDE(instruction, routine, dividend, divisor)                                            \
    ({                                                                                             \
        int32_t result;                                                                            \
        __asm__ volatile(instruction " %0, %1, %2"                                                 \
                         : "=r"(result)                                                            \
                         : "r"(dividend), "r"(divisor));                                           \
        result;                                                                                    \
    })
#else
int32_t __divsi3(int32_t dividend, int32_t divisor);
int32_t __modsi3(int32_t dividend, int32_t divisor);
int32_t __udivsi3(int32_t dividend, int32_t divisor);
#define DIVIDE(instruction, routine, dividend, divisor) routine(dividend, divisor)
#endif

static bool division_edges(void)
{
    // volatile: the compiler must not work these out, C does not even define them.
    volatile int32_t zero = 0, lowest = INT32_MIN, minus_one = -1, seven = 7;
    bool right = DIVIDE("div", __divsi3, seven, zero) == -1;
    right = right && DIVIDE("rem", __modsi3, seven, zero) == 7;
    right = right && DIVIDE("div", __divsi3, lowest, minus_one) == lowest;
    right = right && DIVIDE("rem", __modsi3, lowest, minus_one) == 0;
    right = right && DIVIDE("divu", __udivsi3, seven, zero) == -1;
    return right && -seven / 2 == -3 && -seven % 2 == -1;
}

static void collatz(uint32_t n)
{
    uint32_t start = n, steps = 0, top = n;
    for (; n != 1; steps++) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        top = n > top ? n : top;
    }
    printf("collatz %u: %u steps up to %u\n", start, steps, top);
}

int main(void)
{
    uint32_t crc = crc32("123456789");
    printf("crc32 %08x\n", crc);
    bool right = crc == 0xcbf43926 && sorted_keys();
    uint64_t number = fibonacci(59);
    printf("fibonacci by matrix %x%08x\n", (uint32_t)(number >> 32), (uint32_t)number);
    primes();
    bool edges = division_edges();
    print(edges ? "division at its edges is right\n" : "division is wrong\n");
    collatz(27);
    return right && edges ? 0 : 1;
}
