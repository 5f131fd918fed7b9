// The first instructions of several harts: hart 0 begins as it does alone, the others wait for it.
//
// A hart that is not wanted sleeps until somebody sends it a software interrupt, and touches no
// memory before: the variables are not zeroed yet when it starts.

#define STACK_BYTES_SHIFT 12

    .cfi_sections .debug_frame

    .section .text.start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .cfi_startproc
    // Nobody called this: a call stack ends here.
    .cfi_undefined ra
    csrr a0, mhartid
    // Each hart has its own stack, one below the other.
    la sp, __stack_top
    slli t0, a0, STACK_BYTES_SHIFT
    sub sp, sp, t0
    la t0, trap_entry
    csrw mtvec, t0
    // trap_entry takes 0 to mean "already on the machine's own stack".
    csrw mscratch, zero
    bnez a0, .Lwait
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
.Lwait:
    // Pending is enough to wake up: interrupts stay disabled.
    li t0, 8
    csrw mie, t0
.Lpark:
    wfi
    csrr t0, mip
    andi t0, t0, 8
    beqz t0, .Lpark
    csrr a0, mhartid
    call hart_called
    j .Lpark
    .cfi_endproc
    .size _start, . - _start
