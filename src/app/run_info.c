/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run_info.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "config/transport.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "cpu/cpu.h"
#include "solvers/size.h"

/* Worth a warning above this: the fullest rank's cells over the mean. */
#define IMBALANCE 1.1

static void add_warning(struct run_info *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_warning(struct run_info *f, const char *format, ...)
{
    va_list arguments;
    if (f->nwarnings == MAX_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(f->warnings[f->nwarnings++], WARNING_SIZE, format, arguments);
    va_end(arguments);
}

static void warn_of_threads(struct run_info *f)
{
    const struct environment *e = &f->environment;
    if (e->threads > e->usable)
        add_warning(f, "%d threads per rank, but one rank may use only %d processors", e->threads,
                    e->usable);
    else if (e->ranks_per_node * e->threads > e->processors)
        add_warning(f, "%d ranks of %d threads each on a node of %d processors", e->ranks_per_node,
                    e->threads, e->processors);
}

static void warn_of_sharing(struct run_info *f)
{
    const struct environment *e = &f->environment;
    if (e->ranks_per_gpu > 1)
        add_warning(f, "%d ranks share one GPU", e->ranks_per_gpu);
}

/* A rank that sees only one GPU cannot map the memory of others. */
static void warn_of_messages(struct run_info *f)
{
    const struct environment *e = &f->environment;
    const struct transport_chosen *t = transport_chosen();
    if (t->not_peer)
        add_warning(f, "messages between GPUs are %s, because %s%s", t->name, t->not_peer,
                    e->gpus == 1 && e->ranks_per_node > 1
                        ? "; let every rank see all GPUs of its node"
                        : "");
}

/* Messages go both ways between neighbours. */
static void count_neighbours(struct run_info *f, const struct level *finest)
{
    const struct plan *halo = finest->halo;
    const bool direct = halo && halo->direct;
    double counts[2] = {halo ? halo->exchange.sends.count : 0, 0.0};
    if (direct) {
        counts[1] = counts[0];
        counts[0] = halo->direct->exchange.sends.count;
    }
    comm_max_f64(comm_world(), counts, 2);
    f->neighbours = (int)counts[0];
    f->neighbours_elsewhere = (int)counts[1];
}

/* How well the finest level's cells are spread over the ranks. */
static void warn_of_imbalance(struct run_info *f, const struct decomposition *d)
{
    const double mean = f->unknowns / f->environment.ranks;
    double most = 0.0, cells = 0.0;
    for (int b = 0; b < d->nboxes; b++) { /* sorted by owner */
        const bool same = b > 0 && d->owner[b] == d->owner[b - 1];
        cells = (same ? cells : 0.0) + (double)box_cells(d->boxes[b]);
        most = cells > most ? cells : most;
    }
    if (f->levels[0].ranks < f->environment.ranks)
        add_warning(f, "%d of %d ranks have no boxes", f->environment.ranks - f->levels[0].ranks,
                    f->environment.ranks);
    if (most > IMBALANCE * mean)
        add_warning(f, "the fullest rank has %.2f times the mean number of cells", most / mean);
}

static void warn_of_coarsest(struct run_info *f, const struct hierarchy_choice *choice)
{
    const int *n = f->levels[f->nlevels - 1].n;
    int better[3];
    if (!size_coarsest_is_large(choice, n))
        return;
    domain_suggest_shape(f->levels[0].boxes, MANY_COARSEST_CELLS / 8, better); /* 2³ of a box */
    add_warning(f, "the coarsest level has %s = %.0f cells; --domain %dx%dx%d coarsens further",
                extent_format(n).of, extent_cells(n), better[0], better[1], better[2]);
}

static void warn_of_bottom(struct run_info *f, const struct benchmark *b)
{
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        if (b->bottom.breakdowns[i] > 0)
            add_warning(f, "bottom solver: %s in %ld of %ld solves; %s",
                        breakdown_text((enum breakdown)i), b->bottom.breakdowns[i],
                        b->bottom.solves,
                        i == BREAKDOWN_SWEEPS ? "smoothing stopped short of its tolerance"
                                              : "the smoother took over");
}

static void warn_of_noise(struct run_info *f, const struct benchmark *b)
{
    char noise[NOISE_TEXT_SIZE];
    for (int s = 0; s < b->nsizes; s++)
        if (size_noise(&b->sizes[s]) > NOISE)
            add_warning(f, "solve times of size %s are noisy: %s", b->sizes[s].name,
                        size_noise_text(&b->sizes[s], noise));
}

static void describe_levels(struct run_info *f, const struct hierarchy_choice *choice,
                            const struct hierarchy_shape *shape)
{
    f->nlevels = shape->nlevels;
    for (int l = 0; l < shape->nlevels; l++) {
        const struct decomposition_spec *spec = &shape->specs[l];
        const struct backend *backend = hierarchy_level_backend(choice, spec_cells(spec));
        const long cells = (long)spec_cells(spec) / spec->ranks;
        f->levels[l] = (struct level_info){
            .boxes = (int)spec_boxes(spec),
            .ranks = spec->ranks,
            .backend = backend->name,
            .threads = backend->on_device ? 0 : cpu_threads(cells),
        };
        spec_extent(spec, f->levels[l].n);
        memcpy(f->levels[l].box_cells, spec->box_cells, sizeof spec->box_cells);
    }
    f->unknowns = extent_cells(f->levels[0].n);
}

static int allocated_fields(const struct level *l)
{
    int count = 0;
    for (int f = 0; f < NUM_FIELDS; f++)
        count += l->fields[f] != NULL;
    return count;
}

static double local_bytes(const struct level *l)
{
    return (double)allocated_fields(l) * (double)level_field_bytes(l);
}

static void gather_levels(struct run_info *f, const struct hierarchy *h)
{
    double bytes[MAX_LEVELS + 2];
    for (int l = 0; l < h->nlevels; l++) {
        const struct transfer *t = &h->transfers[l];
        bytes[l] = local_bytes(h->levels[l]) + (t->separate ? local_bytes(t->coarse) : 0.0);
    }
    bytes[h->nlevels] = (double)memory_peak_bytes();
    bytes[h->nlevels + 1] = (double)cuda_peak_bytes();
    comm_sum_f64(comm_world(), bytes, h->nlevels + 2);
    for (int l = 0; l < h->nlevels; l++) {
        f->levels[l].cuboids = h->levels[l]->decomposition.nboxes;
        f->levels[l].ranks = h->levels[l]->nranks;
        f->levels[l].backend = h->levels[l]->backend->name;
        f->levels[l].bytes = bytes[l];
        f->field_bytes += bytes[l];
    }
    f->peak_bytes = bytes[h->nlevels];
    f->device_peak_bytes = bytes[h->nlevels + 1];
}

void run_info_gather(struct run_info *f, const struct hierarchy *h, const struct benchmark *b)
{
    const struct hierarchy_shape shape = hierarchy_shape(&h->choice, comm_size());
    memset(f, 0, sizeof *f);
    environment_read(&f->environment);
    describe_levels(f, &h->choice, &shape);
    gather_levels(f, h);
    f->rhs_mean = h->singular ? h->rhs_mean : (double)NAN;
    count_neighbours(f, h->levels[0]);
    f->overlap_above = h->levels[0]->backend->streams ? h->choice.overlap_above : INFINITY;
    warn_of_threads(f);
    warn_of_sharing(f);
    warn_of_messages(f);
    warn_of_imbalance(f, &h->levels[0]->decomposition);
    warn_of_coarsest(f, &h->choice);
    if (b && comm_rank() == 0) {
        warn_of_bottom(f, b);
        warn_of_noise(f, b);
        if (b->idle[0])
            add_warning(f, "options without effect on this run: %s", b->idle);
    }
}

static void foresee_level(void *data, int level, const struct decomposition *d, const size_t *bytes)
{
    struct run_info *f = data;
    struct level_info *l = &f->levels[level];
    l->cuboids = d->nboxes;
    for (int rank = 0; rank < f->environment.ranks; rank++)
        l->bytes += (double)bytes[rank];
    f->field_bytes += l->bytes;
    if (level == 0)
        warn_of_imbalance(f, d);
}

void run_info_estimate(struct run_info *f, const struct hierarchy_choice *choice)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    memset(f, 0, sizeof *f);
    environment_read(&f->environment);
    describe_levels(f, choice, &shape);
    if (comm_rank() == 0)
        hierarchy_estimate(choice, &shape, comm_size(), foresee_level, f);
    warn_of_coarsest(f, choice);
    warn_of_threads(f);
    warn_of_sharing(f);
    warn_of_messages(f);
}
