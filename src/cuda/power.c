/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, numbers and bits are those of NVML's API reference; its header is not needed to build. */
#include "cuda/power.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include "base/check.h"
#include "base/library.h"
#include "base/timer.h"

enum { CLOCK_OF_MULTIPROCESSORS = 1, SAMPLE_NANOSECONDS = 20000000 };
/* The counter of energy proceeds in steps of up to 0.1 s. */
#define MIN_SECONDS 1.0

static struct {
    struct power_library library;
    void *device;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool ends, counts_energy;
    double began;
    unsigned long long millijoules;
    struct power_record record;
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

bool power_load(struct power_library *library)
{
    static const char *const files[] = {"libnvidia-ml.so.1", NULL};
    const struct library_function functions[] = {
        {"nvmlInit_v2", &library->init},
        {"nvmlShutdown", &library->shutdown},
        {"nvmlDeviceGetHandleByPciBusId_v2", &library->by_bus_id},
        {"nvmlDeviceGetClockInfo", &library->clock},
        {"nvmlDeviceGetCurrentClocksThrottleReasons", &library->reasons},
        {"nvmlDeviceGetTotalEnergyConsumption", &library->energy},
    };
    return library_load(files, functions, (int)(sizeof functions / sizeof functions[0]));
}

static void take_sample(void)
{
    struct power_record *r = &watch.record;
    unsigned mhz;
    unsigned long long bits;
    if (watch.library.clock(watch.device, CLOCK_OF_MULTIPROCESSORS, &mhz) != 0 ||
        watch.library.reasons(watch.device, &bits) != 0)
        return;
    r->slowest = r->samples == 0 || mhz < r->slowest ? mhz : r->slowest;
    r->fastest = mhz > r->fastest ? mhz : r->fastest;
    r->reasons |= bits;
    r->samples++;
}

/* The first sample comes after the first interval: before it the GPU may have been idle. */
static void *sample(void *unused)
{
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&watch.mutex);
    while (!watch.ends) {
        next.tv_nsec += SAMPLE_NANOSECONDS;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&watch.ended, &watch.mutex, &next) != 0 && !watch.ends)
            take_sample();
    }
    pthread_mutex_unlock(&watch.mutex);
    return unused;
}

bool power_begin(const struct power_library *library, const char *bus_id)
{
    if (library->init() != 0)
        return false;
    if (library->by_bus_id(bus_id, &watch.device) != 0) {
        library->shutdown();
        return false;
    }
    watch.library = *library;
    watch.ends = false;
    watch.record = (struct power_record){.joules = NAN};
    watch.counts_energy = library->energy(watch.device, &watch.millijoules) == 0;
    watch.began = timer_seconds();
    CHECK(pthread_create(&watch.thread, NULL, sample, NULL) == 0);
    return true;
}

struct power_record power_end(void)
{
    unsigned long long millijoules;
    const double seconds = timer_seconds() - watch.began;
    pthread_mutex_lock(&watch.mutex);
    watch.ends = true;
    pthread_cond_signal(&watch.ended);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    if (watch.counts_energy && seconds >= MIN_SECONDS &&
        watch.library.energy(watch.device, &millijoules) == 0)
        watch.record.joules = 1e-3 * (double)(millijoules - watch.millijoules);
    watch.library.shutdown();
    return watch.record;
}

const char *power_reasons_text(unsigned long long reasons, char text[POWER_TEXT_SIZE])
{
    static const struct {
        unsigned long long bit;
        const char *text;
    } words[] = {
        {0x2, "clocks set by the user"}, {0x4, "power cap"},
        {0x8, "hardware slowdown"},      {0x10, "clocks of a group"},
        {0x20, "temperature"},           {0x40, "temperature (hardware)"},
        {0x80, "power brake"},           {0x100, "clocks of a display"},
    };
    int length = 0;
    text[0] = '\0';
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        if (reasons & words[w].bit)
            length += snprintf(text + length, POWER_TEXT_SIZE - (size_t)length, "%s%s",
                               length > 0 ? ", " : "", words[w].text);
    return length > 0 ? text : "none";
}
