// summary: AES-128 by tables made at the start: ECB test, CTR and CBC over 24 KB, 75 KB
// expect: exit pass
// build: -O2
// limit: 15000000
// console: FIPS-197 69c4e0d8 6a7b0430 d8cdb780 70b4c55a
// console: CTR 8d0b064c, CBC 40da8286

#include "random.h"
#include "runtime.h"

#define ROUNDS 10
#define TEXT 24576
#define BLOCKS (TEXT / 16)

struct block {
    uint32_t word[4]; // big-endian columns
};

static uint8_t sbox[256];
static uint8_t inverse_sbox[256];
static uint32_t encrypt_table[256];
static uint32_t decrypt_table[256];
static uint32_t round_keys[4 * (ROUNDS + 1)];
static uint32_t decrypt_keys[4 * (ROUNDS + 1)];
static struct block plain[BLOCKS];
static struct block secret[BLOCKS];
static struct block again[BLOCKS];

static uint8_t twice(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static uint8_t times(uint8_t x, uint8_t y)
{
    uint8_t product = 0;
    for (; y; y >>= 1, x = twice(x)) {
        product ^= y & 1 ? x : 0;
    }
    return product;
}

static uint32_t rotate(uint32_t word, int by)
{
    return by ? word >> by | word << (32 - by) : word;
}

static uint8_t byte(uint32_t word, int lane)
{
    return (uint8_t)(word >> (24 - 8 * lane));
}

static void make_tables(void)
{
    // p runs through all powers of 3, q through their inverses.
    uint8_t p = 1, q = 1;
    do {
        p ^= twice(p);
        q = times(q, 0xf6);
        uint8_t x = q;
        for (int i = 1; i < 5; i++) {
            x ^= (uint8_t)(q << i | q >> (8 - i));
        }
        sbox[p] = (uint8_t)(x ^ q ^ q ^ 0x63);
    } while (p != 1);
    sbox[0] = 0x63;
    for (int i = 0; i < 256; i++) {
        inverse_sbox[sbox[i]] = (uint8_t)i;
    }
    for (int i = 0; i < 256; i++) {
        uint8_t s = sbox[i], t = inverse_sbox[i];
        encrypt_table[i] = (uint32_t)twice(s) << 24 | s << 16 | s << 8 | (twice(s) ^ s);
        decrypt_table[i] = (uint32_t)times(t, 14) << 24 | times(t, 9) << 16 | times(t, 13) << 8 |
                           times(t, 11);
    }
}

static uint32_t substitute(uint32_t word)
{
    return (uint32_t)sbox[byte(word, 0)] << 24 | sbox[byte(word, 1)] << 16 |
           sbox[byte(word, 2)] << 8 | sbox[byte(word, 3)];
}

static void expand(const struct block *key)
{
    uint8_t constant = 1;
    for (int i = 0; i < 4; i++) {
        round_keys[i] = key->word[i];
    }
    for (int i = 4; i < 4 * (ROUNDS + 1); i++) {
        uint32_t word = round_keys[i - 1];
        if (i % 4 == 0) {
            word = substitute(rotate(word, 24)) ^ (uint32_t)constant << 24;
            constant = twice(constant);
        }
        round_keys[i] = round_keys[i - 4] ^ word;
    }
    for (int i = 0; i < 4 * (ROUNDS + 1); i++) {
        uint32_t word = round_keys[4 * (ROUNDS - i / 4) + i % 4];
        if (i >= 4 && i < 4 * ROUNDS) {
            uint32_t mixed = 0;
            for (int lane = 0; lane < 4; lane++) {
                mixed ^= rotate(decrypt_table[sbox[byte(word, lane)]], 8 * lane);
            }
            word = mixed;
        }
        decrypt_keys[i] = word;
    }
}

// One direction or the other: in which the columns that a row is taken from differ by `step`.
static inline struct block cipher(struct block in, const uint32_t *keys, const uint32_t *table,
                                  const uint8_t *box, int step)
{
    struct block out;
    for (int i = 0; i < 4; i++) {
        in.word[i] ^= *keys++;
    }
    for (int round = 1; round < ROUNDS; round++, in = out) {
        for (int i = 0; i < 4; i++) {
            out.word[i] = table[byte(in.word[i], 0)] ^
                          rotate(table[byte(in.word[(i + step) & 3], 1)], 8) ^
                          rotate(table[byte(in.word[(i + 2) & 3], 2)], 16) ^
                          rotate(table[byte(in.word[(i - step) & 3], 3)], 24) ^ *keys++;
        }
    }
    for (int i = 0; i < 4; i++) {
        out.word[i] = ((uint32_t)box[byte(in.word[i], 0)] << 24 |
                       box[byte(in.word[(i + step) & 3], 1)] << 16 |
                       box[byte(in.word[(i + 2) & 3], 2)] << 8 |
                       box[byte(in.word[(i - step) & 3], 3)]) ^
                      *keys++;
    }
    return out;
}

static struct block encrypt(struct block in)
{
    return cipher(in, round_keys, encrypt_table, sbox, 1);
}

static struct block decrypt(struct block in)
{
    return cipher(in, decrypt_keys, decrypt_table, inverse_sbox, -1);
}

static struct block xor_blocks(struct block a, const struct block *b)
{
    for (int i = 0; i < 4; i++) {
        a.word[i] ^= b->word[i];
    }
    return a;
}

static void counter_mode(struct block *to, const struct block *from)
{
    struct block counter = {{0xf0f1f2f3, 0xf4f5f6f7, 0xf8f9fafb, 0}};
    for (int i = 0; i < BLOCKS; i++) {
        to[i] = xor_blocks(encrypt(counter), &from[i]);
        counter.word[3]++;
    }
}

static uint32_t checksum(const struct block *blocks)
{
    uint32_t sum = 0;
    for (int i = 0; i < BLOCKS; i++) {
        for (int word = 0; word < 4; word++) {
            sum = rotate(sum, 5) ^ blocks[i].word[word];
        }
    }
    return sum;
}

int main(void)
{
    make_tables();
    expand(&(struct block){{0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f}});
    struct block test = encrypt((struct block){{0x00112233, 0x44556677, 0x8899aabb, 0xccddeeff}});
    printf("FIPS-197 %08x %08x %08x %08x\n", test.word[0], test.word[1], test.word[2],
           test.word[3]);
    test = decrypt(test);
    assert(test.word[0] == 0x00112233 && test.word[3] == 0xccddeeff);

    uint32_t seed = 123456789u;
    for (int i = 0; i < BLOCKS; i++) {
        for (int word = 0; word < 4; word++) {
            // Letters and spaces: text is what is usually enciphered.
            plain[i].word[word] = 0x20202020 | (next_random(&seed) & 0x47474747);
        }
    }
    counter_mode(secret, plain);
    uint32_t counter_sum = checksum(secret);
    counter_mode(again, secret);
    assert(memcmp(plain, again, TEXT) == 0);

    struct block last = {{0}};
    for (int i = 0; i < BLOCKS; i++) {
        last = secret[i] = encrypt(xor_blocks(last, &plain[i]));
    }
    for (int i = BLOCKS - 1; i >= 0; i--) {
        struct block zero = {{0}};
        again[i] = xor_blocks(decrypt(secret[i]), i ? &secret[i - 1] : &zero);
    }
    assert(memcmp(plain, again, TEXT) == 0);
    printf("CTR %08x, CBC %08x\n", counter_sum, checksum(secret));
    return 0;
}
