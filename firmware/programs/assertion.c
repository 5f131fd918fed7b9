// summary: a ledger loses a cent in one transfer; the audit at the end of the day finds it
// expect: crash breakpoint in audit
// stack: audit end_of_day main
// bug: transfer
// cores: picorv32 serv ibex picorv32-c ibex-c
// limit: 60000
// console: day 1: 64 transfers, fees 0
// console: day 2: 64 transfers, fees 192
// console: firmware/programs/assertion.c:{*}: assertion failed: total == ledger.supply
// console: trap: breakpoint (mcause 3) at {*}, value {*}

#include "runtime.h"

#define ACCOUNTS 8
#define TRANSFERS_A_DAY 64
#define DAYS 5

struct ledger {
    int32_t balance[ACCOUNTS];
    int32_t fees;
    int32_t supply;
};

static struct ledger ledger;
static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t range)
{
    random_state = random_state * 1103515245u + 12345u;
    return (random_state >> 16) % range;
}

static int32_t fee_for(int32_t amount, int day)
{
    return day < 2 ? 0 : day == 2 ? 3 : amount / 100;
}

static void transfer(uint32_t from, uint32_t to, int32_t amount, int day)
{
    int32_t fee = fee_for(amount, day);
    if (ledger.balance[from] < amount) {
        return;
    }
    ledger.balance[from] -= amount;
    ledger.balance[to] += amount - fee;
    // The bug: a fee of one is taken for "no fee" and never booked.
    if (fee > 1) {
        ledger.fees += fee;
    }
}

static void trade(int day)
{
    for (int i = 0; i < TRANSFERS_A_DAY; i++) {
        uint32_t from = random_below(ACCOUNTS);
        uint32_t to = random_below(ACCOUNTS);
        bool small_one = day == 3 && i == 5;
        transfer(from, to, small_one ? 150 : 200 + (int32_t)random_below(250), day);
    }
}

static void audit(void)
{
    int32_t total = ledger.fees;
    for (int i = 0; i < ACCOUNTS; i++) {
        total += ledger.balance[i];
    }
    assert(total == ledger.supply);
}

static void end_of_day(int day)
{
    audit();
    printf("day %d: %d transfers, fees %d\n", day, TRANSFERS_A_DAY, ledger.fees);
}

int main(void)
{
    for (int i = 0; i < ACCOUNTS; i++) {
        ledger.balance[i] = 100000;
        ledger.supply += ledger.balance[i];
    }
    for (int day = 1; day <= DAYS; day++) {
        trade(day);
        end_of_day(day);
    }
    return 0;
}
