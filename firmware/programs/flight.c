// summary: counts for a while, and fires the flight recorder's trigger when a sample is out of range
// expect: exit pass
// cores: picorv32
// limit: 60000
// console: sample 300 is out of range

#include "lookback.h"
#include "runtime.h"

enum { SAMPLES = 400, BAD = 300 };

// Where a test watches for writes; the start code does not clear it.
volatile uint32_t worst = 1;

static uint32_t sample(uint32_t number)
{
    return number == BAD ? 5000 : (number * 7919u) % 1000u;
}

int main(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t value = sample(i);
        sum += value;
        if (value > 999) {
            worst = value;
            lookback_trigger();
            printf("sample %u is out of range\n", i);
        }
    }
    return sum > 5000 && worst == 5000 ? 0 : 1;
}
