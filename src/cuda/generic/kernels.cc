/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder generic/ holds the baseline: any operator, one operation per kernel, one thread per
 * cell; set-up, vectors and the bottom solver too. This file has its rows of the table of kernels,
 * which cover what no other row covers. */
#include "cuda/kernels.cuh"
#include "operators/boundary.h"

/* The interpolation reads ghosts on the coarse side. */
static void fill_coarse_walls(const struct pass *pass)
{
    if (pass_prolongs(pass))
        cuda_fill_level_ghosts(pass->coarse, pass->coarse->fields[pass->coarse_u],
                               *walls_of_order(pass->coarse->stencil, pass->prolongation),
                               ghosts_all(pass->prolongation / 2));
}

static void start_all(const struct pass *pass)
{
    fill_coarse_walls(pass);
    for (int q = 0; q < pass->level->npatches; q++)
        baseline_start(cuda_open_work(pass, q), q, pass_extent(pass, pass_operations(pass)));
}

static int interpolation_covers(const struct pass *pass, const struct device_limits *)
{
    return pass_prolongs(pass);
}

/* Sweeps and finish on patch q. */
static void run_operations(const struct pass *pass, int q)
{
    struct patch_launch w = cuda_open_work(pass, q);
    const int operations = pass_operations(pass);
    for (int n = 0; n < operations; n++) {
        const int sweep = pass->first_sweep + n;
        w.v.u = w.buffer[sweep & 1];
        if (n > 0 || !pass->ghosts_filled)
            cuda_fill_walls(w, sweep);
        if (n < pass->nsweeps)
            baseline_sweep(w, sweep, pass_extent(pass, operations - 1 - n));
        else
            baseline_finish(w, q);
    }
}

static void run_generic(const struct pass *pass)
{
    start_all(pass);
    for (int q = 0; q < pass->level->npatches; q++)
        run_operations(pass, q);
    if (pass_reduces(pass))
        cuda_fetch_norm(pass->norm);
}

/* One operation: a faster row may cover the next. */
static int generic_covers(const struct pass *pass, const struct device_limits *)
{
    return pass_length(pass) > 0;
}

extern const struct kernel kernel_interpolation = {
    .name = "interpolation",
    .summary = "interpolates the coarse solution or adds a coarse correction; both orders",
    .covers = interpolation_covers,
    .run = start_all,
    .bytes = pass_bytes_one_by_one,
};

extern const struct kernel kernel_generic = {
    .name = "generic",
    .summary = "one kernel per operation, one thread per cell; any operator",
    .covers = generic_covers,
    .run = run_generic,
    .bytes = pass_bytes_one_by_one,
};
