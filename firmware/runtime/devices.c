// Timer, software interrupt, DMA engine and GPIO.

#include "mmio.h"
#include "runtime.h"

uint64_t timer_now(void)
{
    // The two halves cannot be read at once: read again if the low half may have wrapped.
    uint32_t high, low;
    do {
        high = CLINT_MTIME_HIGH;
        low = CLINT_MTIME_LOW;
    } while (high != CLINT_MTIME_HIGH);
    return (uint64_t)high << 32 | low;
}

void timer_set(uint64_t deadline)
{
    // High half to "never" first, so that no half-written deadline has passed already.
    CLINT_MTIMECMP_HIGH = UINT32_MAX;
    CLINT_MTIMECMP_LOW = (uint32_t)deadline;
    CLINT_MTIMECMP_HIGH = (uint32_t)(deadline >> 32);
}

void timer_off(void)
{
    timer_set(UINT64_MAX);
}

void software_interrupt_set(bool pending)
{
    CLINT_MSIP = pending;
}

void dma_start(void *to, const void *from, size_t size, bool interrupt)
{
    DMA_SOURCE = (uint32_t)from;
    DMA_DESTINATION = (uint32_t)to;
    DMA_LENGTH = size;
    DMA_CONTROL = DMA_CONTROL_START | (interrupt ? DMA_CONTROL_INTERRUPT : 0);
}

uint32_t dma_status(void)
{
    return DMA_STATUS;
}

void dma_clear(void)
{
    DMA_STATUS = DMA_DONE;
}

void gpio_write(uint32_t pins)
{
    GPIO_OUTPUT = pins;
}

uint32_t gpio_output(void)
{
    return GPIO_OUTPUT;
}

uint32_t gpio_read(void)
{
    return GPIO_INPUT;
}
