/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/benchmark.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "app/breakdown.h"
#include "app/meters.h"
#include "app/ranks.h"
#include "app/rules.h"
#include "app/score.h"
#include "app/unused_options.h"
#include "app/timeline.h"
#include "app/verdict.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "config/setup.h"
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "operators/problem.h"
#include "solvers/reduce.h"

enum { MAX_SOLVES = 1000000, WARM_UP_SOLVES = 2 };

struct hierarchy_choice benchmark_hierarchy_choice(const struct options *o, bool on_gpu)
{
    struct hierarchy_choice choice = setup_hierarchy(&o->solver, on_gpu);
    choice.log2_box_dim = o->log2_box_dim;
    choice.boxes_per_rank = o->boxes_per_rank;
    memcpy(choice.domain.boxes, o->domain, sizeof choice.domain.boxes);
    choice.problem = o->problem;
    memcpy(choice.op.lengths, o->lengths, sizeof choice.op.lengths);
    return choice;
}

struct solver_choice benchmark_solver_choice(const struct options *o)
{
    struct solver_choice choice = setup_solver(&o->solver);
    choice.measures_rhs = o->benchmark;
    return choice;
}

/* Whether one more solve is timed: as many are as asked, or as fill the time. Rank 0 decides for
 * all, between solves. */
static bool goes_on(const struct level *l, const struct size_record *r, const struct options *o)
{
    bool more = r->solves < o->solves;
    if (o->solves == 0)
        more = r->solves < MIN_SOLVES || (r->total < o->min_time && r->solves < MAX_SOLVES);
    comm_broadcast(l->comm, &more, sizeof more);
    return more;
}

static void add_sample(struct size_record *r, double seconds)
{
    r->samples = memory_room(r->samples, (int)r->solves, sizeof *r->samples, "timing samples");
    r->samples[r->solves++] = seconds;
    r->total += seconds;
}

static void summarise(struct size_record *r)
{
    const long n = r->solves, half = n / 2;
    double *sorted = memory_alloc((size_t)n * sizeof *sorted, "timing samples");
    memcpy(sorted, r->samples, (size_t)n * sizeof *sorted);
    r->spread = r->drift = (double)NAN;
    if (half > 0)
        r->drift = timer_median(sorted + n - half, half) / timer_median(sorted, half) - 1.0;
    r->median = timer_median(sorted, n);
    if (half > 0)
        r->spread =
            (timer_median(sorted + n - half, half) - timer_median(sorted, half)) / r->median;
    double squares = 0.0;
    r->mean = r->total / (double)n;
    for (long i = 0; i < n; i++)
        squares += (sorted[i] - r->mean) * (sorted[i] - r->mean);
    r->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0.0;
    r->min = sorted[0];
    r->max = sorted[n - 1];
    r->dof_per_second = r->unknowns / r->median;
    memory_free(sorted);
}

/* Solves that missed their tolerance are not timed, unless there was nothing to solve. */
static bool is_worth_timing(const struct record *b, const struct size_record *r)
{
    const bool finite = r->solve.cycles > 0 && isfinite(r->solve.history[r->solve.cycles - 1]);
    return finite && (r->solve.outcome == OUTCOME_DONE || size_is_trivial(b, r));
}

/* After the first solve: what later solves are compared with. False if none is to be timed. */
static bool check_first(const struct solver *s, const struct record *b, struct size_record *r)
{
    const struct level *l = s->hierarchy->levels[s->top];
    r->checksum = reduce_checksum(l, FIELD_U);
    r->reproducible = true;
    r->rhs_norm = s->rhs_norm;
    r->solution_norm = reduce_norm(l, FIELD_U);
    return is_worth_timing(b, r);
}

/* Shows the progress of a size on stderr, at most five times per second, if that is a terminal.
 * Not on stdout: Open MPI gives ranks a terminal as stdout even where its own stdout is a file. */
static void show_progress(const struct size_record *r, bool done)
{
    static double last_shown;
    if (comm_rank() != 0 || !isatty(STDERR_FILENO))
        return;
    if (done)
        fprintf(stderr, "\r%60s\r", "");
    else if (timer_seconds() - last_shown >= 0.2) {
        last_shown = timer_seconds();
        fprintf(stderr, "\r  timing %-2s  %ld solves, %.1f s ", r->name, r->solves, r->total);
    }
}

/* How a solver's programs hand over between GPU and CPU levels, and what that has taken of this
 * rank since they were recorded. */
struct hand_overs {
    enum hand_over_way way;
    struct hand_over_times times;
};

static void add_hand_over(void *data, struct program *p)
{
    struct hand_overs *sum = data;
    const struct hand_over_times times = program_hand_over_times(p);
    sum->times.total += times.total;
    sum->times.host += times.host;
    if (program_hand_over(p) != HAND_OVER_NONE && sum->way != HAND_OVER_HOST)
        sum->way = program_hand_over(p);
}

static struct hand_overs hand_overs_of(struct solver *s)
{
    struct hand_overs sum = {.way = HAND_OVER_NONE};
    solver_programs(s, add_hand_over, &sum);
    return sum;
}

