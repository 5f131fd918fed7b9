// summary: at shutdown a device is flushed that never said how
// expect: crash instruction-access-fault from flush_device
// stack: flush_device close_device shut_down main
// bug: make_sensor
// build: -O0
// limit: 60000
// console: opened flash
// console: opened probe
// console: opened modem
// console: written 24 records
// console: closing modem
// console: closing probe
// console: trap: instruction access fault (mcause 1) at 00000000, value 00000000

#include "runtime.h"

#define DEVICES 3
#define ROUNDS 8

struct device;
struct operations {
    void (*open)(struct device *device);
    void (*write)(struct device *device, uint32_t record);
    void (*flush)(struct device *device);
};

struct device {
    struct operations operations;
    const char *name;
    uint32_t pending;
    uint32_t checksum;
};

static struct device devices[DEVICES];

static void open_any(struct device *device)
{
    device->pending = 0;
    device->checksum = 1;
    printf("opened %s\n", device->name);
}

static void write_any(struct device *device, uint32_t record)
{
    for (int shift = 0; shift < 32; shift += 8) {
        device->checksum = (device->checksum * 31 + (record >> shift & 0xff)) % 65521;
    }
    device->pending++;
}

static void flush_any(struct device *device)
{
    device->pending = 0;
}

static void make_storage(struct device *device, const char *name)
{
    device->name = name;
    device->operations = (struct operations){open_any, write_any, flush_any};
}

// The bug: sensors only had to be read when this was written, so flush was forgotten.
static void make_sensor(struct device *device, const char *name)
{
    device->name = name;
    device->operations.open = open_any;
    device->operations.write = write_any;
}

static uint32_t write_records(void)
{
    uint32_t written = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < DEVICES; i++) {
            devices[i].operations.write(&devices[i], round * 2654435761u);
            written++;
        }
    }
    return written;
}

static void flush_device(struct device *device)
{
    device->operations.flush(device);
}

static void close_device(struct device *device)
{
    printf("closing %s\n", device->name);
    if (device->pending) {
        flush_device(device);
    }
}

static void shut_down(void)
{
    for (int i = DEVICES - 1; i >= 0; i--) {
        close_device(&devices[i]);
    }
}

int main(void)
{
    make_storage(&devices[0], "flash");
    make_sensor(&devices[1], "probe");
    make_storage(&devices[2], "modem");
    for (int i = 0; i < DEVICES; i++) {
        devices[i].operations.open(&devices[i]);
    }
    printf("written %u records\n", write_records());
    shut_down();
    return 0;
}
