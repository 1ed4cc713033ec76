/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/meters.h"
#include <math.h>
#include "config/environment.h"
#include "cuda/cuda.h"
#include "cuda/power.h"

enum { REASONS = 16 }; /* bits */

/* The first of the ranks that share a GPU watches it. */
static enum { NOBODY, ANOTHER_RANK, THIS_RANK } watcher;

void meters_begin(bool on_gpu)
{
    static struct power_library library;
    static bool tried, loaded;
    const struct cuda_device *gpu = cuda_device();
    if (!tried)
        loaded = power_load(&library);
    tried = true;
    watcher = NOBODY;
    if (on_gpu && gpu && gpu_sharers().lower > 0)
        watcher = ANOTHER_RANK;
    else if (on_gpu && gpu && loaded && power_begin(&library, gpu->bus_id))
        watcher = THIS_RANK;
}

struct meters meters_end(MPI_Comm comm)
{
    const struct power_record r =
        watcher == THIS_RANK ? power_end() : (struct power_record){.joules = 0.0};
    const bool unknown = watcher == NOBODY || (watcher == THIS_RANK && r.samples == 0);
    double most[2 + REASONS] = {watcher == ANOTHER_RANK ? -INFINITY : -(double)r.slowest,
                                (double)r.fastest};
    double joules = watcher == NOBODY ? (double)NAN : r.joules;
    for (int bit = 0; bit < REASONS; bit++)
        most[2 + bit] = (double)(r.reasons >> bit & 1);
    comm_max_f64(comm, most, 2 + REASONS);
    comm_sum_f64(comm, &joules, 1);
    const bool known = comm_min_i64(comm, !unknown);
    const bool own = watcher == THIS_RANK && r.samples > 0;
    struct meters m = {
        .slowest = known ? -most[0] : (double)NAN,
        .fastest = known ? most[1] : (double)NAN,
        .joules = joules > 0.0 ? joules : (double)NAN,
        .own_slowest = own ? r.slowest : (double)NAN,
        .own_fastest = own ? r.fastest : (double)NAN,
    };
    for (int bit = 0; bit < REASONS; bit++)
        m.reasons |= (unsigned long long)most[2 + bit] << bit;
    return m;
}
