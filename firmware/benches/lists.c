// summary: an allocator with coalescing under linked lists and a search tree, 128 KB of heap
// expect: exit pass
// build: -O2
// limit: 15000000
// console: 12000 blocks came and went
// console: list of 2500 sorted
// console: tree of 2500, height 24, sum 82683388
// console: the heap is whole again

#include "random.h"
#include "runtime.h"

#define HEAP 131072
#define HANDLES 600
#define CHURN 12000
#define NODES 2500

// A block's head: its size with the head, in bytes, and whether it is taken in bit 0. Free blocks
// are also in a list, in no order.
struct block {
    uint32_t size;
    uint32_t size_before; // of the block before in memory, 0 for the first
    struct block *next;
    struct block *last;
};
#define HEAD 8
#define TAKEN 1u
#define SMALLEST sizeof(struct block)

// The head that ends the heap is seen as a whole block, too, so there is room for one.
static uint8_t heap[HEAP + SMALLEST - HEAD] __attribute__((aligned(8)));
static struct block free_list; // a ring

static uint32_t size_of(const struct block *block)
{
    return block->size & ~TAKEN;
}

static struct block *after(struct block *block)
{
    return (struct block *)((uint8_t *)block + size_of(block));
}

static void link_free(struct block *block)
{
    block->next = free_list.next;
    block->last = &free_list;
    free_list.next->last = block;
    free_list.next = block;
}

static void unlink_free(struct block *block)
{
    block->last->next = block->next;
    block->next->last = block->last;
}

static void heap_begin(void)
{
    struct block *all = (struct block *)heap;
    free_list.next = free_list.last = &free_list;
    all->size = HEAP - HEAD;
    all->size_before = 0;
    // A head that is always taken ends the heap.
    after(all)->size = HEAD | TAKEN;
    after(all)->size_before = all->size;
    link_free(all);
}

static void *allocate(uint32_t size)
{
    size = (size + HEAD + 7) & ~7u;
    if (size < SMALLEST) {
        size = SMALLEST;
    }
    struct block *block = free_list.next;
    while (block->size < size) {
        assert(block != &free_list);
        block = block->next;
    }
    unlink_free(block);
    if (block->size >= size + SMALLEST) {
        uint32_t rest = block->size - size;
        block->size = size;
        struct block *tail = after(block);
        tail->size = rest;
        tail->size_before = size;
        after(tail)->size_before = rest;
        link_free(tail);
    }
    block->size |= TAKEN;
    return (uint8_t *)block + HEAD;
}

static void release(void *memory)
{
    struct block *block = (struct block *)((uint8_t *)memory - HEAD);
    assert(block->size & TAKEN);
    block->size &= ~TAKEN;
    if (!(after(block)->size & TAKEN)) {
        unlink_free(after(block));
        block->size += after(block)->size;
    }
    if (block->size_before) {
        struct block *before = (struct block *)((uint8_t *)block - block->size_before);
        if (!(before->size & TAKEN)) {
            unlink_free(before);
            before->size += block->size;
            block = before;
        }
    }
    after(block)->size_before = block->size;
    link_free(block);
}

static uint32_t seed = 3141592653u;

static void churn(void)
{
    static uint32_t *handles[HANDLES];
    for (int i = 0; i < CHURN; i++) {
        uint32_t random = next_random(&seed);
        uint32_t **handle = &handles[random % HANDLES];
        if (*handle) {
            uint32_t words = **handle & 0xff;
            assert((*handle)[words] == (**handle ^ words));
            release(*handle);
            *handle = NULL;
        } else {
            uint32_t words = 1 + (random >> 16) % 60;
            *handle = allocate(4 * (words + 1));
            **handle = (random & ~0xffu) | words;
            (*handle)[words] = **handle ^ words;
        }
    }
    for (int i = 0; i < HANDLES; i++) {
        if (handles[i]) {
            release(handles[i]);
        }
    }
    printf("%d blocks came and went\n", CHURN);
}

struct item {
    struct item *next;
    int32_t key;
};

static struct item *merge(struct item *left, struct item *right)
{
    struct item *head = NULL;
    struct item **end = &head;
    while (left && right) {
        struct item **from = right->key < left->key ? &right : &left;
        *end = *from;
        *from = (*from)->next;
        end = &(*end)->next;
    }
    *end = left ? left : right;
    return head;
}

static struct item *sort(struct item *list)
{
    if (!list || !list->next) {
        return list;
    }
    struct item *slow = list;
    for (struct item *fast = list->next; fast && fast->next; fast = fast->next->next) {
        slow = slow->next;
    }
    struct item *right = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(right));
}

struct node {
    struct node *child[2];
    int32_t key;
};

static uint32_t height(const struct node *node)
{
    if (!node) {
        return 0;
    }
    uint32_t left = height(node->child[0]);
    uint32_t right = height(node->child[1]);
    return 1 + (left > right ? left : right);
}

static uint32_t sum_and_release(struct node *node)
{
    if (!node) {
        return 0;
    }
    uint32_t sum = (uint32_t)node->key;
    sum += sum_and_release(node->child[0]);
    sum += sum_and_release(node->child[1]);
    release(node);
    return sum;
}

int main(void)
{
    heap_begin();
    churn();

    struct item *list = NULL;
    for (int i = 0; i < NODES; i++) {
        struct item *item = allocate(sizeof *item);
        *item = (struct item){list, (int32_t)(next_random(&seed) >> 16)};
        list = item;
    }
    struct node *root = NULL;
    for (struct item *item = list; item; item = item->next) {
        struct node **place = &root;
        while (*place) {
            place = &(*place)->child[item->key >= (*place)->key];
        }
        *place = allocate(sizeof **place);
        **place = (struct node){{NULL, NULL}, item->key};
    }
    // Ten times over: each round undoes the order by keys that depend on it.
    for (int round = 0; round < 10; round++) {
        list = sort(list);
        int count = 0;
        for (struct item *item = list; item; item = item->next, count++) {
            assert(!item->next || item->key <= item->next->key);
        }
        assert(count == NODES);
        for (struct item *item = list; item; item = item->next) {
            item->key = (int32_t)((uint32_t)item->key * 40503u >> 3 & 0xffff);
        }
    }
    printf("list of %d sorted\n", NODES);
    while (list) {
        struct item *item = list;
        list = list->next;
        release(item);
    }
    uint32_t levels = height(root);
    printf("tree of %d, height %u, sum %u\n", NODES, levels, sum_and_release(root));

    assert(free_list.next->size == HEAP - HEAD && free_list.next->next == &free_list);
    print("the heap is whole again\n");
    return 0;
}
