/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuda/device_limits.h"
#include <string.h>

enum { KIB = 1024 };

static const struct {
    const char *name;
    struct device_limits limits;
} classes[] = {
    {"sm_80", {163 * KIB, false}},
    {"sm_86", {99 * KIB, false}},
    {"sm_89", {99 * KIB, false}},
    {"sm_90", {227 * KIB, true}},
};
enum { NUM_CLASSES = sizeof classes / sizeof classes[0] };

bool device_limits_lower(struct device_limits *limits, const char *name)
{
    for (int c = 0; c < NUM_CLASSES; c++) {
        const struct device_limits *most = &classes[c].limits;
        if (strcmp(classes[c].name, name) != 0)
            continue;
        if (limits->shared_per_block > most->shared_per_block)
            limits->shared_per_block = most->shared_per_block;
        limits->tile_copies = limits->tile_copies && most->tile_copies;
        return true;
    }
    return false;
}

const char *device_limits_names(void)
{
    return "sm_80, sm_86, sm_89, sm_90";
}
