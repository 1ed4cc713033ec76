/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/ranges.h"
#include <stdbool.h>
#include <stdlib.h>
#include "base/check.h"
#include "base/library.h"
#include "base/nvtx.h"

enum { DEEPEST = 16 };

/* Caliper's functions for regions; both take the name. */
static struct {
    void (*begin)(const char *name);
    void (*end)(const char *name);
} caliper;

/* The ranges that are open, for Caliper. */
static const char *names[DEEPEST];
static int depth;

/* Caliper is loaded for who asks for its measurements, by the variable that tells it what to
 * measure. */
static bool load_caliper(void)
{
    static const char *const files[] = {"libcaliper.so", "libcaliper.so.2", NULL};
    const struct library_function functions[] = {{"cali_begin_region", &caliper.begin},
                                                 {"cali_end_region", &caliper.end}};
    if (!getenv("CALI_CONFIG"))
        return false;
    return library_load(files, functions, 2);
}

static bool has_caliper(void)
{
    static enum { NOT_TRIED, LOADED, ABSENT } state;
    if (state == NOT_TRIED)
        state = load_caliper() ? LOADED : ABSENT;
    return state == LOADED;
}

const char *ranges_complaint(void)
{
    return getenv("CALI_CONFIG") && !has_caliper()
               ? "CALI_CONFIG is set, but no libcaliper.so is found: Caliper measures nothing"
               : NULL;
}

void range_push(const char *name)
{
    nvtx_push(name);
    if (!has_caliper())
        return;
    CHECK(depth < DEEPEST);
    names[depth++] = name;
    caliper.begin(name);
}

void range_pop(void)
{
    nvtx_pop();
    if (!has_caliper())
        return;
    CHECK(depth > 0);
    caliper.end(names[--depth]);
}
