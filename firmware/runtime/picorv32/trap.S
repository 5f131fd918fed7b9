// Interrupt entry on PicoRV32: as on other harts saves every register in a struct trap_frame,
// calls trap_dispatch, and goes back to where the frame says. The frame's cause is the active lines.

#include "irq.h"

#define FRAME_SIZE 144
#define FRAME_PC 0
#define FRAME_SP 8
#define FRAME_CAUSE 128

// Number of the DWARF column that the RISC-V ABI sets aside for the pc of an interrupted frame.
#define PC_COLUMN 64

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
    .cfi_def_cfa sp, 0
    setq 2, sp
    addi sp, sp, -FRAME_SIZE
    .cfi_def_cfa_offset FRAME_SIZE
    save 1
    .irp number, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    save \number
    .endr
    .irp number, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    save \number
    .endr
    getq t0, 2
    sw t0, FRAME_SP(sp)
    .cfi_offset sp, FRAME_SP - FRAME_SIZE
    getq t0, 0
    sw t0, FRAME_PC(sp)
    .cfi_offset PC_COLUMN, FRAME_PC - FRAME_SIZE
    getq t0, 1
    sw t0, FRAME_CAUSE(sp)

    mv a0, sp
    call trap_dispatch

    lw t0, FRAME_PC(sp)
    setq 0, t0
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
    retirq
    .cfi_endproc
    .size trap_entry, . - trap_entry
