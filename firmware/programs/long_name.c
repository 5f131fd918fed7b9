// summary: a long name on a visitor's badge runs over the return address
// expect: crash instruction-access-fault from print_badge
// bug: copy_name
// limit: 60000
// console: +----------------+
// console: | Ada            | af4b
// console: +----------------+
// console: | Grace          | 557e
// console: +----------------+
// console: | Maria Josepha Amalia Anna Lidia| {*}
// console: +----------------+
// console: trap: instruction access fault (mcause 1) at 00616964, value {*}

#include "runtime.h"

#define BADGE_WIDTH 16
#define CHECK_ROUNDS 6

static const char *const visitors[] = {
    "Ada",
    "Grace",
    "Maria Josepha Amalia Anna Lidia",
    "Hedy",
};

// The bug: no bound. A badge has room for 15 letters.
static void copy_name(char *to, const char *from)
{
    while ((*to++ = *from++)) {
    }
}

static uint32_t check_round(const char *name, uint32_t check)
{
    for (; *name; name++) {
        check ^= (uint32_t)(uint8_t)*name << 8;
        for (int bit = 0; bit < 8; bit++) {
            check = check & 0x8000 ? check << 1 ^ 0x1021 : check << 1;
        }
    }
    return check & 0xffff;
}

// Slow on purpose: a badge must not be easy to forge.
static uint32_t check_number(const char *name)
{
    uint32_t check = 0xffff;
    for (int round = 0; round < CHECK_ROUNDS; round++) {
        check = check_round(name, check);
    }
    return check;
}

static void print_rule(void)
{
    console_put('+');
    for (int i = 0; i < BADGE_WIDTH; i++) {
        console_put('-');
    }
    print("+\n");
}

static void print_padded(const char *name)
{
    print("| ");
    print(name);
    for (uint32_t i = strlen(name); i < BADGE_WIDTH - 1; i++) {
        console_put(' ');
    }
}

// The three last letters of the long name and its end are what this returns to. It has a frame of its
// own at every optimisation level.
__attribute__((noinline)) static void print_badge(const char *visitor)
{
    char name[BADGE_WIDTH];
    copy_name(name, visitor);
    print_padded(name);
    printf("| %04x\n", check_number(name));
    print_rule();
}

static uint32_t welcome(const char *const *names, uint32_t count)
{
    uint32_t badges = 0;
    for (uint32_t i = 0; i < count; i++) {
        print_badge(names[i]);
        badges++;
    }
    return badges;
}

int main(void)
{
    print_rule();
    uint32_t badges = welcome(visitors, sizeof visitors / sizeof visitors[0]);
    printf("%u badges\n", badges);
    return 0;
}
