// The first instructions on PicoRV32, which has no trap vector to set: interrupts begin 16 bytes
// behind the reset.

#include "irq.h"

    .cfi_sections .debug_frame

    .section .text.start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    // Nobody called this: a call stack ends here.
    .cfi_undefined ra
    j .Lreset
    .org 16
    j trap_entry
.Lreset:
    la sp, __stack_top
    // Exceptions come through, interrupts wait for interrupts_enable.
    li t0, ~EXCEPTION_IRQS
    maskirq zero, t0
    la t0, __bss_start
    la t1, __bss_end
    bgeu t0, t1, 2f
1:
    sw zero, 0(t0)
    addi t0, t0, 4
    bltu t0, t1, 1b
2:
    call main
    // What main returns is the exit status; exit_with does not return.
    call exit_with
    .cfi_endproc
    .size _start, . - _start
