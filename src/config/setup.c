/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/setup.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "config/memory_need.h"
#include "comm/comm.h"
#include "config/environment.h"
#include "config/threshold.h"
#include "config/transport.h"
#include "cpu/cpu.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"

static enum status choose_kernels(const struct solver_options *o, bool on_gpu, char *message,
                                  int size)
{
    char reason[256];
    const bool all = !o->kernels || strcmp(o->kernels, "default") == 0;
    if (!all && !(on_gpu && cuda_choose_kernels(o->kernels, reason, sizeof reason))) {
        snprintf(message, (size_t)size, "--kernels: %s",
                 on_gpu ? reason : "all levels run on the CPU, whose loops --loops chooses");
        return STATUS_USAGE;
    }
    if (on_gpu && o->unfused)
        cuda_leave_out_tail();
    return STATUS_VALID;
}

enum status setup_gpu(const struct solver_options *o, bool *on_gpu, char *note, char *message,
                      int size)
{
    const enum status status =
        gpu_choose(o->backend, "all levels run on the CPU", on_gpu, note, size);
    if (status != STATUS_VALID)
        snprintf(message, (size_t)size, "%s", note);
    return status;
}

enum status setup_machine(const struct solver_options *o, bool on_gpu, char *message, int size)
{
    enum status status = transport_choose(o->transport, on_gpu, message, size);
    if (status == STATUS_VALID)
        status = choose_kernels(o, on_gpu, message, size);
    if (status == STATUS_VALID)
        status = cuda_tuning_choose(on_gpu, message, size);
    return status;
}

static struct placement placement_of(const struct solver_options *o, bool on_gpu)
{
    struct placement p = {.backend = o->plain_loops ? &backend_cpu_plain : &backend_cpu,
                          .agglomerate_below = (double)o->agglomerate_below};
    if (on_gpu) {
        const struct transport_chosen *messages = transport_chosen();
        p.backend = &backend_cuda;
        p.coarse_backend = &backend_cuda_host;
        p.cpu_below = (double)o->cpu_below;
        p.overlap_above = o->overlap_above == OVERLAP_NEVER ? INFINITY
                          : o->overlap_above > 0            ? (double)o->overlap_above
                                                            : messages->overlap_above;
        p.transport = messages->transport;
        p.device_messages = messages->device_messages;
    }
    return p;
}

struct hierarchy_choice setup_hierarchy(const struct solver_options *o, bool on_gpu)
{
    /* A sweep of gsrb is one of each colour. */
    const int parts = o->smoother == SMOOTHER_GSRB ? 2 : 1;
    return (struct hierarchy_choice){
        .op = options_operator(o),
        .bottom = (enum bottom_method)o->bottom,
        .outer_fields = o->outer == OUTER_IDR,
        .sweeps = {parts * o->sweeps[0], parts * o->sweeps[1]},
        .w_cycle = o->cycle == CYCLE_W,
        .max_levels = o->levels,
        .unfused = o->unfused,
        .single_above = o->precision == PRECISION_MIXED ? (double)o->single_above : 0.0,
        .placement = placement_of(o, on_gpu),
    };
}

struct solver_choice setup_solver(const struct solver_options *o)
{
    return (struct solver_choice){.f_cycle = o->cycle == CYCLE_F,
                                  .outer = (enum outer)o->outer,
                                  .rtol = o->rtol,
                                  .atol = o->atol,
                                  .has_room = memory_has_room,
                                  .max_cycles = o->max_cycles};
}

void setup_thresholds(struct solver_options *o, struct hierarchy_choice *choice)
{
    if (choice->placement.agglomerate_below == 0 && comm_size() > 1)
        choice->placement.agglomerate_below = threshold_try_agglomeration(choice);
    if (choice->placement.cpu_below == 0)
        choice->placement.cpu_below = threshold_try_cpu(choice);
    else
        threshold_try_threads(choice);
    o->agglomerate_below = (long)choice->placement.agglomerate_below;
    o->cpu_below = (long)choice->placement.cpu_below;
}
