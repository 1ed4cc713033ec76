/* SPDX-License-Identifier: BSD-3-Clause */
/* Which choice holds for a launch. */
#include "cuda/tuning.cuh"
#include "cuda/core/wave_partition.h"
#include "cuda/device.cuh"

struct cuda_tuning cuda_tuned(int order, enum cuda_tuned_stage stage, bool helmholtz,
                              const struct cells &c)
{
    int rows[MAX_TUNED_ROWS];
    struct cuda_tuning *best =
        cuda_tuning_for(order, stage, helmholtz, (double)c.n[0] * c.n[1] * c.n[2]);
    if (best) {
        best->launches++;
        return *best;
    }
    cuda_tuned_rows(order, stage, rows);
    return {order, stage, helmholtz, 0, rows[0], 0, 0};
}

int cuda_choose_planes(int tuned, int n2, int tiles, int least, int most, int extra)
{
    return tuned > 0 ? tuned
                     : parts_best_planes(tiles, n2, least, most, extra, cuda_multiprocessors());
}
