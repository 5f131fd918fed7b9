// summary: litmus test LB: both read, then both write; not both may see the other's
// expect: exit pass
// harts: 2 4
// limit: 4000000
// console: LB: {*} of {*} saw the other's, never both

#include "litmus.h"

LITMUS(LB)

static void test(uint32_t hart, uint32_t round)
{
    if (hart == 0) {
        seen[0] = load(&x);
        store(&y, round);
    } else if (hart == 1) {
        seen[1] = load(&y);
        store(&x, round);
    }
}

static enum outcome judge(uint32_t round)
{
    bool first = seen[0] == round, second = seen[1] == round;
    if (first && second)
        return FORBIDDEN;
    return first || second ? INTERESTING : USUAL;
}

static void say(void)
{
    printf("LB: %u of %u saw the other's, never both\n", interesting, ROUNDS);
}
