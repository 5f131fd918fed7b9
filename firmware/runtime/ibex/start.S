// The first instructions on Ibex, whose trap vector is a table, one jump for each cause.

    .cfi_sections .debug_frame

    .section .text.start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    // Nobody called this: a call stack ends here.
    .cfi_undefined ra
    la sp, __stack_top
    la t0, vectors
    csrw mtvec, t0
    // trap_entry takes 0 to mean "already on the machine's own stack".
    csrw mscratch, zero
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

    .section .text.vectors, "ax", @progbits
    .align 8
    .type vectors, @function
vectors:
    .rept 32
    j trap_entry
    .endr
    .size vectors, . - vectors
