// summary: misaligned loads and stores, done by a trap handler where the hart does not do them
// expect: exit pass
// build: -O1
// limit: 60000
// console: lw  11223344 22334455 33445566 44556677
// console: lh  1122 2233 ffffee88
// console: lhu 1122 2233 ee88
// console: sw  00a1b2c3 d4000000
// console: sh  00f1e200

#include "runtime.h"

enum { LOAD = 0x03, STORE = 0x23 };
enum { BYTE_1 = 0, BYTES_2 = 1, BYTES_4 = 2, BYTES_2_UNSIGNED = 5 };

static uint32_t field(uint32_t instruction, int low, int bits)
{
    return instruction >> low & ((1u << bits) - 1);
}

static void emulate_load(struct trap_frame *frame, uint32_t instruction, const uint8_t *bytes)
{
    uint32_t kind = field(instruction, 12, 3);
    int size = kind == BYTES_4 ? 4 : 2;
    uint32_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint32_t)bytes[i] << 8 * i;
    }
    if (kind == BYTES_2) {
        value = (uint32_t)(int16_t)value;
    }
    uint32_t destination = field(instruction, 7, 5);
    if (destination) {
        frame->x[destination] = value;
    }
}

static void emulate_store(struct trap_frame *frame, uint32_t instruction, uint8_t *bytes)
{
    int size = field(instruction, 12, 3) == BYTES_4 ? 4 : 2;
    uint32_t value = frame->x[field(instruction, 20, 5)];
    for (int i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

static void on_misaligned(struct trap_frame *frame)
{
    uint32_t instruction = *(uint32_t *)frame->x[FRAME_PC];
    uint8_t *bytes = (uint8_t *)frame->value;
    if (field(instruction, 0, 7) == LOAD) {
        emulate_load(frame, instruction, bytes);
    } else {
        assert(field(instruction, 0, 7) == STORE);
        emulate_store(frame, instruction, bytes);
    }
    frame->x[FRAME_PC] += 4;
}

#define ACCESS_LOAD(name, address)                                                                 \
    ({                                                                                             \
        uint32_t loaded;                                                                           \
        __asm__ volatile(name " %0, 0(%1)" : "=r"(loaded) : "r"(address) : "memory");              \
        loaded;                                                                                    \
    })
#define ACCESS_STORE(name, address, value)                                                         \
    __asm__ volatile(name " %1, 0(%0)" ::"r"(address), "r"(value) : "memory")

static const uint8_t source[8] __attribute__((aligned(4))) = {
    0x44, 0x33, 0x22, 0x11, 0x88, 0xee, 0, 0,
};
static const uint8_t rising[8] __attribute__((aligned(4))) = {
    0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0,
};

int main(void)
{
    on_exception(LOAD_MISALIGNED, on_misaligned);
    on_exception(STORE_MISALIGNED, on_misaligned);
    printf("lw  %08x %08x %08x %08x\n", ACCESS_LOAD("lw", rising + 3), ACCESS_LOAD("lw", rising + 2),
           ACCESS_LOAD("lw", rising + 1), ACCESS_LOAD("lw", rising));
    printf("lh  %x %x %x\n", ACCESS_LOAD("lh", source + 2), ACCESS_LOAD("lh", source + 1),
           ACCESS_LOAD("lh", source + 4));
    printf("lhu %x %x %x\n", ACCESS_LOAD("lhu", source + 2), ACCESS_LOAD("lhu", source + 1),
           ACCESS_LOAD("lhu", source + 4));

    uint32_t words[2] = {0, 0};
    ACCESS_STORE("sw", (uint8_t *)words + 3, 0xa1b2c3d4);
    printf("sw  %08x %08x\n", words[1], words[0]);
    words[0] = 0;
    ACCESS_STORE("sh", (uint8_t *)words + 1, 0xf1e2);
    printf("sh  %08x\n", words[0]);
    return 0;
}
