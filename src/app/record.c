/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/record.h"
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "app/options.h"
#include "app/timeline.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "config/transport.h"
#include "cpu/cpu.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"
#include "solvers/size.h"

/* A right-hand side on 2h or 4h below this fraction of that on h is a zero with rounding errors. */
#define VANISHING 1e-12

bool size_is_trivial(const struct record *r, const struct size_record *size)
{
    return isfinite(size->rhs_norm) && size->rhs_norm <= VANISHING * r->sizes[0].rhs_norm;
}

double size_noise(const struct size_record *size)
{
    return size->solves > 1 ? fmax(size->spread, fabs(size->drift)) : (double)NAN;
}

bool size_is_noisy(const struct size_record *size)
{
    return !(size_noise(size) <= NOISE);
}

const char *size_noise_text(const struct size_record *size, char text[NOISE_TEXT_SIZE])
{
    snprintf(text, NOISE_TEXT_SIZE,
             size->solves < 2             ? "spread unknown"
             : fabs(size->drift) <= NOISE ? "spread %.1f %%"
                                          : "spread %.1f %%, drift %+.1f %%",
             100.0 * size->spread, 100.0 * size->drift);
    return text;
}

/* --- warnings: what makes the times doubtful, though not the answer --- */

/* Worth a warning above this: the fullest rank's cells over the mean. */
#define IMBALANCE 1.1

