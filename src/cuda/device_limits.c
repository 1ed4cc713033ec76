/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/device_limits.h"
#include <string.h>

enum { KIB = 1024 };

static const struct {
    const char *name;
    int capability;
    size_t shared_per_block, shared_per_multiprocessor;
} classes[] = {
    {"sm_75", 75, 64 * KIB, 64 * KIB},   {"sm_80", 80, 163 * KIB, 164 * KIB},
    {"sm_86", 86, 99 * KIB, 100 * KIB},  {"sm_89", 89, 99 * KIB, 100 * KIB},
    {"sm_90", 90, 227 * KIB, 228 * KIB},
};
enum { NUM_CLASSES = sizeof classes / sizeof classes[0] };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool device_limits_lower(struct device_limits *limits, const char *name)
{
    for (int c = 0; c < NUM_CLASSES; c++) {
        if (strcmp(classes[c].name, name) != 0)
            continue;
        limits->shared_per_block = smaller(limits->shared_per_block, classes[c].shared_per_block);
        limits->shared_per_multiprocessor =
            smaller(limits->shared_per_multiprocessor, classes[c].shared_per_multiprocessor);
        limits->tile_copies = limits->tile_copies && classes[c].capability >= 90;
        if (classes[c].capability < limits->capability)
            limits->capability = classes[c].capability;
        return true;
    }
    return false;
}

const char *device_limits_names(void)
{
    return "sm_75, sm_80, sm_86, sm_89, sm_90";
}
