// summary: litmus test MP: a message and then a flag; who sees the flag sees the message
// expect: exit pass
// harts: 2 4
// limit: 4000000
// console: MP: {*} of {*} saw the message and not yet the flag

#include "litmus.h"

LITMUS(MP)

static void test(uint32_t hart, uint32_t round)
{
    if (hart == 0) {
        store(&x, round);
        store(&y, round);
    } else if (hart == 1) {
        seen[0] = load(&y);
        seen[1] = load(&x);
    }
}

static enum outcome judge(uint32_t round)
{
    bool flag = seen[0] == round, message = seen[1] == round;
    if (flag && !message)
        return FORBIDDEN;
    return message && !flag ? INTERESTING : USUAL;
}

static void say(void)
{
    printf("MP: %u of %u saw the message and not yet the flag\n", interesting, ROUNDS);
}
