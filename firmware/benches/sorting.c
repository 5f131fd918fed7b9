// summary: quicksort, heap sort and a stable merge sort of records, 196 KB
// expect: exit pass
// build: -O2
// limit: 15000000
// console: quicksort of 16384 keys: 5f2a8bab
// console: heap sort agrees
// console: merge sort of 4096 records is stable

#include "random.h"
#include "runtime.h"

#define KEYS 16384
#define RECORDS 4096
#define SMALL 12

struct record {
    uint32_t key;
    uint32_t arrival;
};

static uint32_t keys[KEYS];
static uint32_t copy[KEYS];
static struct record records[RECORDS];
static struct record scratch[RECORDS];

static void insertion_sort(uint32_t *from, uint32_t *to)
{
    for (uint32_t *at = from + 1; at < to; at++) {
        uint32_t key = *at;
        uint32_t *hole = at;
        for (; hole > from && hole[-1] > key; hole--) {
            *hole = hole[-1];
        }
        *hole = key;
    }
}

static uint32_t median(uint32_t a, uint32_t b, uint32_t c)
{
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    return c < a ? a : c > b ? b : c;
}

// Sorts [from, to); the larger half is left to the loop, so that the stack stays small.
static void quicksort(uint32_t *from, uint32_t *to)
{
    while (to - from > SMALL) {
        uint32_t pivot = median(*from, from[(to - from) / 2], to[-1]);
        uint32_t *left = from;
        uint32_t *right = to - 1;
        while (left <= right) {
            while (*left < pivot) {
                left++;
            }
            while (*right > pivot) {
                right--;
            }
            if (left <= right) {
                uint32_t swap = *left;
                *left++ = *right;
                *right-- = swap;
            }
        }
        if (right + 1 - from < to - left) {
            quicksort(from, right + 1);
            from = left;
        } else {
            quicksort(left, to);
            to = right + 1;
        }
    }
    insertion_sort(from, to);
}

static void sift_down(uint32_t *heap, uint32_t at, uint32_t size)
{
    uint32_t key = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < size; at = child) {
        if (child + 1 < size && heap[child + 1] > heap[child]) {
            child++;
        }
        if (heap[child] <= key) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = key;
}

static void heap_sort(uint32_t *heap, uint32_t size)
{
    for (uint32_t at = size / 2; at-- > 0;) {
        sift_down(heap, at, size);
    }
    while (size > 1) {
        size--;
        uint32_t largest = heap[0];
        heap[0] = heap[size];
        heap[size] = largest;
        sift_down(heap, 0, size);
    }
}

static void merge(struct record *to, const struct record *left, size_t lefts,
                  const struct record *right, size_t rights)
{
    while (lefts && rights) {
        if (right->key < left->key) {
            *to++ = *right++;
            rights--;
        } else {
            *to++ = *left++;
            lefts--;
        }
    }
    for (; lefts; lefts--) {
        *to++ = *left++;
    }
    for (; rights; rights--) {
        *to++ = *right++;
    }
}

// Bottom up, from one array into the other and back; RECORDS is a power of 4.
static void merge_sort(void)
{
    struct record *from = records;
    struct record *to = scratch;
    for (size_t run = 1; run < RECORDS; run *= 2) {
        for (size_t at = 0; at < RECORDS; at += 2 * run) {
            merge(to + at, from + at, run, from + at + run, run);
        }
        struct record *swap = from;
        from = to;
        to = swap;
    }
    assert(from == records);
}

int main(void)
{
    uint32_t seed = 2463534242u;
    for (int i = 0; i < KEYS; i++) {
        keys[i] = copy[i] = next_random(&seed);
    }
    quicksort(keys, keys + KEYS);
    uint32_t sum = 0;
    for (int i = 0; i < KEYS; i++) {
        assert(i == 0 || keys[i - 1] <= keys[i]);
        sum = sum * 31 + keys[i];
    }
    printf("quicksort of %d keys: %08x\n", KEYS, sum);

    heap_sort(copy, KEYS);
    assert(memcmp(copy, keys, sizeof keys) == 0);
    print("heap sort agrees\n");

    for (int i = 0; i < RECORDS; i++) {
        // Few different keys, so that many are equal.
        records[i] = (struct record){next_random(&seed) % 500, (uint32_t)i};
    }
    merge_sort();
    for (int i = 1; i < RECORDS; i++) {
        const struct record *last = &records[i - 1];
        const struct record *this = &records[i];
        assert(last->key < this->key ||
               (last->key == this->key && last->arrival < this->arrival));
    }
    printf("merge sort of %d records is stable\n", RECORDS);
    return 0;
}
