// summary: litmus test IRIW: two write, two read in opposite orders; they agree who was first
// expect: exit pass
// harts: 4
// limit: 8000000
// console: IRIW: {*} of {*} saw one write only, never in both orders

#include "litmus.h"

LITMUS(IRIW)

static void test(uint32_t hart, uint32_t round)
{
    switch (hart) {
    case 0:
        store(&x, round);
        break;
    case 1:
        store(&y, round);
        break;
    case 2:
        seen[0] = load(&x);
        seen[1] = load(&y);
        break;
    default:
        seen[2] = load(&y);
        seen[3] = load(&x);
    }
}

static enum outcome judge(uint32_t round)
{
    bool x_first = seen[0] == round && seen[1] != round;
    bool y_first = seen[2] == round && seen[3] != round;
    if (x_first && y_first)
        return FORBIDDEN;
    return x_first || y_first ? INTERESTING : USUAL;
}

static void say(void)
{
    printf("IRIW: %u of %u saw one write only, never in both orders\n", interesting, ROUNDS);
}
