// summary: sorting, a checksum, matrices and a linked list, over and over: about 10 M instructions
// expect: exit pass
// build: -O2
// limit: 20000000
// console: done

#include "runtime.h"

#define KEYS 1024
#define SIDE 12
#define NODES 256
#define ROUNDS 24

static uint32_t keys[KEYS];
static uint32_t left_matrix[SIDE][SIDE], right_matrix[SIDE][SIDE], product[SIDE][SIDE];

struct node {
    struct node *next;
    uint32_t value;
};
static struct node nodes[NODES];

static uint32_t seed = 12345;

static uint32_t random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static void shell_sort(void)
{
    for (uint32_t gap = KEYS / 2; gap > 0; gap /= 2) {
        for (uint32_t i = gap; i < KEYS; i++) {
            uint32_t key = keys[i];
            uint32_t at = i;
            for (; at >= gap && keys[at - gap] > key; at -= gap) {
                keys[at] = keys[at - gap];
            }
            keys[at] = key;
        }
    }
}

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

static uint32_t multiply(void)
{
    uint32_t trace = 0;
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            uint32_t sum = 0;
            for (int k = 0; k < SIDE; k++) {
                sum += left_matrix[row][k] * right_matrix[k][column];
            }
            product[row][column] = sum;
        }
        trace += product[row][row];
    }
    return trace;
}

static uint32_t walk(void)
{
    struct node *head = NULL;
    for (int i = 0; i < NODES; i++) {
        struct node *node = &nodes[random() % NODES];
        if (node->value != seed) {
            node->value = random();
        }
        nodes[i].next = i > 0 ? &nodes[i - 1] : NULL;
        head = &nodes[i];
    }
    uint32_t sum = 0;
    for (int round = 0; round < 16; round++) {
        for (struct node *node = head; node; node = node->next) {
            sum += node->value;
        }
    }
    return sum;
}

int main(void)
{
    uint32_t result = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = random();
        }
        for (int i = 0; i < SIDE * SIDE; i++) {
            left_matrix[i / SIDE][i % SIDE] = random();
            right_matrix[i / SIDE][i % SIDE] = random();
        }
        shell_sort();
        result ^= checksum((const uint8_t *)keys, sizeof keys) + multiply() + walk();
    }
    print(result ? "done\n" : "done, and zero by chance\n");
    return 0;
}
