// summary: counters that nothing predicts, every way to write a CSR, and wfi
// expect: exit pass
// limit: 60000
// console: counters go forward
// console: csr instructions: 6 of 6
// console: software interrupt while waiting

#include "runtime.h"

static volatile bool rung;

static bool forward(uint32_t *last, uint32_t now)
{
    bool later = (int32_t)(now - *last) > 0;
    *last = now;
    return later;
}

static bool counters_go_forward(void)
{
    uint32_t cycles = csr_read(mcycle);
    uint32_t retired = csr_read(minstret);
    bool right = true;
    for (int i = 0; i < 20; i++) {
        right = forward(&cycles, i & 1 ? csr_read(cycle) : csr_read(mcycle)) && right;
        right = forward(&retired, i & 1 ? csr_read(instret) : csr_read(minstret)) && right;
    }
    return right;
}

#define CSR_SWAP(instruction, operand)                                                             \
    ({                                                                                             \
        uint32_t csr_old;                                                                          \
        __asm__ volatile(instruction " %0, mepc, %1" : "=r"(csr_old) : operand);                   \
        csr_old;                                                                                   \
    })

static int csr_instructions(void)
{
    // mepc, because the runtime keeps mscratch, and multiples of 4, which it keeps as they are.
    csr_write(mepc, 0x100u);
    int right = 0;
    right += CSR_SWAP("csrrw", "r"(0xf0u)) == 0x100;
    right += CSR_SWAP("csrrs", "r"(0x0cu)) == 0xf0;
    right += CSR_SWAP("csrrc", "r"(0x30u)) == 0xfc;
    right += CSR_SWAP("csrrwi", "i"(20)) == 0xcc;
    right += CSR_SWAP("csrrsi", "i"(8)) == 20;
    right += CSR_SWAP("csrrci", "i"(16)) == 28 && csr_read(mepc) == 12;
    return right;
}

static void on_software_interrupt(struct trap_frame *frame)
{
    (void)frame;
    software_interrupt_set(false);
    rung = true;
}

int main(void)
{
    bool forward = counters_go_forward();
    print(forward ? "counters go forward\n" : "a counter stood still\n");
    int right = csr_instructions();
    printf("csr instructions: %d of 6\n", right);

    // Pending but not taken: wfi goes on, and the interrupt comes when it is let through.
    on_interrupt(SOFTWARE_INTERRUPT, on_software_interrupt);
    software_interrupt_set(true);
    __asm__ volatile("wfi");
    bool early = rung;
    interrupts_enable();
    while (!rung) {
    }
    interrupts_disable();
    print(early ? "taken while disabled\n" : "software interrupt while waiting\n");
    return forward && right == 6 && !early ? 0 : 1;
}
