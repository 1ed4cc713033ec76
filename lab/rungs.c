/* SPDX-License-Identifier: BSD-3-Clause */
/* The rungs of a CPU, the table of a GPU's, and what blocks and registers these can have. */
#include "lab/rungs.h"
#include <string.h>
#include "cpu/cpu.h"
#include "cpu/operations.h"
#include "lab/lab.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/pass.h"
#include "operators/smoothers.h"

struct pass rung_pass(struct level *level, const struct rung *rung)
{
    return (struct pass){.level = level, .u = FIELD_U, .f = FIELD_F, .nsweeps = 2 * rung->pairs};
}

void rung_default(struct level *level, const struct rung *rung, const struct rung_shape *shape)
{
    const struct pass pass = rung_pass(level, rung);
    (void)shape;
    level->backend->passes->run(&pass);
}

/* --- of a CPU --------------------------------------------------------------------------------- */

/* One half-sweep on the level's only box. */
struct half_sweep {
    const struct patch *p;
    struct operands operands;
    const double *u;
    double *out, weight;
    int radius, colour; /* cells with (i + j + k + colour) even are updated */
};

static struct half_sweep half_sweep_of(const struct level *l, int half)
{
    const struct patch *p = &l->patches[0];
    const struct relaxation r = stencil_relaxation(l->stencil, half);
    struct half_sweep s = {.p = p, .weight = r.weight, .colour = r.colour};
    s.operands = operands_of(l, p, FIELD_F);
    s.radius = l->stencil->radius;
    s.u = patch_cells(l, p, rung_source(half));
    s.out = patch_cells(l, p, rung_source(1 - half));
    return s;
}

static inline void update_cell(const struct half_sweep *s, int radius, int i, int j, int k)
{
    const long sj = s->p->sj, sk = s->p->sk, at = i + j * sj + k * sk;
    const double *u = s->u + at;
    const struct operands *o = &s->operands;
    const struct near near = near_at(u, o->beta_i + at, o->beta_j + at, o->beta_k + at, sj, sk);
    if (!has_colour(i + j + k, s->colour)) {
        s->out[at] = u[0];
        return;
    }
    const double sum = radius == 1 ? sum_fv2(near) : sum_fv4(near);
    const double r = residual_value(o->f[at], o->scale, sum);
    s->out[at] = update_weighted(u[0], o->dinv[at], r, s->weight);
}

static void update_row(const struct half_sweep *s, int j, int k)
{
    if (s->radius == 1)
        for (int i = 0; i < s->p->n[0]; i++)
            update_cell(s, 1, i, j, k);
    else
        for (int i = 0; i < s->p->n[0]; i++)
            update_cell(s, 2, i, j, k);
}

static void sweep_plane_by_plane(const struct half_sweep *s)
{
#pragma omp parallel for schedule(static)
    for (int k = 0; k < s->p->n[2]; k++)
        for (int j = 0; j < s->p->n[1]; j++)
            update_row(s, j, k);
}

/* Strips of rows, each swept through all planes: the planes that a cell's neighbours are in then
 * stay in the cache. */
static void sweep_by_strips(const struct half_sweep *s)
{
    enum { ROWS = 8 };
    const int strips = (s->p->n[1] + ROWS - 1) / ROWS;
#pragma omp parallel for schedule(static)
    for (int strip = 0; strip < strips; strip++) {
        const int end = (strip + 1) * ROWS, last = end < s->p->n[1] ? end : s->p->n[1];
        for (int k = 0; k < s->p->n[2]; k++)
            for (int j = strip * ROWS; j < last; j++)
                update_row(s, j, k);
    }
}

static void run_own(struct level *l, const struct rung *rung, const struct rung_shape *shape)
{
    static void (*const sweeps[])(const struct half_sweep *) = {sweep_plane_by_plane,
                                                                sweep_by_strips};
    (void)shape;
    for (int half = 0; half < 2; half++) {
        const struct half_sweep s = half_sweep_of(l, half);
        walls_fill(l, rung_source(half), stencil_walls(l->stencil), l->stencil->radius);
        sweeps[rung - cpu_rungs](&s);
    }
}

static void run_rows(struct level *level, const struct rung *rung, const struct rung_shape *shape)
{
    const struct pass pass = rung_pass(level, rung);
    (void)shape;
    backend_cpu_plain.passes->run(&pass);
}

