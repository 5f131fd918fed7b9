// The whole runtime that a program sees. There is no libc: what is not here does not exist.

#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Leaves the machine through the test finisher: 0 is "pass", anything else "fail" with that code.
void exit_with(uint32_t code) __attribute__((noreturn));

// Console.
void console_put(char c);
char console_get(void); // waits for a byte
void print(const char *text);
// %d %u %x %s %c %%, with an optional width and leading zero (%08x). Numbers are 32 bits wide,
// int32_t and uint32_t included, so the compiler is not asked to check the format.
void printf(const char *format, ...);

// Memory and strings, as in C.
void *memset(void *to, int byte, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
int memcmp(const void *left, const void *right, size_t size);
size_t strlen(const char *text);
int strcmp(const char *left, const char *right);

// A heap without headers: blocks lie side by side, and a freed block goes to the next request for
// the same size. Blocks are multiples of 8 bytes. A full heap is an assertion failure.
void *heap_alloc(size_t size);
void heap_free(void *block, size_t size);

// Traps. x[0] has no register to save, so its place holds the pc.
struct trap_frame {
    uint32_t x[32];
    uint32_t cause;
    uint32_t value;
    uint32_t status;
    uint32_t unused;
};
#define FRAME_PC 0
#define STATUS_MPP_MACHINE (3u << 11)

enum exception {
    INSTRUCTION_MISALIGNED = 0,
    INSTRUCTION_ACCESS_FAULT = 1,
    ILLEGAL_INSTRUCTION = 2,
    BREAKPOINT = 3,
    LOAD_MISALIGNED = 4,
    LOAD_ACCESS_FAULT = 5,
    STORE_MISALIGNED = 6,
    STORE_ACCESS_FAULT = 7,
    ECALL_FROM_USER = 8,
    ECALL_FROM_MACHINE = 11,
};

enum interrupt {
    SOFTWARE_INTERRUPT = 3,
    TIMER_INTERRUPT = 7,
    EXTERNAL_INTERRUPT = 11, // here: the DMA engine
};

typedef void (*trap_handler)(struct trap_frame *frame);

// A trap without a handler is reported on the console and ends the run with code 128 + cause
// (160 + cause for an interrupt).
void on_exception(enum exception cause, trap_handler handler);
void on_interrupt(enum interrupt cause, trap_handler handler); // also enables that interrupt
void interrupts_enable(void);
void interrupts_disable(void);

// Starts `entry` in user mode on its own stack. Only a trap comes back.
void enter_user(void (*entry)(void), void *stack_top) __attribute__((noreturn));

// Timer. How fast it counts differs from board to board.
uint64_t timer_now(void);
void timer_set(uint64_t deadline); // the timer interrupt is pending from then on
void timer_off(void);

// Software interrupt of this hart.
void software_interrupt_set(bool pending);

// DMA engine (not in QEMU). Addresses and length are multiples of 4.
#define DMA_BUSY 1u
#define DMA_DONE 2u
#define DMA_ERROR 4u
void dma_start(void *to, const void *from, size_t size, bool interrupt);
uint32_t dma_status(void);
void dma_clear(void);

// GPIO (not in QEMU).
void gpio_write(uint32_t pins);
uint32_t gpio_output(void);
uint32_t gpio_read(void);

// Makes instructions that were written as data visible to the fetch.
static inline void fence_i(void)
{
#ifdef NO_FENCE_I
    __asm__ volatile("" ::: "memory");
#else
    __asm__ volatile("fence.i" ::: "memory");
#endif
}

#define csr_read(name)                                                                             \
    ({                                                                                             \
        uint32_t csr_value;                                                                        \
        __asm__ volatile("csrr %0, " #name : "=r"(csr_value));                                     \
        csr_value;                                                                                 \
    })
#define csr_write(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"(value) : "memory")
#define csr_set(name, bits) __asm__ volatile("csrs " #name ", %0" ::"r"(bits) : "memory")
#define csr_clear(name, bits) __asm__ volatile("csrc " #name ", %0" ::"r"(bits) : "memory")

// The breakpoint is in the asserting function itself, so that a crash report points at it.
void report_assertion(const char *file, int line, const char *condition);
#define assert(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            report_assertion(__FILE__, __LINE__, #condition);                                      \
            __asm__ volatile("ebreak");                                                            \
            __builtin_unreachable();                                                               \
        }                                                                                          \
    } while (0)

#endif
