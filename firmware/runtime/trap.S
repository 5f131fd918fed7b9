// Trap entry: saves every register in a struct trap_frame (runtime.h), calls trap_dispatch, and
// goes back to where the frame says, so that a handler may change anything.
//
// mscratch is 0 while the hart runs in machine mode, and the machine's stack pointer while it runs
// in user mode, whose own stack pointer cannot be trusted.

#define FRAME_SIZE 144
#define FRAME_PC 0
#define FRAME_SP 8
#define FRAME_CAUSE 128
#define FRAME_VALUE 132
#define FRAME_STATUS 136

// DWARF column of the interrupted pc: that of mepc. The ABI sets column 64 aside for it, but gdb 13
// does not know that one.
#define PC_COLUMN (4096 + 0x341)

    .cfi_sections .debug_frame

    .macro save number
    sw x\number, 4 * \number(sp)
    .cfi_offset \number, 4 * \number - FRAME_SIZE
    .endm

    .macro restore number
    lw x\number, 4 * \number(sp)
    .cfi_restore \number
    .endm

    .section .text.trap_entry, "ax", @progbits
    .align 2
    .globl trap_entry
    .type trap_entry, @function
trap_entry:
    .cfi_startproc
    .cfi_signal_frame
    .cfi_return_column PC_COLUMN
    .cfi_undefined PC_COLUMN
    .cfi_def_cfa sp, 0
    csrrw sp, mscratch, sp
    bnez sp, 1f
    csrr sp, mscratch
1:
    addi sp, sp, -FRAME_SIZE
    .cfi_def_cfa_offset FRAME_SIZE
    save 1
    .irp number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    save \number
    .endr
    .irp number, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    save \number
    .endr
    csrrw t0, mscratch, zero
    sw t0, FRAME_SP(sp)
    .cfi_offset sp, FRAME_SP - FRAME_SIZE
    csrr t0, mepc
    sw t0, FRAME_PC(sp)
    .cfi_offset PC_COLUMN, FRAME_PC - FRAME_SIZE
    csrr t0, mcause
    sw t0, FRAME_CAUSE(sp)
    csrr t0, mtval
    sw t0, FRAME_VALUE(sp)
    csrr t0, mstatus
    sw t0, FRAME_STATUS(sp)

    mv a0, sp
    call trap_dispatch

    lw t0, FRAME_PC(sp)
    csrw mepc, t0
    lw t0, FRAME_STATUS(sp)
    csrw mstatus, t0
#ifndef MACHINE_MODE_ONLY
    // mstatus.MPP: 0 means back to user mode, which needs mscratch set.
    srli t0, t0, 11
    andi t0, t0, 3
    bnez t0, 2f
    addi t0, sp, FRAME_SIZE
    csrw mscratch, t0
2:
#endif
    restore 1
    .irp number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    restore \number
    .endr
    .irp number, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    restore \number
    .endr
    lw sp, FRAME_SP(sp)
    .cfi_def_cfa sp, 0
    .cfi_restore sp
    mret
    .cfi_endproc
    .size trap_entry, . - trap_entry

// void enter_user(void (*entry)(void), void *stack_top): leaves machine mode for good; only a trap
// comes back.
    .section .text.enter_user, "ax", @progbits
    .globl enter_user
    .type enter_user, @function
enter_user:
    .cfi_startproc
    csrw mepc, a0
    csrw mscratch, sp
    li t0, 3 << 11
    csrc mstatus, t0
    mv sp, a1
    .cfi_undefined ra
    li ra, 0
    mret
    .cfi_endproc
    .size enter_user, . - enter_user
