// summary: LZ77 compression with hash chains of 48 KB of text, and back, 172 KB
// expect: exit pass
// build: -O2
// limit: 15000000
// console: 49152 bytes to 22760
// console: the same again after decompression

#include "random.h"
#include "runtime.h"

#define TEXT 49152
#define WINDOW 8192
#define BUCKETS 4096
#define LONGEST 66
#define SHORTEST 3
#define TRIES 8
#define NONE 0xffffu

static uint8_t text[TEXT];
static uint8_t packed[TEXT];
static uint8_t unpacked[TEXT];
static uint16_t bucket[BUCKETS];
static uint16_t previous[WINDOW];

static const char *const words[] = {
    "sensor", "value", "the", "of", "error", "in", "channel", "temperature", "at", "and",
    "pressure", "is", "ready", "flash", "sector", "0x8000", "retry", "timeout", "ok", "boot",
    "received", "a", "packet", "from", "node", "queue", "full", "watchdog", "reset", "by",
};

static void write_text(void)
{
    uint32_t seed = 521288629u;
    for (size_t at = 0; at < TEXT;) {
        uint32_t random = next_random(&seed);
        // The smaller of two draws: some words are more common than others.
        uint32_t a = random % 30, b = (random >> 8) % 30;
        for (const char *c = words[a < b ? a : b]; *c && at < TEXT; c++) {
            text[at++] = (uint8_t)*c;
        }
        if (random >> 29 == 0) {
            for (int digit = 0; digit < 4 && at < TEXT; digit++) {
                text[at++] = '0' + (random >> (12 + 2 * digit)) % 10;
            }
        }
        if (at < TEXT) {
            text[at++] = random >> 28 == 15 ? '\n' : ' ';
        }
    }
}

static uint32_t hash(const uint8_t *at)
{
    return ((uint32_t)at[0] << 16 | at[1] << 8 | at[2]) * 2654435761u >> 20;
}

static void remember(size_t at)
{
    uint32_t slot = hash(text + at);
    previous[at % WINDOW] = bucket[slot];
    bucket[slot] = (uint16_t)at;
}

// The longest earlier copy of what stands at `at`; returns its length and sets where it is.
static size_t longest_match(size_t at, size_t *match)
{
    size_t limit = TEXT - at < LONGEST ? TEXT - at : LONGEST;
    size_t best = 0;
    uint32_t candidate = bucket[hash(text + at)];
    for (int tries = 0; tries < TRIES && candidate != NONE; tries++) {
        if (candidate + WINDOW <= at) {
            break;
        }
        size_t length = 0;
        while (length < limit && text[candidate + length] == text[at + length]) {
            length++;
        }
        if (length > best) {
            best = length;
            *match = candidate;
        }
        candidate = previous[candidate % WINDOW];
    }
    return best;
}

// Eight items share a byte of flags: a literal byte, or distance and length in 19 of 24 bits.
static size_t compress(void)
{
    size_t out = 0;
    size_t flags = 0;
    int item = 8;
    for (size_t at = 0; at < TEXT;) {
        if (item == 8) {
            flags = out++;
            packed[flags] = 0;
            item = 0;
        }
        size_t match = 0;
        size_t length = at + SHORTEST <= TEXT ? longest_match(at, &match) : 0;
        if (length > SHORTEST) {
            size_t distance = at - match;
            packed[flags] |= (uint8_t)(1 << item);
            packed[out++] = (uint8_t)distance;
            packed[out++] = (uint8_t)(distance >> 8);
            packed[out++] = (uint8_t)length;
        } else {
            length = 1;
            packed[out++] = text[at];
        }
        for (; length; length--, at++) {
            if (at + SHORTEST <= TEXT) {
                remember(at);
            }
        }
        item++;
    }
    return out;
}

static size_t decompress(size_t size)
{
    size_t out = 0;
    for (size_t in = 0; in < size;) {
        uint8_t flags = packed[in++];
        for (int item = 0; item < 8 && in < size; item++) {
            if (flags >> item & 1) {
                size_t distance = packed[in] | (size_t)packed[in + 1] << 8;
                for (size_t length = packed[in + 2]; length; length--, out++) {
                    unpacked[out] = unpacked[out - distance];
                }
                in += 3;
            } else {
                unpacked[out++] = packed[in++];
            }
        }
    }
    return out;
}

int main(void)
{
    write_text();
    memset(bucket, 0xff, sizeof bucket);
    size_t size = compress();
    printf("%d bytes to %d\n", TEXT, size);
    assert(size < TEXT / 2);
    assert(decompress(size) == TEXT && memcmp(text, unpacked, TEXT) == 0);
    print("the same again after decompression\n");
    return 0;
}
