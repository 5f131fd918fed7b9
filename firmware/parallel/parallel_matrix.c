// summary: a product of matrices, row by row, whoever has time
// expect: exit pass
// harts: 2 4
// limit: 3000000
// console: {*} rows, the product is right

#include "harts.h"

#define SIZE 24

static uint32_t a[SIZE][SIZE], b[SIZE][SIZE], product[SIZE][SIZE];
static volatile uint32_t next_row;

static uint32_t cell(uint32_t row, uint32_t column)
{
    uint32_t sum = 0;
    for (uint32_t at = 0; at < SIZE; at++)
        sum += a[row][at] * b[at][column];
    return sum;
}

static void work(uint32_t hart)
{
    (void)hart;
    for (;;) {
        uint32_t row = atomic_add(&next_row, 1);
        if (row >= SIZE)
            return;
        for (uint32_t column = 0; column < SIZE; column++)
            product[row][column] = cell(row, column);
    }
}

int main(void)
{
    for (uint32_t row = 0; row < SIZE; row++) {
        for (uint32_t column = 0; column < SIZE; column++) {
            a[row][column] = row * 31 + column;
            b[row][column] = row ^ (column * 17);
        }
    }
    harts_run(work);
    for (uint32_t row = 0; row < SIZE; row += 5)
        for (uint32_t column = 0; column < SIZE; column += 3)
            if (product[row][column] != cell(row, column))
                return 1;
    printf("%u rows, the product is right\n", SIZE);
    return 0;
}
