// What programs for several harts have besides runtime.h. HARTS is how many a program is built for.

#ifndef HARTS_H
#define HARTS_H

#include "runtime.h"

// The hart that calls.
static inline uint32_t hart_id(void)
{
    return csr_read(mhartid);
}

// Calls `work` on all HARTS harts with their numbers, this one (which must be hart 0) included, and
// comes back when all of them are done.
void harts_run(void (*work)(uint32_t hart));

// Atomic instructions.
static inline uint32_t atomic_add(volatile uint32_t *word, uint32_t value)
{
    uint32_t old;
    __asm__ volatile("amoadd.w %0, %2, (%1)" : "=r"(old) : "r"(word), "r"(value) : "memory");
    return old;
}

static inline uint32_t atomic_swap(volatile uint32_t *word, uint32_t value)
{
    uint32_t old;
    __asm__ volatile("amoswap.w.aqrl %0, %2, (%1)" : "=r"(old) : "r"(word), "r"(value) : "memory");
    return old;
}

static inline __attribute__((always_inline)) uint32_t load_reserved(volatile uint32_t *word)
{
    uint32_t value;
    __asm__ volatile("lr.w.aqrl %0, (%1)" : "=r"(value) : "r"(word) : "memory");
    return value;
}

static inline __attribute__((always_inline)) bool store_conditional(volatile uint32_t *word,
                                                                    uint32_t value)
{
    uint32_t failed;
    __asm__ volatile("sc.w.aqrl %0, %2, (%1)" : "=&r"(failed) : "r"(word), "r"(value) : "memory");
    return failed == 0;
}

static inline void fence(void)
{
    __asm__ volatile("fence rw, rw" ::: "memory");
}

// A lock that spins; 0 is free.
typedef volatile uint32_t spin_lock;
void lock(spin_lock *spin);
void unlock(spin_lock *spin);

// All HARTS harts wait here for each other; each has its own `sense`, false at first.
struct barrier {
    volatile uint32_t arrived;
    volatile uint32_t sense;
};
void barrier_wait(struct barrier *barrier, uint32_t *sense);

// Some instructions without memory, as many as `amount` says: to come too late, or too early.
void idle(uint32_t amount);

#endif
