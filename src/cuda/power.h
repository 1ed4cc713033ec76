/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Clock, throttling and energy of a GPU over a span of time, by the driver's NVML library. It is
 * loaded at run time, and nothing needs it. */
#include <stdbool.h>
#include <stdint.h>
#include "base/linkage.h"

C_BEGIN

struct power_record {
    int samples;               /* of clock and reasons; 0: both unknown */
    unsigned slowest, fastest; /* clock of the multiprocessors, MHz */
    unsigned long long
        reasons;   /* why it was below the highest clock, NVML's bits, of all samples */
    double joules; /* NaN: not known, or the span is too short for the counter */
};

/* NVML's functions, in its own types; each returns 0 on success. */
struct power_library {
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_bus_id)(const char *bus_id, void **device);
    int (*clock)(void *device, int domain, unsigned *mhz);
    int (*reasons)(void *device, unsigned long long *bits);
    int (*energy)(void *device, unsigned long long *millijoules);
};

/* Finds the library's functions; false if this machine has none. */
bool power_load(struct power_library *library);

/* Begins to watch the GPU at this PCI address; false if the library does not know it. */
bool power_begin(const struct power_library *library, const char *bus_id);
/* Ends it. A thread has sampled the clock every 20 ms in between. */
struct power_record power_end(void);

/* The reasons in words, with commas between them; "none". Idleness is none. Returns text. */
enum { POWER_TEXT_SIZE = 160 };
const char *power_reasons_text(unsigned long long reasons, char text[POWER_TEXT_SIZE]);

C_END
