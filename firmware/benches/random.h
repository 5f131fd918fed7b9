// Numbers that look random and are the same in every run.

#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

// Marsaglia's xorshift; the state must not be 0.
static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

#endif
