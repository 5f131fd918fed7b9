// summary: a self-test that fails and says so with an exit code
// expect: exit fail 5
// cores: picorv32 serv ibex
// limit: 5000
// console: self-test: memory ok
// console: self-test: clock FAILED

#include "runtime.h"

enum { CLOCK_FAILED = 5 };

static volatile uint32_t pattern[16];

static bool memory_holds(void)
{
    for (uint32_t i = 0; i < 16; i++) {
        pattern[i] = i * 0x11111111u;
    }
    for (uint32_t i = 0; i < 16; i++) {
        if (pattern[i] != i * 0x11111111u) {
            return false;
        }
    }
    return true;
}

int main(void)
{
    printf("self-test: memory %s\n", memory_holds() ? "ok" : "FAILED");
    // This board has no calendar clock, so its test cannot pass.
    print("self-test: clock FAILED\n");
    return CLOCK_FAILED;
}