/* What solves have taken between the two. "graph" if it was on all ranks. */
static void record_hand_over(struct size_record *r, MPI_Comm comm, const struct hand_overs *before,
                             const struct hand_overs *after)
{
    static const char *const texts[] = {NULL, "host", "graph"};
    const double solves = (double)r->solves, total = after->times.total - before->times.total;
    if (total > 0.0) {
        r->cpu_seconds = (after->times.host - before->times.host) / solves;
        r->hand_over_seconds = total / solves - r->cpu_seconds;
    }
    r->hand_over = texts[comm_min_i64(comm, after->way)];
}

/* Warms up, checks, and times the solves of one size, on the ranks that hold boxes of the level. */
static void measure(struct solver *s, const struct record *b, struct size_record *r,
                    const struct options *o)
{
    const struct level *l = s->hierarchy->levels[s->top];
    struct hand_overs before = {.way = HAND_OVER_NONE};
    cpu_release_threads();
    for (long i = -WARM_UP_SOLVES; i < 0 || goes_on(l, r, o); i++) {
        if (i == 0) {
            before = hand_overs_of(s);
            meters_begin(l->backend->on_device);
        }
        comm_barrier(l->comm);
        solver_run(s, &r->solve);
        if (i == -WARM_UP_SOLVES && !check_first(s, b, r))
            return;
        if (i >= 0)
            add_sample(r, r->solve.seconds);
        if (i >= 0 && !o->quiet)
            show_progress(r, false);
    }
    if (!o->quiet)
        show_progress(r, true);
    r->meters = meters_end(l->comm);
    r->meters.joules /= (double)r->solves;
    const struct hand_overs after = hand_overs_of(s);
    r->reproducible = reduce_checksum(l, FIELD_U) == r->checksum;
    record_hand_over(r, l->comm, &before, &after);
    summarise(r);
}

/* ‖u − u_exact‖_max; NaN if u_exact is unknown. Overwrites FIELD_SAVE. */
static double true_error(const struct hierarchy *h, struct level *l)
{
    if (!problems[h->choice.problem].exact || !l->active)
        return NAN;
    problem_solution(l, h->choice.problem, FIELD_SAVE);
    vector_combine(l, FIELD_SAVE, 1.0, FIELD_U, -1.0, FIELD_SAVE);
    return reduce_norm(l, FIELD_SAVE);
}

/* ‖u − R u_finer‖_max on level l, whose FIELD_SAVE holds R u_finer. */
static double richardson_difference(struct level *l)
{
    if (l->active)
        vector_combine(l, FIELD_SAVE, 1.0, FIELD_U, -1.0, FIELD_SAVE);
    return reduce_norm(l, FIELD_SAVE);
}

/* Begins the record of one size. f of a coarser one is that of the next finer one, restricted. */
static struct size_record *begin_size(struct hierarchy *h, struct record *b, int level)
{
    static const char *const names[SOLVED_LEVELS] = {"h", "2h", "4h"};
    const struct level *l = h->levels[level];
    b->sizes[level] = (struct size_record){.name = names[level],
                                           .level = level,
                                           .n = {l->n[0], l->n[1], l->n[2]},
                                           .unknowns = extent_cells(l->n),
                                           .h = l->stencil->spacing.shortest};
    if (level > 0) {
        transfer_restrict(h, level - 1, FIELD_U, FIELD_SAVE);
        transfer_restrict(h, level - 1, FIELD_F, FIELD_F);
    }
    return &b->sizes[level];
}

/* What the solution of one size says about errors. */
static void find_errors(struct hierarchy *h, struct record *b, int level)
{
    const double difference = level > 0 ? richardson_difference(h->levels[level]) : 0.0;
    if (level == 1)
        b->richardson_error = difference;
    if (level == 2) {
        b->richardson_order = log2(difference / b->richardson_error);
        b->has_richardson = true;
    }
    b->sizes[level].true_error = true_error(h, h->levels[level]);
}

void benchmark_run(struct record *b, struct hierarchy *h, const struct options *options)
{
    b->nsizes = hierarchy_solved_levels(h);
    for (int level = 0; level < b->nsizes; level++) {
        struct size_record *r = begin_size(h, b, level);
        struct solver *s = solver_create(h, level, benchmark_solver_choice(options));
        if (level == 0 && !options->quiet)
            ranks_measure(&b->ranks, s);
        if (h->levels[level]->active)
            measure(s, b, r, options);
        if (r->solves > 0 && !options->quiet)
            breakdown_measure(s, r);
        if (options->timeline && level == 0)
            b->timeline = timeline_record(s);
        solver_destroy(s);
        find_errors(h, b, level);
    }
    ranks_gather(&b->ranks, &b->sizes[0].meters);
    unused_options(h, b, options);
    b->bottom = bottom_counts(h->bottom); /* rank 0 holds the coarsest level */
    if (comm_rank() == 0) {
        b->copy_bytes_per_second = ranks_sum(&b->ranks, RATE_COPY);
        b->verdict = verdict_of(b, options);
        score_judge(b, options);
    }
    comm_broadcast(comm_world(), &b->verdict.valid, sizeof b->verdict.valid);
    record_complete(b);
}
