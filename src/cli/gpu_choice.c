/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/gpu_choice.h"
#include <stdio.h>
#include "cli/operator_options.h"
#include "comm/comm.h"
#include "cuda/cuda.h"

enum status gpu_choose(int backend, const char *instead, bool *on_gpu, char *message, int size)
{
    char reason[256] = "not all ranks have a GPU";
    *on_gpu = false;
    if (backend == BACKEND_CPU)
        return STATUS_VALID;
    double opened = cuda_open(comm_node_rank(), reason, sizeof reason);
    comm_min_f64(MPI_COMM_WORLD, &opened, 1);
    *on_gpu = opened == 1.0;
    if (*on_gpu)
        return STATUS_VALID;
    if (backend == BACKEND_GPU) {
        snprintf(message, (size_t)size, "--backend gpu: %s", reason);
        return STATUS_ENVIRONMENT;
    }
    snprintf(message, (size_t)size, "%s; %s (--backend cpu avoids this warning)", reason, instead);
    return STATUS_VALID;
}
