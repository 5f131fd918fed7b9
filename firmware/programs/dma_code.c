// summary: the DMA engine brings code overlays into one buffer, which is called between
// expect: exit pass
// runs-on: board
// limit: 60000
// console: double(21) = 42
// console: square(21) = 441
// console: negate(21) = -21
// console: double(21) = 42

#include "runtime.h"

typedef int32_t (*routine)(int32_t value);

// Routines that run at any address. Each fills one slot of overlays.
#define SLOT_WORDS 4
extern const uint32_t overlays[3][SLOT_WORDS];
__asm__(".section .rodata.overlays, \"a\", @progbits\n"
        ".align 4\n"
        ".globl overlays\n"
        ".type overlays, @object\n"
        "overlays:\n"
        "    slli a0, a0, 1\n    ret\n    nop\n    nop\n"
        "    mul a0, a0, a0\n    ret\n    nop\n    nop\n"
        "    neg a0, a0\n    ret\n    nop\n    nop\n"
        ".size overlays, . - overlays\n"
        ".text\n");

static uint32_t window[SLOT_WORDS] __attribute__((aligned(64)));

static routine bring(int slot)
{
    dma_start(window, overlays[slot], sizeof window, false);
    while (dma_status() & DMA_BUSY) {
    }
    dma_clear();
    fence_i();
    return (routine)window;
}

int main(void)
{
    printf("double(21) = %d\n", bring(0)(21));
    printf("square(21) = %d\n", bring(1)(21));
    printf("negate(21) = %d\n", bring(2)(21));
    printf("double(21) = %d\n", bring(0)(21));
    return 0;
}
