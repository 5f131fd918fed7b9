// summary: a grid relaxes step by step; neighbours' border rows are read after each barrier
// expect: exit pass
// harts: 2 4
// limit: 2000000
// console: {*} steps, the sum is {*}

#include "harts.h"

#define WIDTH 24
#define ROWS 16
#define STEPS 12

// The last one is left alone by the harts: what the steps must come to, one after the other.
static uint32_t grids[3][ROWS][WIDTH];
static struct barrier meeting;

static void relax(uint32_t (*from)[WIDTH], uint32_t (*to)[WIDTH], uint32_t first, uint32_t last)
{
    for (uint32_t row = first; row < last; row++) {
        for (uint32_t column = 1; column < WIDTH - 1; column++) {
            uint32_t around = from[row - 1][column] + from[row + 1][column];
            around += from[row][column - 1] + from[row][column + 1];
            to[row][column] = from[row][column] / 2 + around / 8;
        }
    }
}

static void work(uint32_t hart)
{
    uint32_t sense = 0;
    uint32_t first = hart * (ROWS / HARTS), last = first + ROWS / HARTS;
    if (hart == 0)
        first = 1;
    if (hart == HARTS - 1)
        last = ROWS - 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        relax(grids[step % 2], grids[1 - step % 2], first, last);
        barrier_wait(&meeting, &sense);
    }
}

static void fill(uint32_t (*grid)[WIDTH])
{
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < WIDTH; column++)
            grid[row][column] = (row * 2654435761u) ^ (column * 40503u) >> 8;
}

int main(void)
{
    fill(grids[0]);
    fill(grids[1]);
    harts_run(work);
    uint32_t sum = 0;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < WIDTH; column++)
            sum += grids[STEPS % 2][row][column];
    // Once more, by one hart.
    fill(grids[1 - STEPS % 2]);
    fill(grids[2]);
    uint32_t (*from)[WIDTH] = grids[1 - STEPS % 2], (*to)[WIDTH] = grids[2];
    for (uint32_t step = 0; step < STEPS; step++) {
        relax(from, to, 1, ROWS - 1);
        uint32_t (*next)[WIDTH] = from;
        from = to;
        to = next;
    }
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < WIDTH; column++)
            sum -= from[row][column];
    if (sum != 0)
        return 1;
    printf("%u steps, the sum is %08x\n", STEPS, from[ROWS / 2][WIDTH / 2]);
    return 0;
}
