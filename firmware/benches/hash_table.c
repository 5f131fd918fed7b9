// summary: a hash table of 8192 slots: inserts, look-ups, removals, growth, 196 KB
// expect: exit pass
// build: -O2
// limit: 15000000
// console: 5000 live, 3000 gone, longest probe 62
// console: 24000 look-ups: 15045 found
// console: sum ce092dd8

#include "random.h"
#include "runtime.h"

#define SLOTS 8192
#define SMALL_SLOTS 4096
#define PAIRS 8000
#define REMOVED 3000
#define LOOKUPS 24000

struct slot {
    uint32_t key; // 0: empty
    uint32_t value;
    uint32_t uses;
    uint32_t distance; // from the slot that its hash names
};

struct table {
    struct slot *slots;
    uint32_t mask;
    uint32_t live;
};

static struct slot small_slots[SMALL_SLOTS];
static struct slot large_slots[SLOTS];
static uint32_t longest_probe;

// Different for every i, and never 0.
static uint32_t key_of(uint32_t i)
{
    return (i + 1) * 2654435761u;
}

static uint32_t hash(uint32_t key)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return key ^ key >> 16;
}

// Robin Hood: whoever is farther from home gets the place.
static void insert(struct table *table, uint32_t key, uint32_t value)
{
    struct slot new = {key, value, 0, 0};
    uint32_t at = hash(key) & table->mask;
    for (;; at = (at + 1) & table->mask, new.distance++) {
        struct slot *slot = &table->slots[at];
        if (slot->key == 0) {
            *slot = new;
            table->live++;
            return;
        }
        if (slot->key == new.key) {
            slot->value = new.value;
            return;
        }
        if (slot->distance < new.distance) {
            struct slot swap = *slot;
            *slot = new;
            new = swap;
        }
        if (new.distance > longest_probe) {
            longest_probe = new.distance;
        }
    }
}

static struct slot *find(const struct table *table, uint32_t key)
{
    uint32_t at = hash(key) & table->mask;
    for (uint32_t distance = 0;; distance++, at = (at + 1) & table->mask) {
        struct slot *slot = &table->slots[at];
        if (slot->key == key) {
            slot->uses++;
            return slot;
        }
        if (slot->key == 0 || slot->distance < distance) {
            return NULL;
        }
    }
}

static bool erase(struct table *table, uint32_t key)
{
    struct slot *hole = find(table, key);
    if (!hole) {
        return false;
    }
    // Those behind move one place nearer to home.
    for (;;) {
        uint32_t next = (uint32_t)(hole - table->slots + 1) & table->mask;
        struct slot *slot = &table->slots[next];
        if (slot->key == 0 || slot->distance == 0) {
            break;
        }
        *hole = *slot;
        hole->distance--;
        hole = slot;
    }
    hole->key = 0;
    table->live--;
    return true;
}

static void grow(struct table *table, struct slot *slots, uint32_t count)
{
    struct table larger = {slots, count - 1, 0};
    for (uint32_t i = 0; i <= table->mask; i++) {
        if (table->slots[i].key) {
            insert(&larger, table->slots[i].key, table->slots[i].value);
        }
    }
    assert(larger.live == table->live);
    *table = larger;
}

int main(void)
{
    struct table table = {small_slots, SMALL_SLOTS - 1, 0};
    uint32_t found = 0;
    uint32_t sum = 0;
    uint32_t seed = 88172645u;
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (table.mask == SMALL_SLOTS - 1 && table.live > SMALL_SLOTS * 7 / 8) {
            grow(&table, large_slots, SLOTS);
        }
        insert(&table, key_of(i), i ^ 0x5aa5);
    }
    for (uint32_t i = 0; i < REMOVED; i++) {
        assert(erase(&table, key_of(i * 2)));
        assert(!erase(&table, key_of(i * 2)));
    }
    printf("%u live, %u gone, longest probe %u\n", table.live, REMOVED, longest_probe);
    for (uint32_t round = 0; round < LOOKUPS; round++) {
        uint32_t i = next_random(&seed) % PAIRS;
        struct slot *slot = find(&table, key_of(i));
        bool removed = i % 2 == 0 && i < 2 * REMOVED;
        assert(removed == !slot);
        if (slot) {
            assert(slot->value == (i ^ 0x5aa5));
            found++;
            sum = sum * 33 + slot->value + slot->uses;
        }
    }
    printf("%u look-ups: %u found\n", LOOKUPS, found);
    printf("sum %08x\n", sum);
    return 0;
}
