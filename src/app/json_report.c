/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/json-report.md describes the keys, docs/json-report.schema.json is what tests check. */
#include "app/json_report.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "app/rank_report.h"
#include "app/run_info.h"
#include "app/score.h"
#include "config/threshold.h"
#include "config/transport.h"
#include "cli/build_info.h"
#include "cli/json.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "cuda/power.h"
#include "cuda/tuning.h"

/* Raised when a key goes away or changes its meaning; new keys do not raise it. */
enum { SCHEMA = 3 };

static void add_numbers(struct json *object, const char *key, const double *values, long count)
{
    struct json *array = json_add_array(object, key);
    for (long i = 0; i < count; i++)
        json_add_number(array, NULL, values[i]);
}

static void add_hash(struct json *object, const char *key, uint64_t value)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    json_add_text(object, key, text);
}

static void add_option(void *data, const char *name, const char *value)
{
    json_add_text(data, name, value);
}

static void add_environment(struct json *root, const struct run_info *f)
{
    const struct environment *e = &f->environment;
    struct json *object = json_add_object(root, "environment");
    JSON_TEXTS(object, {"version", build_info.version}, {"revision", build_info.revision},
               {"compiler", build_info.compiler}, {"flags", build_info.flags}, {"mpi", e->mpi},
               {"host", e->host}, {"cpu", e->cpu}, {"gpu", e->gpu[0] ? e->gpu : NULL},
               {"transport", transport_chosen()->name},
               {"transport_between_nodes", transport_chosen()->elsewhere}, {"date", e->date});
    JSON_NUMBERS(object, {"gpus", e->gpus}, {"overlap_above", f->overlap_above},
                 {"neighbours", f->neighbours},
                 {"neighbours_between_nodes", f->neighbours_elsewhere},
                 {"cuda_driver", e->cuda_driver}, {"cuda_runtime", e->cuda_runtime},
                 {"nodes", e->nodes}, {"ranks_per_node", e->ranks_per_node},
                 {"processors", e->processors}, {"usable_processors", e->usable});
}

/* The longest side, 1/h, and all three. */
static void add_extent(struct json *object, const int n[3])
{
    const double cells[3] = {n[0], n[1], n[2]};
    json_add_number(object, "n", extent_longest(n));
    add_numbers(object, "cells", cells, 3);
}

static void add_problem(struct json *root, const struct run_info *f)
{
    struct json *object = json_add_object(root, "problem");
    add_extent(object, f->levels[0].n);
    JSON_NUMBERS(object, {"dof", f->unknowns}, {"boxes", f->levels[0].boxes},
                 {"box_dim", f->levels[0].box_cells[0]}, {"levels", f->nlevels},
                 {"rhs_mean", f->rhs_mean});
    JSON_NUMBERS(root, {"n_resources", f->environment.ranks}, {"total_problem_size", f->unknowns},
                 {"process_problem_size", f->unknowns / f->environment.ranks});
}

static void add_hierarchy(struct json *root, const struct run_info *f, double build_seconds)
{
    struct json *object = json_add_object(root, "hierarchy");
    json_add_number(object, "build_seconds", build_seconds);
    struct json *levels = json_add_array(object, "levels");
    for (int l = 0; l < f->nlevels; l++) {
        const struct level_info *v = &f->levels[l];
        struct json *level = json_add_object(levels, NULL);
        const double box_cells[3] = {v->box_cells[0], v->box_cells[1], v->box_cells[2]};
        json_add_number(level, "level", l);
        add_extent(level, v->n);
        JSON_NUMBERS(level, {"boxes", v->boxes}, {"box_dim", extent_longest(v->box_cells)},
                     {"merged_boxes", v->cuboids}, {"ranks", v->ranks}, {"field_bytes", v->bytes});
        add_numbers(level, "box_cells", box_cells, 3);
        json_add_text(level, "backend", v->backend);
        json_add_number(level, "threads", v->threads);
    }
}

static void add_memory(struct json *root, const struct run_info *f)
{
    json_add_number(root, "memory_bytes_per_unknown", f->field_bytes / f->unknowns);
    struct json *object = json_add_object(root, "memory");
    JSON_NUMBERS(object, {"field_bytes", f->field_bytes}, {"peak_bytes", f->peak_bytes},
                 {"device_peak_bytes", f->device_peak_bytes});
}

/* A rate is null where nothing is counted or nothing was measured. */
static double rate(double bytes, double seconds)
{
    return bytes > 0.0 && seconds > 0.0 ? bytes / seconds : NAN;
}

