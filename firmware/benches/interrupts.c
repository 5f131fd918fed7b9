// summary: a timer samples into a ring; the main loop filters, scrubs memory and polls the clock
// expect: exit pass
// build: -O2
// limit: 15000000
// console: 2400 samples, sum f2b83f40
// console: nothing was lost

#include "random.h"
#include "runtime.h"

// Of the timer, whose speed differs from board to board: as many ticks on all.
#define PERIOD 10000
#define BATCH 4 // samples a tick
#define SAMPLES 2400
#define RING 256
#define TAPS 32
#define HISTORY 4096
#define SCRUBBED 6144
#define SCRUB_STEP 32

struct sample {
    uint32_t number;
    int32_t value;
};

static volatile struct sample ring[RING];
static volatile uint32_t produced;
static uint32_t consumed;
static volatile uint32_t lost;
static uint64_t deadline;
static uint32_t noise = 777767777u;
static int32_t level;

static int32_t history[HISTORY];
static int32_t filtered[HISTORY];
static uint32_t scrubbed[SCRUBBED];
static uint32_t scrub_at;

static const int16_t taps[TAPS] = {
    -3,  -6,  -8,  -4,  9,   33,  61,  79,  69,  17,  -73, -177, -244, -215, -41, 288,
    725, 1169, 1500, 1622, 1500, 1169, 725, 288, -41, -215, -244, -177, -73, 17, 69, 79,
};

// What a converter would deliver: a slow wave with noise on it.
static int32_t convert(void)
{
    level += (int32_t)(next_random(&noise) >> 24) - 128;
    return level;
}

static void tick(struct trap_frame *frame)
{
    (void)frame;
    for (int i = 0; i < BATCH; i++) {
        if (produced - consumed == RING) {
            lost++;
            continue;
        }
        volatile struct sample *sample = &ring[produced % RING];
        sample->number = produced;
        sample->value = convert();
        produced++;
    }
    if (produced < SAMPLES) {
        // From now, not from the last deadline: a slow machine must not fall behind for ever.
        deadline = timer_now() + PERIOD;
        timer_set(deadline);
    } else {
        timer_off();
    }
}

static int32_t filter(uint32_t at)
{
    int32_t sum = 0;
    for (uint32_t tap = 0; tap < TAPS; tap++) {
        sum += history[(at - tap) % HISTORY] * taps[tap];
    }
    return sum >> 14;
}

// Other work that the interrupt cuts into: a checksum over what was filtered.
static uint32_t background(uint32_t sum, uint32_t from)
{
    for (uint32_t i = 0; i < 16; i++) {
        sum = (sum << 5 | sum >> 27) ^ (uint32_t)filtered[(from - i) % HISTORY];
    }
    return sum;
}

// What a system does that has nothing to do: looks whether its memory still holds what it should.
// How often it comes round depends on the timer's speed.
static void scrub(void)
{
    for (uint32_t i = 0; i < SCRUB_STEP; i++, scrub_at++) {
        scrub_at %= SCRUBBED;
        assert(scrubbed[scrub_at] == scrub_at * 2654435761u);
    }
}

int main(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SCRUBBED; i++) {
        scrubbed[i] = i * 2654435761u;
    }
    on_interrupt(TIMER_INTERRUPT, tick);
    timer_set(timer_now() + PERIOD);
    interrupts_enable();
    while (consumed < SAMPLES) {
        uint64_t patience = timer_now() + PERIOD / 2;
        while (produced == consumed && timer_now() < patience) {
            scrub();
        }
        if (produced == consumed) {
            continue;
        }
        volatile struct sample *sample = &ring[consumed % RING];
        assert(sample->number == consumed);
        history[consumed % HISTORY] = sample->value;
        filtered[consumed % HISTORY] = filter(consumed);
        sum = background(sum, consumed);
        consumed++;
    }
    interrupts_disable();
    printf("%u samples, sum %08x\n", consumed, sum);
    assert(lost == 0);
    print("nothing was lost\n");
    return 0;
}
