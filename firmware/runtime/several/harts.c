// Work for several harts: they are called by software interrupts, and counted when they are done.

#include "harts.h"
#include "mmio.h"

#define MSIP(hart) MMIO_WORD(0x02000000u + 4 * (hart))

static void (*volatile work_of_all)(uint32_t hart);
static volatile uint32_t done;

// A hart that was parked, after it was called.
void hart_called(uint32_t hart)
{
    MSIP(hart) = 0;
    // A write to a device need not have arrived when the next instruction asks.
    while (csr_read(mip) & 8)
        ;
    work_of_all(hart);
    fence();
    atomic_add(&done, 1);
}

void harts_run(void (*work)(uint32_t hart))
{
    done = 0;
    work_of_all = work;
    fence();
    for (uint32_t hart = 1; hart < HARTS; hart++)
        MSIP(hart) = 1;
    work(0);
    while (done != HARTS - 1)
        ;
    fence();
}

void lock(spin_lock *spin)
{
    while (atomic_swap(spin, 1))
        while (*spin)
            ;
}

void unlock(spin_lock *spin)
{
    fence();
    *spin = 0;
}

void barrier_wait(struct barrier *barrier, uint32_t *sense)
{
    *sense = !*sense;
    fence();
    if (atomic_add(&barrier->arrived, 1) == HARTS - 1) {
        barrier->arrived = 0;
        fence();
        barrier->sense = *sense;
    } else {
        while (barrier->sense != *sense)
            ;
    }
    fence();
}

void idle(uint32_t amount)
{
    while (amount--)
        __asm__ volatile("");
}
