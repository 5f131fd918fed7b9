// summary: litmus test CoRR: two reads of one word do not go back in time
// expect: exit pass
// harts: 2 4
// limit: 4000000
// console: CoRR: {*} of {*} saw the write between two reads, never backwards

#include "litmus.h"

LITMUS(CoRR)

static void test(uint32_t hart, uint32_t round)
{
    if (hart == 0) {
        store(&x, round);
    } else if (hart == 1) {
        seen[0] = load(&x);
        seen[1] = load(&x);
    }
}

static enum outcome judge(uint32_t round)
{
    bool first = seen[0] == round, second = seen[1] == round;
    if (first && !second)
        return FORBIDDEN;
    return second && !first ? INTERESTING : USUAL;
}

static void say(void)
{
    printf("CoRR: %u of %u saw the write between two reads, never backwards\n", interesting,
           ROUNDS);
}