static void append_stage(struct json *stages, const struct stage_record *row,
                         double copy_bytes_per_second)
{
    struct json *object = json_add_object(stages, NULL);
    const double bytes_per_second = rate(row->bytes, row->seconds);
    JSON_TEXTS(object, {"stage", row->name}, {"work", row->work}, {"kernels", row->kernels});
    JSON_NUMBERS(object, {"level", row->level}, {"calls", row->calls}, {"seconds", row->seconds},
                 {"bytes", row->bytes}, {"bytes_per_second", bytes_per_second},
                 {"fraction_of_copy", bytes_per_second / copy_bytes_per_second},
                 {"pack_seconds", row->pack}, {"local_seconds", row->local},
                 {"wait_seconds", row->wait}, {"unpack_seconds", row->unpack});
}

static void add_seconds(struct json *object, const struct size_record *r)
{
    const bool timed = r->solves > 0;
    json_add_number(object, "seconds_per_solve", timed ? r->mean : NAN);
    struct json *seconds = json_add_object(object, "seconds");
    JSON_NUMBERS(seconds, {"min", timed ? r->min : NAN}, {"median", timed ? r->median : NAN},
                 {"mean", timed ? r->mean : NAN}, {"max", timed ? r->max : NAN},
                 {"deviation", timed ? r->deviation : NAN}, {"spread", timed ? r->spread : NAN},
                 {"drift", timed ? r->drift : NAN});
    json_add_flag(object, "noisy", size_is_noisy(r));
    json_add_number(object, "timed_solves", (double)r->solves);
    add_numbers(object, "samples", r->samples, r->solves);
}

/* Rank 0 holds the coarsest levels. */
static void add_hand_over(struct json *object, const struct size_record *r)
{
    const struct hand_over_times *t = &r->hand_over_times;
    json_add_text(object, "hand_over", r->hand_over);
    if (t->total > 0.0)
        JSON_NUMBERS(object, {"hand_over_seconds", t->total - t->host}, {"cpu_seconds", t->host});
}

/* What is not known is null. */
static void add_meters(struct json *object, const struct size_record *r)
{
    char text[POWER_TEXT_SIZE];
    const struct meters *m = &r->meters;
    const double joules = m->joules > 0.0 ? m->joules : (double)NAN;
    struct json *gpu = json_add_object(object, "gpu");
    JSON_NUMBERS(gpu, {"slowest_mhz", m->slowest}, {"fastest_mhz", m->fastest},
                 {"joules_per_solve", joules}, {"dof_per_joule", r->unknowns / joules});
    json_add_text(gpu, "throttled_by",
                  m->slowest > 0.0 ? power_reasons_text(m->reasons, text) : NULL);
}

static void append_solve(struct json *solves, const struct size_record *r,
                         const struct benchmark *b)
{
    const struct solve_result *s = &r->solve;
    struct json *object = json_add_object(solves, NULL);
    json_add_text(object, "level", r->name);
    add_extent(object, r->n);
    JSON_NUMBERS(object, {"h", r->h}, {"dof", r->unknowns});
    json_add_text(object, "outcome", outcome_text(s->outcome));
    JSON_NUMBERS(object, {"cycles", s->cycles}, {"idr_cycles", s->outer_cycles},
                 {"rel_residual", s->cycles > 0 ? s->history[s->cycles - 1] : NAN});
    add_numbers(object, "history", s->history, s->cycles);
    json_add_number(object, "dof_per_second",
                    b->verdict.valid && r->solves > 0 ? r->dof_per_second : NAN);
    add_seconds(object, r);
    add_hash(object, "checksum", r->checksum);
    json_add_flag(object, "reproducible", r->reproducible);
    if (r->hand_over)
        add_hand_over(object, r);
    if (r->solves > 0 && cuda_device())
        add_meters(object, r);
    json_add_number(object, "true_error", r->true_error);
    struct json *stages = json_add_array(object, "stages");
    for (int i = 0; i < r->nstages; i++)
        append_stage(stages, &r->stages[i], b->copy_bytes_per_second);
}

static void add_solves(struct json *root, const struct benchmark *b)
{
    struct json *solves = json_add_array(root, "solves");
    for (int s = 0; s < b->nsizes; s++)
        append_solve(solves, &b->sizes[s], b);
    struct json *richardson = json_add_object(root, "richardson");
    JSON_NUMBERS(richardson, {"error", b->has_richardson ? b->richardson_error : NAN},
                 {"order", b->has_richardson ? b->richardson_order : NAN});
    json_add_number(root, "copy_bytes_per_second",
                    b->copy_bytes_per_second > 0.0 ? b->copy_bytes_per_second : NAN);
}

