// The memory and string functions that the compiler and the programs call.

#include "runtime.h"

void *memset(void *to, int byte, size_t size)
{
    uint8_t *cursor = to;
    while (size--) {
        *cursor++ = (uint8_t)byte;
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
    if ((((uintptr_t)to | (uintptr_t)from | size) & 3) == 0) {
        uint32_t *word_to = to;
        const uint32_t *word_from = from;
        for (; size; size -= 4) {
            *word_to++ = *word_from++;
        }
        return to;
    }
    uint8_t *byte_to = to;
    const uint8_t *byte_from = from;
    while (size--) {
        *byte_to++ = *byte_from++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *byte_to = to;
    const uint8_t *byte_from = from;
    if (byte_to <= byte_from) {
        while (size--) {
            *byte_to++ = *byte_from++;
        }
    } else {
        while (size--) {
            byte_to[size] = byte_from[size];
        }
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const uint8_t *byte_left = left;
    const uint8_t *byte_right = right;
    for (; size; size--, byte_left++, byte_right++) {
        if (*byte_left != *byte_right) {
            return *byte_left - *byte_right;
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    const char *end = text;
    while (*end) {
        end++;
    }
    return (size_t)(end - text);
}

int strcmp(const char *left, const char *right)
{
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return (uint8_t)*left - (uint8_t)*right;
}
