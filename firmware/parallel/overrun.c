// summary: one hart writes past its buffer, another one jumps through what lay behind it
// expect: crash instruction-access-fault from dispatch
// stack: dispatch work harts_run main
// bug: receive
// harts: 2 4
// limit: 2000000
// console: trap: instruction access fault (mcause 1) at {*}, value {*}

#include "harts.h"

typedef void (*handler)(uint32_t value);

static struct {
    volatile uint8_t packet[32];
    handler volatile on_packet;
} port;

static volatile uint32_t received, seen;

static void count(uint32_t value)
{
    seen += value;
}

// The length comes from outside and is not checked.
static void receive(uint32_t length)
{
    for (uint32_t at = 0; at < length; at++)
        port.packet[at] = 0xa0 + at;
    received++;
}

__attribute__((noinline)) static void dispatch(uint32_t packet)
{
    port.on_packet(packet);
    __asm__ volatile(""); // a call, not a jump
}

static void work(uint32_t hart)
{
    if (hart == 1) {
        for (uint32_t packet = 1; packet <= 20; packet++) {
            receive(packet < 20 ? packet : 36);
            idle(20);
        }
    }
    if (hart != 0)
        return;
    uint32_t done = 0;
    while (done < 20)
        if (received > done)
            dispatch(++done);
}

int main(void)
{
    port.on_packet = count;
    harts_run(work);
    return 1;
}