static void add_bottom(struct json *root, const struct benchmark *b)
{
    struct json *object = json_add_object(root, "bottom");
    JSON_NUMBERS(object, {"solves", (double)b->bottom.solves},
                 {"iterations", (double)b->bottom.iterations},
                 {"mean_iterations", (double)b->bottom.iterations / (double)b->bottom.solves});
    struct json *breakdowns = json_add_object(object, "breakdowns");
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        json_add_number(breakdowns, breakdown_text((enum breakdown)i),
                        (double)b->bottom.breakdowns[i]);
}

static void append_check(struct json *checks, const struct check *c)
{
    struct json *object = json_add_object(checks, NULL);
    JSON_TEXTS(object, {"check", c->name}, {"size", c->size},
               {"state", check_state_text(c->state)});
    JSON_NUMBERS(object, {"value", c->value}, {"lowest", c->lowest}, {"highest", c->highest});
    json_add_text(object, "grounds", c->grounds);
}

static void add_verdict(struct json *root, const struct run_info *f, const struct benchmark *b)
{
    bool complete = true;
    for (int s = 0; s < b->nsizes; s++)
        complete = complete && b->sizes[s].solves > 0;
    json_add_text(root, "verdict", b->verdict.valid ? "VALID" : "INVALID");
    struct json *reasons = json_add_array(root, "reasons");
    char text[CHECK_TEXT_SIZE];
    for (int c = 0; c < b->verdict.nchecks; c++)
        if (b->verdict.checks[c].state == CHECK_FAILED)
            json_add_text(reasons, NULL, check_text(&b->verdict.checks[c], text, sizeof text));
    json_add_flag(root, "accuracy_checked", b->verdict.accuracy_checked);
    struct json *checks = json_add_array(root, "checks");
    for (int c = 0; c < b->verdict.nchecks; c++)
        append_check(checks, &b->verdict.checks[c]);
    struct json *warnings = json_add_array(root, "warnings");
    for (int w = 0; w < f->nwarnings; w++)
        json_add_text(warnings, NULL, f->warnings[w]);
    json_add_flag(root, "complete", complete);
}

/* Of a VALID run; its rates are those of `solves`. */
static void add_score(struct json *root, const struct run_info *f, const struct options *options,
                      const struct benchmark *b)
{
    char text[SCORE_TEXT_SIZE];
    struct json *object = json_add_object(root, "score");
    const char *deviations = score_deviations(f, options, b, text);
    json_add_flag(object, "official", b->verdict.valid && !deviations[0]);
    json_add_text(object, "deviations", deviations);
}

/* What a threshold has been chosen from. */
static void add_threshold(void *data, const struct threshold *t)
{
    char key[64];
    snprintf(key, sizeof key, "%s_trials", t->option);
    struct json *object = json_add_object(data, key);
    add_extent(object, t->n);
    JSON_NUMBERS(object, {"chosen", (double)t->trials[t->best].below});
    struct json *trials = json_add_array(object, "trials");
    for (int i = 0; i < t->count; i++) {
        struct json *trial = json_add_object(trials, NULL);
        json_add_number(trial, t->option, (double)t->trials[i].below);
        json_add_number(trial, "threads", t->trials[i].threads);
        json_add_number(trial, "seconds_per_solve", t->trials[i].seconds);
    }
}

static struct json *report(const struct run_info *f, const struct hierarchy *h,
                           const struct options *options, const struct benchmark *b)
{
    struct json *root = json_object();
    json_add_text(root, "program", "hpgmg-gpu");
    json_add_number(root, "schema", SCHEMA);
    add_verdict(root, f, b);
    add_score(root, f, options, b);
    JSON_NUMBERS(root, {"ranks", f->environment.ranks}, {"threads", f->environment.threads},
                 {"order", options->solver.order});
    add_hash(root, "checksum", b->sizes[0].checksum);
    add_memory(root, f);
    add_problem(root, f);
    options_visit(options, add_option, json_add_object(root, "config"));
    add_environment(root, f);
    threshold_visit(add_threshold, root);
    if (cuda_tuning_source())
        json_add_text(root, "tuning", cuda_tuning_source());
    add_hierarchy(root, f, h->build_seconds);
    add_bottom(root, b);
    add_solves(root, b);
    rank_report_add_json(root, &b->ranks);
    return root;
}

bool json_report_write(struct output_file *file, const struct hierarchy *h,
                       const struct options *options, const struct benchmark *b)
{
    struct run_info f;
    int good = 1;
    run_info_gather(&f, h, b);
    if (comm_rank() == 0) {
        struct json *root = report(&f, h, options, b);
        good = json_write(file, root);
        json_destroy(root);
    }
    comm_broadcast(comm_world(), &good, sizeof good);
    return good;
}