/* A rung without a shape of the lab's choice. */
#define PLAIN_RUNG(title, text, number, function)                                                  \
    {                                                                                              \
        .name = title, .summary = text, .pairs = number, .run = function                           \
    }
const struct rung cpu_rungs[] = {
    PLAIN_RUNG("naive", "cell by cell, plane by plane", 1, run_own),
    PLAIN_RUNG("strips", "8 rows at a time through all planes", 1, run_own),
    PLAIN_RUNG("rows", "vector loops over rows, one colour after the other", 1, run_rows),
    PLAIN_RUNG("pairs", "hpgmg-gpu's pass, tiled, for red and black", 1, rung_default),
    PLAIN_RUNG("default", "its pass for all six half-sweeps", RUNG_PAIRS, rung_default),
    {.name = NULL},
};

/* --- of a GPU --------------------------------------------------------------------------------- */

#define RUNG(title, text, i, j, cells, kept, planes_ahead, ...)                                    \
    {.name = title,                                                                                \
     .summary = text,                                                                              \
     .shape = {.block = {i, j}, .rows = cells, .ahead = planes_ahead, .keeps = kept},              \
     .pairs = 1,                                                                                   \
     .run = gpu_run_rung},
const struct rung gpu_rungs[] = {
#include "lab/rungs.def"
    PLAIN_RUNG("pairs", "hpgmg-gpu's pass for red and black", 1, rung_default),
    PLAIN_RUNG("default", "its pass for all six half-sweeps", RUNG_PAIRS, rung_default),
    {.name = NULL},
};

/* A multiprocessor has 65536 registers: one block of this size, or two of 1024 threads, fill it. */
const struct register_limit register_limits[REGISTER_LIMITS] = {
    {255, 256}, {128, 512}, {64, 1024}, {32, 1024}};

/* The limit of --registers, or without it the highest for the block size. NULL if there
 * is none. */
static const struct register_limit *find_limit(int registers, int threads)
{
    for (int l = 0; l < REGISTER_LIMITS; l++)
        if (threads <= register_limits[l].threads &&
            (registers == 0 || registers == register_limits[l].registers))
            return &register_limits[l];
    return NULL;
}

/* Planes of a block, so that every multiprocessor has several. What is kept from plane to plane
 * wants many. */
static int choose_planes(const struct level *l, const struct rung_shape *s)
{
    enum { MIN_PLANES = 4, WANTED_BLOCKS = 1056 };
    const int rows = s->block[1] * s->rows;
    const long tiles =
        (long)((l->n[0] + s->block[0] - 1) / s->block[0]) * ((l->n[0] + rows - 1) / rows);
    const long planes = l->n[0] * tiles / WANTED_BLOCKS;
    if (s->keeps == KEEPS_NOTHING)
        return 1;
    return planes < MIN_PLANES ? MIN_PLANES : planes < l->n[0] ? (int)planes : l->n[0];
}

enum status rung_choose_shape(const struct rung *rung, const struct level *level,
                              const struct rung_wish *wish, struct rung_shape *s)
{
    int max_bytes;
    *s = rung->shape;
    s->order = level->stencil->choice.order;
    if (s->block[0] == 0)
        return STATUS_VALID;
    if (wish->block[0] > 0)
        memcpy(s->block, wish->block, sizeof s->block);
    const int threads = s->block[0] * s->block[1];
    const struct register_limit *limit = find_limit(wish->registers, threads);
    if (s->keeps == KEEPS_PLANES && s->block[0] > RING_WIDTH)
        return refuse(STATUS_USAGE,
                      "--block: rung %s has tiles of at most %d cells along i in shared memory",
                      rung->name, RING_WIDTH);
    if (!limit)
        return refuse(STATUS_USAGE,
                      "--registers %d: with blocks of %d threads there are fewer per thread",
                      wish->registers, threads);
    s->registers = limit->registers;
    s->planes = choose_planes(level, s);
    if (gpu_prepare_rung(rung, s, &max_bytes))
        return STATUS_VALID;
    return refuse(STATUS_USAGE,
                  "--block: rung %s needs %d bytes of shared memory for blocks of %d x %d; "
                  "a block has %d",
                  rung->name, rung_shared_bytes(s), s->block[0], s->block[1], max_bytes);
}
