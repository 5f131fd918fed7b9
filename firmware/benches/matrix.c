// summary: products, transposition and powers of 72 x 72 matrices of integers, 102 KB
// expect: exit pass
// build: -O2
// limit: 15000000
// console: Freivalds' test passes
// console: rows by columns and in blocks agree: 16df3b74
// console: the inverse modulo 65521 is one

#include "random.h"
#include "runtime.h"

#define SIDE 72
#define TILE 8
#define SMALL 40
#define PRIME 65521u

typedef uint32_t matrix[SIDE][SIDE];

static matrix a, b, product, tiled;
static uint32_t system_rows[SMALL][2 * SMALL];
static uint32_t original[SMALL][SMALL];
static uint32_t seed = 1181783497u;

static void multiply(matrix to, const matrix left, const matrix right)
{
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            uint32_t sum = 0;
            for (int k = 0; k < SIDE; k++) {
                sum += left[row][k] * right[k][column];
            }
            to[row][column] = sum;
        }
    }
}

static void transpose(matrix m)
{
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < row; column++) {
            uint32_t swap = m[row][column];
            m[row][column] = m[column][row];
            m[column][row] = swap;
        }
    }
}

// The right factor comes transposed, so that both run along rows; in blocks that stay close.
static void multiply_tiled(matrix to, const matrix left, const matrix right)
{
    for (int top = 0; top < SIDE; top += TILE) {
        for (int side = 0; side < SIDE; side += TILE) {
            for (int row = top; row < top + TILE; row++) {
                for (int column = side; column < side + TILE; column++) {
                    uint32_t sum = 0;
                    for (int k = 0; k < SIDE; k++) {
                        sum += left[row][k] * right[column][k];
                    }
                    to[row][column] = sum;
                }
            }
        }
    }
}

static void apply(uint32_t *to, const matrix m, const uint32_t *vector)
{
    for (int row = 0; row < SIDE; row++) {
        uint32_t sum = 0;
        for (int k = 0; k < SIDE; k++) {
            sum += m[row][k] * vector[k];
        }
        to[row] = sum;
    }
}

// product x = a (b x) for some x: wrong products pass by chance only.
static void freivalds(void)
{
    uint32_t x[SIDE], bx[SIDE], abx[SIDE], px[SIDE];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < SIDE; i++) {
            x[i] = next_random(&seed);
        }
        apply(bx, b, x);
        apply(abx, a, bx);
        apply(px, product, x);
        assert(memcmp(px, abx, sizeof px) == 0);
    }
    print("Freivalds' test passes\n");
}

static uint32_t power(uint32_t base, uint32_t exponent)
{
    uint32_t result = 1;
    for (; exponent; exponent >>= 1, base = base * base % PRIME) {
        if (exponent & 1) {
            result = result * base % PRIME;
        }
    }
    return result;
}

// Gauss and Jordan, beside the identity.
static void invert(void)
{
    for (int pivot = 0; pivot < SMALL; pivot++) {
        int row = pivot;
        while (system_rows[row][pivot] == 0) {
            row++;
            assert(row < SMALL);
        }
        for (int column = 0; column < 2 * SMALL; column++) {
            uint32_t swap = system_rows[row][column];
            system_rows[row][column] = system_rows[pivot][column];
            system_rows[pivot][column] = swap;
        }
        uint32_t inverse = power(system_rows[pivot][pivot], PRIME - 2);
        for (int column = pivot; column < 2 * SMALL; column++) {
            system_rows[pivot][column] = system_rows[pivot][column] * inverse % PRIME;
        }
        for (int other = 0; other < SMALL; other++) {
            uint32_t factor = other == pivot ? 0 : PRIME - system_rows[other][pivot];
            for (int column = pivot; factor && column < 2 * SMALL; column++) {
                uint32_t sum = system_rows[other][column] + factor * system_rows[pivot][column] % PRIME;
                system_rows[other][column] = sum >= PRIME ? sum - PRIME : sum;
            }
        }
    }
}

int main(void)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i / SIDE][i % SIDE] = next_random(&seed) >> 20;
        b[i / SIDE][i % SIDE] = next_random(&seed) >> 20;
    }
    multiply(product, a, b);
    freivalds();
    transpose(b);
    multiply_tiled(tiled, a, b);
    assert(memcmp(product, tiled, sizeof product) == 0);
    uint32_t trace = 0;
    for (int i = 0; i < SIDE; i++) {
        trace += product[i][i];
    }
    printf("rows by columns and in blocks agree: %08x\n", trace);

    for (int i = 0; i < SMALL * SMALL; i++) {
        int row = i / SMALL, column = i % SMALL;
        original[row][column] = system_rows[row][column] = next_random(&seed) % PRIME;
        system_rows[row][SMALL + column] = row == column;
    }
    invert();
    for (int row = 0; row < SMALL; row++) {
        for (int column = 0; column < SMALL; column++) {
            uint32_t sum = 0;
            for (int k = 0; k < SMALL; k++) {
                sum = (sum + original[row][k] * system_rows[k][SMALL + column] % PRIME) % PRIME;
            }
            assert(sum == (row == column));
        }
    }
    printf("the inverse modulo %u is one\n", PRIME);
    return 0;
}
