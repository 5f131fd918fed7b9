// summary: SHA-256 of 32 KB, a chain of hashes and a hash tree
// expect: exit pass
// build: -O2
// limit: 15000000
// console: abc ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad
// console: blob a4fec6ca 2534d602 485d13c2 14317932 c7143b1d e2222c05 d205f88c 4ca200c3
// console: chain 0a476a29 abba1c5a 2bf9ca6b 631b6acb 4bc73b41 397267e7 7eba4637 9db22657
// console: tree f9df3425 6364772f 3b0a3b7a 6a63f136 95f5fdfc b334be97 fcbc64c8 36ecbc30

#include "random.h"
#include "runtime.h"

#define BLOB 32768
#define LEAF 256
#define LEAVES (BLOB / LEAF)
#define CHAIN 500

struct digest {
    uint32_t word[8];
};

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint8_t blob[BLOB];
static struct digest tree[2 * LEAVES];

static uint32_t rotate(uint32_t value, int by)
{
    return value >> by | value << (32 - by);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void block(struct digest *state, const uint8_t *bytes)
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
        w[i] = big_endian(bytes + 4 * i);
    }
    for (int i = 16; i < 64; i++) {
        uint32_t early = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t late = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + early + w[i - 7] + late;
    }
    uint32_t a = state->word[0], b = state->word[1], c = state->word[2], d = state->word[3];
    uint32_t e = state->word[4], f = state->word[5], g = state->word[6], h = state->word[7];
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t first =
            h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + k[i] + w[i];
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) {
        state->word[i] += sums[i];
    }
}

static struct digest sha256(const uint8_t *bytes, size_t size)
{
    struct digest state = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                            0x1f83d9ab, 0x5be0cd19}};
    uint8_t last[128] = {0};
    size_t rest = size;
    for (; rest >= 64; rest -= 64, bytes += 64) {
        block(&state, bytes);
    }
    memcpy(last, bytes, rest);
    last[rest] = 0x80;
    size_t end = rest < 56 ? 64 : 128;
    for (int i = 0; i < 4; i++) {
        last[end - 1 - i] = (uint8_t)((uint32_t)size << 3 >> 8 * i);
    }
    for (size_t at = 0; at < end; at += 64) {
        block(&state, last + at);
    }
    return state;
}

static void show(const char *name, const struct digest *digest)
{
    print(name);
    for (int i = 0; i < 8; i++) {
        printf(" %08x", digest->word[i]);
    }
    print("\n");
}

int main(void)
{
    struct digest digest = sha256((const uint8_t *)"abc", 3);
    show("abc", &digest);

    uint32_t seed = 362436069u;
    for (int i = 0; i < BLOB; i++) {
        blob[i] = (uint8_t)(next_random(&seed) >> 24);
    }
    digest = sha256(blob, BLOB);
    show("blob", &digest);

    // Words are hashed as they lie in memory.
    for (int i = 0; i < CHAIN; i++) {
        digest = sha256((const uint8_t *)&digest, sizeof digest);
    }
    show("chain", &digest);

    for (int i = 0; i < LEAVES; i++) {
        tree[LEAVES + i] = sha256(blob + i * LEAF, LEAF);
    }
    for (int i = LEAVES - 1; i > 0; i--) {
        tree[i] = sha256((const uint8_t *)&tree[2 * i], 2 * sizeof *tree);
    }
    show("tree", &tree[1]);
    return 0;
}
