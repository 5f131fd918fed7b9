// PicoRV32's own interrupts: its instructions, and what its lines mean.

#ifndef IRQ_H
#define IRQ_H

#define TIMER_IRQ 0      // its own timer has run down
#define TRAP_IRQ 1       // ebreak, ecall, an illegal instruction
#define MISALIGNED_IRQ 2 // a misaligned access
#define EXCEPTION_IRQS 6

#ifdef __ASSEMBLER__

// Registers q0 to q3 are there for handlers alone; q0 holds the pc to go back to, q1 the lines.
    .macro getq to, from
    .insn r 0x0b, 4, 0, \to, x\from, zero
    .endm
    .macro setq to, from
    .insn r 0x0b, 2, 1, x\to, \from, zero
    .endm
    .macro retirq
    .insn r 0x0b, 0, 2, zero, zero, zero
    .endm
    .macro maskirq old, new
    .insn r 0x0b, 6, 3, \old, \new, zero
    .endm

#else

#include <stdint.h>

// Sets which lines are shut out; gives what was set before.
static inline uint32_t maskirq(uint32_t mask)
{
    uint32_t old;
    __asm__ volatile(".insn r 0x0b, 6, 3, %0, %1, zero" : "=r"(old) : "r"(mask) : "memory");
    return old;
}

// Waits until a line is active; gives all that are.
static inline uint32_t waitirq(void)
{
    uint32_t lines;
    __asm__ volatile(".insn r 0x0b, 4, 4, %0, zero, zero" : "=r"(lines) : : "memory");
    return lines;
}

// Sets the clock cycles after which the timer's line is active, 0 for never; gives what was left.
static inline uint32_t timer(uint32_t cycles)
{
    uint32_t left;
    __asm__ volatile(".insn r 0x0b, 6, 5, %0, %1, zero" : "=r"(left) : "r"(cycles) : "memory");
    return left;
}

#endif
#endif