static void add_warning(struct record *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_warning(struct record *r, const char *format, ...)
{
    va_list arguments;
    if (r->nwarnings == MAX_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(r->warnings[r->nwarnings++], WARNING_SIZE, format, arguments);
    va_end(arguments);
}

static void warn_of_threads(struct record *r)
{
    const struct environment *e = &r->environment;
    if (e->threads > e->usable)
        add_warning(r, "%d threads per rank, but one rank may use only %d processors", e->threads,
                    e->usable);
    else if (e->ranks_per_node * e->threads > e->processors)
        add_warning(r, "%d ranks of %d threads each on a node of %d processors", e->ranks_per_node,
                    e->threads, e->processors);
}

/* A rank that sees only one GPU cannot map the memory of others. */
static void warn_of_messages(struct record *r)
{
    const struct environment *e = &r->environment;
    const struct transport_chosen *t = transport_chosen();
    if (t->not_peer)
        add_warning(r, "messages between GPUs are %s, because %s%s", t->name, t->not_peer,
                    e->gpus == 1 && e->ranks_per_node > 1
                        ? "; let every rank see all GPUs of its node"
                        : "");
}

/* How well the finest level's cells are spread over the ranks. */
static void warn_of_imbalance(struct record *r, const struct decomposition *d)
{
    const double mean = r->unknowns / r->environment.ranks;
    double most = 0.0, cells = 0.0;
    for (int b = 0; b < d->nboxes; b++) { /* sorted by owner */
        const bool same = b > 0 && d->owner[b] == d->owner[b - 1];
        cells = (same ? cells : 0.0) + (double)box_cells(d->boxes[b]);
        most = cells > most ? cells : most;
    }
    if (r->levels[0].ranks < r->environment.ranks)
        add_warning(r, "%d of %d ranks have no boxes", r->environment.ranks - r->levels[0].ranks,
                    r->environment.ranks);
    if (most > IMBALANCE * mean)
        add_warning(r, "the fullest rank has %.2f times the mean number of cells", most / mean);
}

static void warn_of_coarsest(struct record *r, const struct hierarchy_choice *choice)
{
    const int *n = r->levels[r->nlevels - 1].n;
    int better[3];
    if (!size_coarsest_is_large(choice, n))
        return;
    domain_suggest_shape(r->levels[0].boxes, MANY_COARSEST_CELLS / 8, better); /* 2³ of a box */
    add_warning(r, "the coarsest level has %s = %.0f cells; --domain %dx%dx%d coarsens further",
                extent_format(n).of, extent_cells(n), better[0], better[1], better[2]);
}

static void warn_of_bottom(struct record *r)
{
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        if (r->bottom.breakdowns[i] > 0)
            add_warning(r, "bottom solver: %s in %ld of %ld solves; %s",
                        breakdown_text((enum breakdown)i), r->bottom.breakdowns[i],
                        r->bottom.solves,
                        i == BREAKDOWN_SWEEPS ? "smoothing stopped short of its tolerance"
                                              : "the smoother took over");
}

static void warn_of_noise(struct record *r)
{
    char noise[NOISE_TEXT_SIZE];
    for (int s = 0; s < r->nsizes; s++)
        if (size_noise(&r->sizes[s]) > NOISE)
            add_warning(r, "solve times of size %s are noisy: %s", r->sizes[s].name,
                        size_noise_text(&r->sizes[s], noise));
}

/* Of the machine and the levels, whose finest one has these boxes. */
static void warn_of_setup(struct record *r, const struct hierarchy_choice *choice,
                          const struct decomposition *finest)
{
    warn_of_threads(r);
    if (r->environment.ranks_per_gpu > 1)
        add_warning(r, "%d ranks share one GPU", r->environment.ranks_per_gpu);
    warn_of_messages(r);
    warn_of_imbalance(r, finest);
    warn_of_coarsest(r, choice);
}

static void warn_of_solves(struct record *r)
{
    warn_of_bottom(r);
    warn_of_noise(r);
    if (r->idle[0])
        add_warning(r, "options without effect on this run: %s", r->idle);
}

/* --- the machine, the hierarchy and its memory, summed over ranks --- */

static void describe_levels(struct record *r, const struct hierarchy_choice *choice,
                            const struct hierarchy_shape *shape)
{
    r->nlevels = shape->nlevels;
    for (int l = 0; l < shape->nlevels; l++) {
        const struct decomposition_spec *spec = &shape->specs[l];
        const struct backend *backend = hierarchy_level_backend(choice, spec_cells(spec));
        const long cells = (long)spec_cells(spec) / spec->ranks;
        r->levels[l] = (struct level_record){
            .level = l,
            .boxes = (int)spec_boxes(spec),
            .ranks = spec->ranks,
            .backend = backend->name,
            .threads = backend->on_device ? 0 : cpu_threads(cells),
        };
        spec_extent(spec, r->levels[l].n);
        memcpy(r->levels[l].box_cells, spec->box_cells, sizeof spec->box_cells);
    }
    r->unknowns = extent_cells(r->levels[0].n);
}

/* Messages go both ways between neighbours; the first route's are between nodes if there is another
 * transport for them. */
static void count_neighbours(struct record *r, const struct level *finest)
{
    const struct plan *halo = finest->halo;
    double counts[2] = {0.0, 0.0};
    for (int n = 0; halo && n < halo->nroutes; n++)
        counts[n == 0 && r->transport_elsewhere] += halo->routes[n].exchange.sends.count;
    comm_max_f64(comm_world(), counts, 2);
    r->neighbours = (int)counts[0];
    r->neighbours_elsewhere = (int)counts[1];
}

/* Of this rank's fields. */
static double local_bytes(const struct level *l)
{
    int count = 0;
    for (int f = 0; f < NUM_FIELDS; f++)
        count += l->fields[f] != NULL;
    return (double)count * (double)level_field_bytes(l);
}

static void gather_levels(struct record *r, const struct hierarchy *h)
{
    double bytes[MAX_LEVELS] = {0.0};
    for (int grid = 0; grid < hierarchy_grids(h); grid++) { /* correction levels come last */
        const struct transfer *t = &h->transfers[grid];
        bytes[grid % h->nlevels] +=
            local_bytes(h->levels[grid]) + (t->separate ? local_bytes(t->coarse) : 0.0);
    }
    comm_sum_f64(comm_world(), bytes, h->nlevels);
    for (int l = 0; l < h->nlevels; l++) {
        r->levels[l].cuboids = h->levels[l]->decomposition.nboxes;
        r->levels[l].ranks = h->levels[l]->nranks;
        r->levels[l].bytes = bytes[l];
        r->field_bytes += bytes[l];
    }
}

/* Whether a corrected level would do so in double precision, with the ghosts of its corrections.
 * The CPU does so for all smoothers, but only with the cheapest sweeps does memory bound it. */
static bool smooths_at_once(const struct level *l)
{
    const struct passes *passes = l->backend->passes;
    if (!l->backend->on_device)
        return l->stencil->radius == 1 && l->stencil->coloured;
    return passes->smooths_at_once &&
           passes->smooths_at_once(l->stencil, &l->decomposition, l->correction->ghosts);
}

/* Where a smoothing is one pass over memory, the passes between the two precisions cost as much as
 * single precision saves. */
static void warn_of_precision(struct record *r, const struct hierarchy *h)
{
    const struct level *finest = h->levels[0];
    if (h->ncorrections > 0 && smooths_at_once(finest))
        add_warning(r,
                    "--precision mixed gains little or nothing here: in double precision, too, a "
                    "smoothing is one pass over memory");
    if (h->choice.single_above > 0.0 && h->ncorrections == 0)
        add_warning(r, "no level has more than %.0f cells: all are in double precision",
                    h->choice.single_above);
}

static struct record *begin(const struct options *options, const struct hierarchy_choice *choice,
                            const struct hierarchy_shape *shape)
{
    static const char *const binds[] = {"false", "true", "master", "close", "spread"};
    struct record *r = memory_alloc_zero(sizeof *r, "record");
    r->options = options;
    r->build = build_info;
    environment_read(&r->environment);
    r->gpu = r->environment.gpu[0] ? r->environment.gpu : NULL;
    r->tuning = cuda_tuning_source();
    r->transport = transport_chosen()->name;
    r->transport_elsewhere = transport_chosen()->elsewhere;
    r->proc_bind = binds[omp_get_proc_bind()];
    r->richardson_error = r->richardson_order = r->copy_bytes_per_second = (double)NAN;
    r->order = options->solver.order;
    describe_levels(r, choice, shape);
    r->unknowns_per_rank = r->unknowns / r->environment.ranks;
    return r;
}

struct record *record_create(const struct options *options, const struct hierarchy *h)
{
    const struct hierarchy_shape shape = hierarchy_shape(&h->choice, comm_size());
    struct record *r = begin(options, &h->choice, &shape);
    gather_levels(r, h);
    warn_of_precision(r, h);
    r->bytes_per_unknown = r->field_bytes / r->unknowns;
    r->build_seconds = h->build_seconds;
    r->rhs_mean = h->singular ? h->rhs_mean : (double)NAN;
    count_neighbours(r, h->levels[0]);
    r->overlap_above =
        h->levels[0]->backend->streams ? h->choice.placement.overlap_above : INFINITY;
    warn_of_setup(r, &h->choice, &h->levels[0]->decomposition);
    return r;
}

struct estimate {
    struct record *record;
    const struct hierarchy_choice *choice;
};

static void foresee_level(void *data, int level, const struct decomposition *d, const size_t *bytes)
{
    const struct estimate *e = data;
    struct record *r = e->record;
    r->levels[level].cuboids = d->nboxes;
    for (int rank = 0; rank < r->environment.ranks; rank++)
        r->levels[level].bytes += (double)bytes[rank];
    r->field_bytes += r->levels[level].bytes;
    if (level == 0)
        warn_of_setup(r, e->choice, d);
}

struct record *record_estimate(const struct options *options, const struct hierarchy_choice *choice)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    struct estimate e = {begin(options, choice, &shape), choice};
    if (comm_rank() == 0)
        hierarchy_estimate(choice, &shape, comm_size(), foresee_level, &e);
    return e.record;
}

/* What follows from the rest. An INVALID run has no speed. */
static void derive(struct record *r)
{
    r->complete = true;
    if (!r->has_richardson)
        r->richardson_error = (double)NAN;
    for (int s = 0; s < r->nsizes; s++) {
        struct size_record *size = &r->sizes[s];
        double bytes = 0.0, seconds = 0.0;
        for (int i = 0; i < size->nstages; i++)
            seconds += size->stages[i].seconds;
        for (int i = 0; i < size->nstages; i++) {
            struct stage_record *row = &size->stages[i];
            row->share = row->seconds / seconds;
            const bool known = row->bytes > 0.0 && row->seconds > 0.0;
            row->bytes_per_second = known ? row->bytes / row->seconds : (double)NAN;
            row->fraction_of_copy = row->bytes_per_second / r->copy_bytes_per_second;
            bytes += row->bytes;
        }
        size->bytes_per_second = bytes > 0.0 ? bytes / size->median : (double)NAN;
        size->fraction_of_copy = size->bytes_per_second / r->copy_bytes_per_second;
        size->noisy = size_is_noisy(size);
        size->true_order =
            s + 1 < r->nsizes ? log2(size[1].true_error / size->true_error) : (double)NAN;
        if (size->solves == 0)
            size->mean = size->median = size->min = size->max = size->deviation = size->spread =
                size->drift = size->dof_per_second = (double)NAN;
        if (size->cpu_seconds == 0.0)
            size->cpu_seconds = size->hand_over_seconds = (double)NAN;
        size->outcome = outcome_text(size->solve.outcome);
        size->rel_residual = size->solve.cycles > 0 ? solve_residual(&size->solve) : (double)NAN;
        size->has_meters = size->solves > 0 && cuda_device();
        size->dof_per_joule = size->unknowns / size->meters.joules;
        if (!r->verdict.valid)
            size->dof_per_second = (double)NAN;
        r->complete = r->complete && size->solves > 0;
    }
}

void record_complete(struct record *r)
{
    double peaks[2] = {(double)memory_peak_bytes(), (double)cuda_peak_bytes()};
    comm_sum_f64(comm_world(), peaks, 2);
    r->peak_bytes = peaks[0];
    r->device_peak_bytes = peaks[1];
    if (comm_rank() == 0) {
        derive(r);
        warn_of_solves(r);
    }
}

void record_destroy(struct record *r)
{
    for (int s = 0; s < r->nsizes; s++) {
        memory_free(r->sizes[s].samples);
        memory_free(r->sizes[s].stages);
    }
    memory_free(r->ranks.ranks);
    timeline_destroy(r->timeline);
    memory_free(r);
}
