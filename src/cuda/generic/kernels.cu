/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder generic/ holds the baseline: any operator, one operation per kernel, one thread per
 * cell; set-up, vectors and the bottom solver too. This file has its rows of the table of kernels,
 * which cover what no other row covers. */
#include "cuda/kernels.cuh"

/* The interpolation reads ghosts on the coarse side. */
static void fill_coarse_walls(const struct pass *pass)
{
    if (pass_prolongs(pass))
        cuda_walls_fill(pass->coarse, pass->coarse->fields[pass->coarse_u],
                        stencil_wall_rule(pass->prolongation, pass->coarse->dim),
                        pass->prolongation / 2);
}

static void start_all(const struct part *part)
{
    const struct pass *pass = &part->pass;
    fill_coarse_walls(pass);
    for (int q = 0; q < pass->level->npatches; q++)
        baseline_start(cuda_open_work(pass, q), q, part_extent(part, pass_operations(pass)));
}

static struct coverage interpolation_covers(const struct part *part, const struct device_limits *)
{
    return pass_prolongs(&part->pass) ? cover_start(part) : cover_nothing();
}

/* Sweeps and finish on patch q. */
static void run_operations(const struct part *part, int q)
{
    const struct pass *pass = &part->pass;
    struct work w = cuda_open_work(pass, q);
    const int operations = pass_operations(pass);
    for (int n = 0; n < operations; n++) {
        const int sweep = pass->first_sweep + n;
        w.v.u = w.buffer[sweep & 1];
        if (n > 0 || !part->ghosts)
            cuda_fill_walls(w, sweep);
        if (n < pass->nsweeps)
            baseline_sweep(w, sweep, part_extent(part, operations - 1 - n));
        else
            baseline_finish(w, q);
    }
}

static void run_generic(const struct part *part)
{
    start_all(part);
    for (int q = 0; q < part->pass.level->npatches; q++)
        run_operations(part, q);
    if (part->pass.finish == FINISH_NORM)
        cuda_fetch_norm(part->pass.norm);
}

/* One operation: a faster row may cover the next. */
static struct coverage generic_covers(const struct part *part, const struct device_limits *)
{
    return cover_first(part);
}

extern const struct kernel kernel_interpolation = {
    .name = "interpolation",
    .summary = "interpolates the coarse solution or adds a coarse correction; both orders",
    .covers = interpolation_covers,
    .run = start_all,
    .bytes = part_bytes,
};

extern const struct kernel kernel_generic = {
    .name = "generic",
    .summary = "one kernel per operation, one thread per cell; any operator",
    .covers = generic_covers,
    .run = run_generic,
    .bytes = part_bytes,
};
