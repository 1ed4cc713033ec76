/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/setup.h"
#include <stdio.h>
#include <string.h>
#include "app/benchmark.h"
#include "app/threshold.h"
#include "app/transport.h"
#include "cli/environment.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"

static enum status choose_kernels(const struct options *o, bool on_gpu, char *message, int size)
{
    char reason[256];
    const bool all = !o->kernels || strcmp(o->kernels, "default") == 0;
    if (!all && !(on_gpu && cuda_choose_kernels(o->kernels, reason, sizeof reason))) {
        snprintf(message, (size_t)size, "--kernels: %s",
                 on_gpu ? reason : "all levels run on the CPU, whose loops --loops chooses");
        return STATUS_USAGE;
    }
    if (on_gpu && o->fuse == FUSE_OFF)
        cuda_leave_out_tail();
    return STATUS_VALID;
}

enum status setup_gpu(const struct options *o, bool *on_gpu, char *note, char *message, int size)
{
    const enum status status =
        gpu_choose(o->backend, "all levels run on the CPU", on_gpu, note, size);
    if (status != STATUS_VALID)
        snprintf(message, (size_t)size, "%s", note);
    return status;
}

enum status setup_machine(const struct options *o, bool on_gpu, char *message, int size)
{
    enum status status = transport_choose(o, on_gpu, message, size);
    if (status == STATUS_VALID)
        status = choose_kernels(o, on_gpu, message, size);
    if (status == STATUS_VALID)
        status = cuda_tuning_choose(on_gpu, message, size);
    return status;
}

void setup_thresholds(struct options *o, struct hierarchy_choice *choice)
{
    if (o->agglomerate_below == 0 && comm_size() > 1)
        o->agglomerate_below = threshold_try_agglomeration(o);
    if (o->cpu_below == 0)
        o->cpu_below = threshold_try_cpu(o);
    else
        threshold_try_threads(o);
    *choice = benchmark_hierarchy_choice(o, true);
}
