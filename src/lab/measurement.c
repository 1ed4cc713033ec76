/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/measurement.h"
#include <stdio.h>

struct measurement measure_work(const struct lab *lab, work_fn *work, void *data,
                                const struct ceilings *ceilings, const struct usage *usage)
{
    struct measurement m = {.usage = *usage};
    m.seconds = time_work(lab->backend, TIMED_BY_BACKEND, work, data, (int)lab->options.samples);
    m.shares = shares_of(ceilings, usage, m.seconds.median);
    if (lab->backend->on_device)
        m.nlaunches = gpu_kernels_of(work, data, m.launches, MAX_LAUNCHES);
    return m;
}

void measurement_print(const struct measurement *m)
{
    limiter_print(&m->shares);
    for (int i = 0; i < m->nlaunches; i++) {
        const struct gpu_kernel *k = &m->launches[i];
        printf("      %s: %d x %ld blocks of %d threads, %d registers, %d bytes shared, %d local, "
               "occupancy %.0f %%\n",
               k->name, k->launches, k->blocks, k->threads, k->registers, k->shared_bytes,
               k->local_bytes, 100.0 * k->occupancy);
    }
    fflush(stdout);
}

static void add_launch(struct json *launch, const struct gpu_kernel *k)
{
    json_add_text(launch, "name", k->name);
    JSON_NUMBERS(launch, {"launches", k->launches}, {"blocks", (double)k->blocks},
                 {"threads", k->threads}, {"registers", k->registers},
                 {"shared_bytes", k->shared_bytes}, {"local_bytes", k->local_bytes},
                 {"occupancy", k->occupancy});
}

void measurement_add_json(struct json *object, const struct measurement *m, double cells)
{
    spread_add_json(object, &m->seconds);
    limiter_add_json(object, &m->usage, &m->shares, cells, m->seconds.median);
    struct json *launches = json_add_array(object, "launches");
    for (int i = 0; i < m->nlaunches; i++)
        add_launch(json_add_object(launches, NULL), &m->launches[i]);
}
