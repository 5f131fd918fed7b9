// summary: writes a log of 64 KB, finds its lines, fields and words, counts and checksums them
// expect: exit pass
// build: -O2
// limit: 15000000
// console: crc32 of "123456789" cbf43926
// console: 1390 lines, 8340 words, 19 different
// console: codes 175630, crc32 321dd8f6

#include "random.h"
#include "runtime.h"

#define TEXT 65536
#define WORDS 512
#define LONGEST 16

struct word {
    char text[LONGEST];
    uint32_t count;
};

static char text[TEXT + 1];
static struct word words[WORDS];
static uint32_t word_count;
static uint32_t crc_table[256];

static const char *const levels[] = {"debug", "info", "warning", "error"};
static const char *const subjects[] = {"motor", "valve", "heater", "pump", "fan", "radio", "disk"};
static const char *const verbs[] = {"started", "stopped", "stalled", "reports", "ignored"};

static char *append(char *at, const char *end, const char *what)
{
    while (*what && at < end) {
        *at++ = *what++;
    }
    return at;
}

static char *append_number(char *at, const char *end, uint32_t number)
{
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (count && at < end) {
        *at++ = digits[--count];
    }
    return at;
}

// Lines as `time=123 level=info motor 4 started code=17`.
static uint32_t write_log(void)
{
    uint32_t seed = 1999999973u;
    uint32_t time = 1000;
    uint32_t lines = 0;
    const char *end = text + TEXT;
    // A line needs at most 80 bytes.
    for (char *at = text; end - at > 80; lines++) {
        uint32_t random = next_random(&seed);
        time += random % 50;
        at = append_number(append(at, end, "time="), end, time);
        at = append(append(at, end, " level="), end, levels[(random >> 6 & 15) / 5]);
        at = append(append(at, end, " "), end, subjects[(random >> 10) % 7]);
        at = append_number(append(at, end, " "), end, random >> 13 & 7);
        at = append(append(at, end, " "), end, verbs[(random >> 16) % 5]);
        at = append_number(append(at, end, " code="), end, random >> 24);
        at = append(at, end, "\n");
        *at = 0;
    }
    return lines;
}

static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
        crc_table[i] = crc;
    }
}

static uint32_t crc32(const char *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;
    while (size--) {
        crc = crc >> 8 ^ crc_table[(crc ^ (uint8_t)*bytes++) & 0xff];
    }
    return ~crc;
}

// Finds the word or makes a place for it; binary search in a sorted table.
static struct word *look_up(const char *name)
{
    uint32_t low = 0, high = word_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = strcmp(name, words[middle].text);
        if (order == 0) {
            return &words[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    assert(word_count < WORDS);
    memmove(&words[low + 1], &words[low], (word_count - low) * sizeof *words);
    word_count++;
    memset(&words[low], 0, sizeof *words);
    memcpy(words[low].text, name, strlen(name) + 1);
    return &words[low];
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static uint32_t count_words(void)
{
    uint32_t total = 0;
    for (const char *at = text; *at;) {
        char name[LONGEST];
        size_t length = 0;
        while (is_letter(*at) && length < LONGEST - 1) {
            name[length++] = *at++;
        }
        if (length == 0) {
            at++;
            continue;
        }
        name[length] = 0;
        look_up(name)->count++;
        total++;
    }
    return total;
}

// Horspool's search; returns how often the pattern occurs.
static uint32_t occurrences(const char *pattern)
{
    static uint8_t shift[256];
    size_t length = strlen(pattern);
    size_t size = strlen(text);
    memset(shift, (int)length, sizeof shift);
    for (size_t i = 0; i + 1 < length; i++) {
        shift[(uint8_t)pattern[i]] = (uint8_t)(length - 1 - i);
    }
    uint32_t found = 0;
    for (size_t at = 0; at + length <= size; at += shift[(uint8_t)text[at + length - 1]]) {
        if (text[at + length - 1] == pattern[length - 1] &&
            memcmp(text + at, pattern, length) == 0) {
            found++;
        }
    }
    return found;
}

// Sum of the numbers after "code=", line by line.
static uint32_t sum_of_codes(void)
{
    uint32_t sum = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '=' && at[-1] == 'e' && at[-2] == 'd') {
            uint32_t code = 0;
            while (at[1] >= '0' && at[1] <= '9') {
                code = code * 10 + (uint32_t)(*++at - '0');
            }
            sum += code;
        }
    }
    return sum;
}

int main(void)
{
    make_crc_table();
    printf("crc32 of \"123456789\" %08x\n", crc32("123456789", 9));
    uint32_t lines = write_log();
    uint32_t total = count_words();
    printf("%u lines, %u words, %u different\n", lines, total, word_count);
    assert(look_up("time")->count == lines && look_up("level")->count == lines);
    for (int i = 0; i < 7; i++) {
        assert(occurrences(subjects[i]) == look_up(subjects[i])->count);
    }
    printf("codes %u, crc32 %08x\n", sum_of_codes(), crc32(text, strlen(text)));
    return 0;
}
