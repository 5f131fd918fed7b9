// summary: a user-mode task with system calls, a forbidden instruction and timer interrupts
// expect: exit pass
// limit: 60000
// console: entering user mode
// console: hello from user mode
// console: 6 * 7 = 42
// console: forbidden: 1
// console: interrupted in user mode
// console: back in machine mode, the task said 17

#include "runtime.h"

#define TICKS 2
#define TICK_LENGTH 1500
#define STATUS_MPP_MASK (3u << 11)

enum system_call {
    CALL_PRINT,
    CALL_MULTIPLY,
    CALL_FORBIDDEN, // how many forbidden instructions were tried
    CALL_TICKS,
    CALL_EXIT,
};

enum { A0 = 10, A1 = 11, A7 = 17, SP = 2 };

static uint8_t user_stack[1024] __attribute__((aligned(16)));
static uint8_t machine_stack[1024] __attribute__((aligned(16)));
static uint32_t forbidden;
static uint32_t user_ticks;

static uint32_t call(enum system_call number, uint32_t first, uint32_t second)
{
    register uint32_t a0 __asm__("a0") = first;
    register uint32_t a1 __asm__("a1") = second;
    register uint32_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a7) : "memory");
    return a0;
}

static void user_print(const char *text)
{
    call(CALL_PRINT, (uint32_t)text, 0);
}

static void user_print_number(const char *label, uint32_t value)
{
    char digits[3] = {(char)('0' + value / 10), (char)('0' + value % 10), 0};
    user_print(label);
    user_print(value < 10 ? digits + 1 : digits);
    user_print("\n");
}

static void try_forbidden(void)
{
    // Only machine mode may read this; the handler counts and steps over it.
    __asm__ volatile("csrr zero, mstatus");
}

static void user_main(void)
{
    user_print("hello from user mode\n");
    user_print_number("6 * 7 = ", call(CALL_MULTIPLY, 6, 7));
    try_forbidden();
    user_print_number("forbidden: ", call(CALL_FORBIDDEN, 0, 0));
    while (call(CALL_TICKS, 0, 0) < TICKS) {
    }
    user_print("interrupted in user mode\n");
    call(CALL_EXIT, 17, 0);
}

static void after_user(uint32_t status)
{
    printf("back in machine mode, the task said %u\n", status);
    exit_with(status == 17 ? 0 : 1);
}

static void leave_user(struct trap_frame *frame)
{
    frame->x[FRAME_PC] = (uint32_t)after_user;
    frame->x[SP] = (uint32_t)(machine_stack + sizeof machine_stack);
    frame->status |= STATUS_MPP_MACHINE;
}

static void on_call(struct trap_frame *frame)
{
    frame->x[FRAME_PC] += 4;
    uint32_t first = frame->x[A0];
    switch (frame->x[A7]) {
    case CALL_PRINT:
        print((const char *)first);
        break;
    case CALL_MULTIPLY:
        frame->x[A0] = first * frame->x[A1];
        break;
    case CALL_FORBIDDEN:
        frame->x[A0] = forbidden;
        break;
    case CALL_TICKS:
        frame->x[A0] = user_ticks;
        break;
    default:
        leave_user(frame);
    }
}

static void on_illegal(struct trap_frame *frame)
{
    assert((frame->status & STATUS_MPP_MASK) == 0);
    forbidden++;
    frame->x[FRAME_PC] += 4;
}

static void on_tick(struct trap_frame *frame)
{
    // Machine-mode code runs with interrupts off, so this came from the task.
    assert((frame->status & STATUS_MPP_MASK) == 0);
    if (++user_ticks < TICKS) {
        timer_set(timer_now() + TICK_LENGTH);
    } else {
        timer_off();
    }
}

int main(void)
{
    print("entering user mode\n");
    // One PMP region over everything: without any, user mode may touch nothing.
    csr_write(pmpaddr0, 0xffffffffu);
    csr_write(pmpcfg0, 0x1fu);
    on_exception(ECALL_FROM_USER, on_call);
    on_exception(ILLEGAL_INSTRUCTION, on_illegal);
    on_interrupt(TIMER_INTERRUPT, on_tick);
    timer_set(timer_now() + TICK_LENGTH);
    enter_user(user_main, user_stack + sizeof user_stack);
}
