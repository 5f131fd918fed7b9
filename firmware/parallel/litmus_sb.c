// summary: litmus test SB: both write, then both read the other's; not both may see nothing
// expect: exit pass
// harts: 2 4
// runs-on: board
// limit: 4000000
// console: SB: {*} of {*} saw nothing of the other, never both

#include "litmus.h"

LITMUS(SB)

static void test(uint32_t hart, uint32_t round)
{
    if (hart == 0) {
        store(&x, round);
        seen[0] = load(&y);
    } else if (hart == 1) {
        store(&y, round);
        seen[1] = load(&x);
    }
}

static enum outcome judge(uint32_t round)
{
    bool first = seen[0] == round, second = seen[1] == round;
    if (!first && !second)
        return FORBIDDEN;
    return first && second ? USUAL : INTERESTING;
}

static void say(void)
{
    printf("SB: %u of %u saw nothing of the other, never both\n", interesting, ROUNDS);
}
