// summary: reads a buffer over and over while the DMA engine overwrites it
// expect: exit pass
// runs-on: board
// limit: 60000
// console: old 01010101, new 5a5a5a5a
// console: no word was torn or went back
// console: done by interrupt, 3 transfers
// console: a transfer from nowhere: error

#include "runtime.h"

#define WORDS 64
#define OLD 0x01010101u
#define NEW 0x5a5a5a5au

static volatile uint32_t buffer[WORDS];
static uint32_t replacement[WORDS];
static volatile uint32_t completions;

static void on_dma(struct trap_frame *frame)
{
    (void)frame;
    completions++;
    dma_clear();
}

static void fill(volatile uint32_t *words, uint32_t value)
{
    for (int i = 0; i < WORDS; i++) {
        words[i] = value;
    }
}

// One pass over the buffer. `seen` keeps what each word was last time: a word may turn from old to
// new once, and is never anything else.
static bool pass_is_sound(uint32_t *seen)
{
    bool sound = true;
    for (int i = 0; i < WORDS; i++) {
        uint32_t value = buffer[i];
        sound = sound && (value == NEW || (value == OLD && seen[i] == OLD));
        seen[i] = value;
    }
    return sound;
}

static bool race_with_dma(void)
{
    static uint32_t seen[WORDS];
    bool sound = true;
    uint32_t before = completions;
    fill(buffer, OLD);
    fill(seen, OLD);
    dma_start((void *)buffer, replacement, sizeof buffer, true);
    while (completions == before) {
        sound = pass_is_sound(seen) && sound;
    }
    // What the program wrote itself and read many times is now the engine's.
    sound = pass_is_sound(seen) && sound;
    return sound && memcmp(seen, replacement, sizeof seen) == 0;
}

int main(void)
{
    printf("old %08x, new %08x\n", OLD, NEW);
    fill(replacement, NEW);
    on_interrupt(EXTERNAL_INTERRUPT, on_dma);
    interrupts_enable();
    bool sound = true;
    for (int round = 0; round < 3; round++) {
        sound = race_with_dma() && sound;
    }
    print(sound ? "no word was torn or went back\n" : "a word was wrong\n");
    interrupts_disable();
    printf("done by interrupt, %u transfers\n", completions);

    dma_start((void *)buffer, (const void *)0x40, 16, false);
    while (dma_status() & DMA_BUSY) {
    }
    bool error = dma_status() & DMA_ERROR;
    printf("a transfer from nowhere: %s\n", error ? "error" : "no error");
    return sound && error ? 0 : 1;
}
