// summary: a closed session stays on the watch list; a packet moves into its memory
// expect: crash store-access-fault in touch
// stack: touch watch serve main
// bug: close_session
// build: -O2
// limit: 60000
// console: session 1 open
// console: session 2 open
// console: session 3 open
// console: session 2 closed
// console: trap: store access fault (mcause 7) at {*}, value {*}

#include "runtime.h"

#define WATCHED 4
#define CLOSE_AT 3
#define WATCH_EVERY 16
#define ROUNDS 64
#define PACKET_WORDS 6
#define RECENT 6

// As large as a packet, so that the heap gives its memory to one.
struct session {
    uint32_t *last_seen;
    uint32_t number;
    uint32_t seen[2];
    uint32_t received;
    uint32_t unused;
};

static struct session *sessions[WATCHED];
static struct session *watch_list[WATCHED];
static uint32_t *recent[RECENT]; // the last packets, kept for repetition
static uint32_t packets;
static uint32_t delivered;

static struct session *open_session(uint32_t number)
{
    struct session *session = heap_alloc(sizeof *session);
    *session = (struct session){.number = number};
    session->last_seen = &session->seen[0];
    sessions[number] = session;
    watch_list[number] = session;
    printf("session %u open\n", number);
    return session;
}

// The bug: watch_list still points to what is freed here.
static void close_session(uint32_t number)
{
    printf("session %u closed\n", number);
    heap_free(sessions[number], sizeof *sessions[number]);
    sessions[number] = 0;
}

static uint32_t checksum(const uint32_t *packet)
{
    uint32_t sum = 0;
    for (int i = 0; i < PACKET_WORDS; i++) {
        sum = (sum << 5 | sum >> 27) ^ packet[i];
    }
    return sum;
}

static void keep(uint32_t *packet)
{
    uint32_t **place = &recent[packets++ % RECENT];
    if (*place) {
        heap_free(*place, PACKET_WORDS * sizeof(uint32_t));
    }
    *place = packet;
}

// A packet: sequence number and length in bytes in its first word, then data.
static void deliver(struct session *session, uint32_t sequence)
{
    uint32_t *packet = heap_alloc(PACKET_WORDS * sizeof(uint32_t));
    packet[0] = (sequence + 0x100) << 16 | PACKET_WORDS * sizeof(uint32_t);
    for (uint32_t i = 1; i < PACKET_WORDS; i++) {
        packet[i] = packet[i - 1] * 1664525u + 1013904223u;
    }
    delivered += checksum(packet);
    session->received++;
    keep(packet);
}

static void touch(struct session *session, uint32_t now)
{
    *session->last_seen = now;
}

static __attribute__((noinline)) void watch(uint32_t now)
{
    for (int i = 0; i < WATCHED; i++) {
        if (watch_list[i]) {
            touch(watch_list[i], now);
        }
    }
}

static __attribute__((noinline)) void serve(uint32_t now)
{
    for (int i = 0; i < WATCHED; i++) {
        if (sessions[i]) {
            deliver(sessions[i], now);
        }
    }
    if (now == CLOSE_AT) {
        close_session(2);
    }
    if (now % WATCH_EVERY == WATCH_EVERY - 1) {
        watch(now);
    }
}

int main(void)
{
    for (uint32_t number = 1; number < WATCHED; number++) {
        open_session(number);
    }
    for (uint32_t now = 0; now < ROUNDS; now++) {
        serve(now);
    }
    printf("delivered %08x\n", delivered);
    return 0;
}
