// A heap as small systems have it: no headers, so nothing notices when a block is overrun.

#include "runtime.h"

#define HEAP_BYTES 4096
#define GRAIN 8
#define CLASSES 32

struct free_block {
    struct free_block *next;
};

static uint8_t heap[HEAP_BYTES] __attribute__((aligned(GRAIN)));
static size_t heap_used;
static struct free_block *freed[CLASSES + 1];

static size_t size_class(size_t size)
{
    return (size + GRAIN - 1) / GRAIN;
}

void *heap_alloc(size_t size)
{
    size_t class = size_class(size);
    if (class <= CLASSES && freed[class]) {
        struct free_block *block = freed[class];
        freed[class] = block->next;
        return block;
    }
    assert(heap_used + class * GRAIN <= HEAP_BYTES);
    void *block = heap + heap_used;
    heap_used += class * GRAIN;
    return block;
}

void heap_free(void *block, size_t size)
{
    size_t class = size_class(size);
    if (class <= CLASSES) {
        struct free_block *free_block = block;
        free_block->next = freed[class];
        freed[class] = free_block;
    }
}
