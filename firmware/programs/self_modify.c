// summary: writes, copies and patches its own instructions
// expect: exit pass
// build: -O1
// cores: picorv32 ibex picorv32-c ibex-c
// limit: 60000
// console: generated: 5 12 21 32
// console: copied: 4950 4950
// console: patched: 1 2 3 4 5 6

#include "runtime.h"

typedef uint32_t (*routine)(uint32_t value);

// Instructions as words.
#define ADDI_A0_A0(immediate) (0x00050513u | (uint32_t)(immediate) << 20)
#define LI_A0(immediate) (0x00000513u | (uint32_t)(immediate) << 20)
#define MUL_A0_A0_A1 0x02b50533u
#define MV_A1_A0 0x00050593u
#define RET 0x00008067u

// sum_below: 0 + 1 + … + (a0 - 1), at any address.
extern const uint32_t sum_below[];
extern const uint32_t sum_below_end[];
__asm__(".cfi_sections .debug_frame\n"
        ".section .text.sum_below, \"ax\", @progbits\n"
        ".align 2\n"
        ".type sum_below, @function\n"
        "sum_below:\n"
        "    .cfi_startproc\n"
        "    li a1, 0\n"
        "1:  beqz a0, 2f\n"
        "    addi a0, a0, -1\n"
        "    add a1, a1, a0\n"
        "    j 1b\n"
        "2:  mv a0, a1\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size sum_below, . - sum_below\n"
        "sum_below_end:\n"
        ".text\n");

static uint32_t code[16] __attribute__((aligned(64)));

// value * (value + addend), generated anew at the same address each time.
static uint32_t generated(uint32_t value, uint32_t addend)
{
    code[0] = MV_A1_A0;
    code[1] = ADDI_A0_A0(addend);
    code[2] = MUL_A0_A0_A1;
    code[3] = RET;
    fence_i();
    return ((routine)code)(value);
}

static uint32_t copied(uint32_t *place, uint32_t value)
{
    memcpy(place, sum_below, (uintptr_t)sum_below_end - (uintptr_t)sum_below);
    fence_i();
    return ((routine)place)(value);
}

// Two instructions of the program's own text that the program rewrites, a word each.
uint32_t patched(void);
__asm__(".section .text.patched, \"ax\", @progbits\n"
        ".align 2\n"
        ".globl patched\n"
        ".type patched, @function\n"
        "patched:\n"
        "    .cfi_startproc\n"
        "    .option push\n"
        "    .option norvc\n"
        "    li a0, 1\n"
        "    ret\n"
        "    .option pop\n"
        "    .cfi_endproc\n"
        ".size patched, . - patched\n"
        ".text\n");

static void patch(uint32_t value)
{
    *(volatile uint32_t *)patched = LI_A0(value);
    fence_i();
}

int main(void)
{
    print("generated:");
    for (uint32_t i = 1; i <= 4; i++) {
        printf(" %u", generated(i, 4));
    }
    // The second copy lies across what was executed as other instructions before.
    printf("\ncopied: %u", copied(code, 100));
    printf(" %u\npatched: %u", copied(code + 2, 100), patched());
    for (uint32_t i = 2; i <= 6; i++) {
        patch(i);
        printf(" %u", patched());
    }
    print("\n");
    return 0;
}
