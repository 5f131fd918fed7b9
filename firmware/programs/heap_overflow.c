// summary: a weather station writes one sample past a buffer and dies in the next report
// expect: crash load-access-fault in to_physical
// stack: to_physical average report_sensor report main
// bug: store_sample
// limit: 60000
// console: station up, 4 sensors
// console: report at 60
// console:   temperature   215
// console:   humidity      486
// console:   pressure     1010
// console:   wind           37
// console: report at 120
// console:   temperature   215
// console: trap: load access fault (mcause 5) at {*}, value {*}

#include "runtime.h"

#define SENSORS 4
#define SAMPLES 16
#define FIRST_SECOND 41
#define LAST_SECOND 400
#define REPORT_EVERY 60

struct calibration {
    int32_t offset;
    int32_t gain; // in 1/4096
};

// A sample is a word: the second in the upper half, the converter's 12 bits above 4 bits that are
// 0 when the sample is good.
struct sensor {
    const struct calibration *calibration;
    const char *name;
    uint32_t *samples;
    uint32_t next;
    uint32_t stored;
    uint32_t level;
    uint32_t period; // seconds between two samples
};

static struct sensor *sensors[SENSORS];
static uint32_t noise_state = 2463534242u;

static uint32_t noise(uint32_t range)
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 17;
    noise_state ^= noise_state << 5;
    return noise_state % range;
}

// A median of three conversions, as the real converter's driver does it.
static uint32_t convert(const struct sensor *sensor)
{
    uint32_t low = sensor->level + noise(8);
    uint32_t middle = sensor->level + noise(8);
    uint32_t high = sensor->level + noise(8);
    if (low > middle) {
        uint32_t swap = low;
        low = middle;
        middle = swap;
    }
    if (middle > high) {
        middle = high;
    }
    return low > middle ? low : middle;
}

static struct sensor *create_sensor(const char *name, uint32_t level, uint32_t period,
                                    int32_t offset, int32_t gain)
{
    struct sensor *sensor = heap_alloc(sizeof *sensor);
    struct calibration *calibration = heap_alloc(sizeof *calibration);
    calibration->offset = offset;
    calibration->gain = gain;
    *sensor = (struct sensor){
        .calibration = calibration,
        .name = name,
        .samples = heap_alloc(SAMPLES * sizeof(uint32_t)),
        .level = level,
        .period = period,
    };
    return sensor;
}

static void store_sample(struct sensor *sensor, uint32_t sample)
{
    // The bug: position SAMPLES is outside already, so this must be >=. The word behind the
    // buffer is the calibration pointer of the sensor that was created next.
    if (sensor->next > SAMPLES) {
        sensor->next = 0;
    }
    sensor->samples[sensor->next++] = sample;
    if (sensor->stored < SAMPLES) {
        sensor->stored++;
    }
}

static void sample_due_sensors(uint32_t second)
{
    for (int i = 0; i < SENSORS; i++) {
        if (second % sensors[i]->period == 0) {
            store_sample(sensors[i], second << 16 | convert(sensors[i]) << 4);
        }
    }
}

static int32_t to_physical(const struct sensor *sensor, uint32_t raw)
{
    return ((int32_t)raw * sensor->calibration->gain >> 12) + sensor->calibration->offset;
}

static int32_t average(const struct sensor *sensor)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < sensor->stored; i++) {
        sum += to_physical(sensor, (sensor->samples[i] & 0xffff) >> 4);
    }
    return sum / (int32_t)sensor->stored;
}

static void report_sensor(const struct sensor *sensor)
{
    printf("  %s %5d\n", sensor->name, average(sensor));
}

static void report(uint32_t second)
{
    printf("report at %u\n", second);
    for (int i = 0; i < SENSORS; i++) {
        report_sensor(sensors[i]);
    }
}

int main(void)
{
    sensors[0] = create_sensor("temperature", 1640, 3, -400, 1535);
    sensors[1] = create_sensor("humidity   ", 1944, 5, 0, 1024);
    sensors[2] = create_sensor("pressure   ", 2090, 10, 300, 1390);
    sensors[3] = create_sensor("wind       ", 512, 4, 0, 300);
    printf("station up, %d sensors\n", SENSORS);

    for (uint32_t second = FIRST_SECOND; second < LAST_SECOND; second++) {
        sample_due_sensors(second);
        if (second % REPORT_EVERY == 0) {
            report(second);
        }
    }
    return 0;
}
