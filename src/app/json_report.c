/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/json-report.md describes the keys, docs/json-report.schema.json is what tests check. */
#include "app/json_report.h"
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "app/run_info.h"
#include "app/threshold.h"
#include "app/transport.h"
#include "base/memory.h"
#include "cli/build_info.h"
#include "cli/json.h"
#include "cli/tuning_choice.h"
#include "cli/tuning_file.h"
#include "comm/comm.h"

/* Raised when a key goes away or changes its meaning; new keys do not raise it. */
enum { SCHEMA = 1 };

struct json_report {
    struct json_file *file; /* NULL on all ranks but 0 */
};

bool json_report_available(void)
{
    return json_available();
}

static cJSON *numbers(const double *values, long count)
{
    cJSON *array = cJSON_CreateArray();
    for (long i = 0; i < count; i++)
        cJSON_AddItemToArray(array, json_number(values[i]));
    return array;
}

static void add_hash(cJSON *object, const char *key, uint64_t value)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    cJSON_AddStringToObject(object, key, text);
}

static void add_option(void *data, const char *name, const char *value)
{
    cJSON_AddStringToObject(data, name, value);
}

static void add_environment(cJSON *root, const struct run_info *f)
{
    const struct environment *e = &f->environment;
    cJSON *object = cJSON_AddObjectToObject(root, "environment");
    cJSON_AddStringToObject(object, "version", build_version());
    cJSON_AddStringToObject(object, "revision", build_git_revision());
    cJSON_AddStringToObject(object, "compiler", build_compiler());
    cJSON_AddStringToObject(object, "flags", build_flags());
    cJSON_AddStringToObject(object, "mpi", e->mpi);
    cJSON_AddStringToObject(object, "host", e->host);
    cJSON_AddStringToObject(object, "cpu", e->cpu);
    json_add_text(object, "gpu", e->gpu[0] ? e->gpu : NULL);
    json_add_number(object, "gpus", e->gpus);
    json_add_text(object, "transport", transport_chosen()->name);
    json_add_text(object, "transport_between_nodes", transport_chosen()->elsewhere);
    json_add_number(object, "overlap_above", f->overlap_above);
    json_add_number(object, "neighbours", f->neighbours);
    json_add_number(object, "neighbours_between_nodes", f->neighbours_elsewhere);
    json_add_number(object, "cuda_driver", e->cuda_driver);
    json_add_number(object, "cuda_runtime", e->cuda_runtime);
    cJSON_AddStringToObject(object, "date", e->date);
    json_add_number(object, "nodes", e->nodes);
    json_add_number(object, "ranks_per_node", e->ranks_per_node);
    json_add_number(object, "processors", e->processors);
    json_add_number(object, "usable_processors", e->usable);
}

static void add_problem(cJSON *root, const struct run_info *f)
{
    cJSON *object = cJSON_AddObjectToObject(root, "problem");
    json_add_number(object, "n", f->levels[0].dim);
    json_add_number(object, "dof", f->unknowns);
    json_add_number(object, "boxes", f->levels[0].boxes);
    json_add_number(object, "box_dim", f->levels[0].box_dim);
    json_add_number(object, "levels", f->nlevels);
    json_add_number(root, "n_resources", f->environment.ranks);
    json_add_number(root, "total_problem_size", f->unknowns);
    json_add_number(root, "process_problem_size", f->unknowns / f->environment.ranks);
}

static void add_hierarchy(cJSON *root, const struct run_info *f, double build_seconds)
{
    cJSON *object = cJSON_AddObjectToObject(root, "hierarchy");
    json_add_number(object, "build_seconds", build_seconds);
    cJSON *levels = cJSON_AddArrayToObject(object, "levels");
    for (int l = 0; l < f->nlevels; l++) {
        const struct level_facts *v = &f->levels[l];
        cJSON *level = cJSON_CreateObject();
        json_add_number(level, "level", l);
        json_add_number(level, "n", v->dim);
        json_add_number(level, "boxes", v->boxes);
        json_add_number(level, "box_dim", v->box_dim);
        json_add_number(level, "merged_boxes", v->cuboids);
        json_add_number(level, "ranks", v->ranks);
        cJSON_AddStringToObject(level, "backend", v->backend);
        json_add_number(level, "field_bytes", v->bytes);
        cJSON_AddItemToArray(levels, level);
    }
}

static void add_memory(cJSON *root, const struct run_info *f)
{
    json_add_number(root, "memory_bytes_per_unknown", f->field_bytes / f->unknowns);
    cJSON *object = cJSON_AddObjectToObject(root, "memory");
    json_add_number(object, "field_bytes", f->field_bytes);
    json_add_number(object, "peak_bytes", f->peak_bytes);
    json_add_number(object, "device_peak_bytes", f->device_peak_bytes);
}

/* A rate is null where nothing is counted or nothing was measured. */
static double rate(double bytes, double seconds)
{
    return bytes > 0.0 && seconds > 0.0 ? bytes / seconds : NAN;
}

static cJSON *stage(const struct stage_record *row, double copy_bytes_per_second)
{
    cJSON *object = cJSON_CreateObject();
    const double bytes_per_second = rate(row->bytes, row->seconds);
    json_add_number(object, "level", row->level);
    cJSON_AddStringToObject(object, "stage", row->name);
    cJSON_AddStringToObject(object, "kernels", row->kernels);
    json_add_number(object, "calls", row->calls);
    json_add_number(object, "seconds", row->seconds);
    json_add_number(object, "bytes", row->bytes);
    json_add_number(object, "bytes_per_second", bytes_per_second);
    json_add_number(object, "fraction_of_copy", bytes_per_second / copy_bytes_per_second);
    json_add_number(object, "pack_seconds", row->pack);
    json_add_number(object, "local_seconds", row->local);
    json_add_number(object, "wait_seconds", row->wait);
    json_add_number(object, "unpack_seconds", row->unpack);
    return object;
}

static void add_seconds(cJSON *object, const struct size_record *r)
{
    const bool timed = r->solves > 0;
    json_add_number(object, "seconds_per_solve", timed ? r->mean : NAN);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    json_add_number(seconds, "min", timed ? r->min : NAN);
    json_add_number(seconds, "median", timed ? r->median : NAN);
    json_add_number(seconds, "mean", timed ? r->mean : NAN);
    json_add_number(seconds, "max", timed ? r->max : NAN);
    json_add_number(seconds, "deviation", timed ? r->deviation : NAN);
    json_add_number(object, "timed_solves", (double)r->solves);
    cJSON_AddItemToObject(object, "samples", numbers(r->samples, r->solves));
}

static cJSON *solve(const struct size_record *r, const struct benchmark *b)
{
    const struct solve_result *s = &r->solve;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "level", r->name);
    json_add_number(object, "n", r->dim);
    json_add_number(object, "h", r->h);
    json_add_number(object, "dof", pow(r->dim, 3));
    cJSON_AddStringToObject(object, "outcome", outcome_text(s->outcome));
    json_add_number(object, "cycles", s->cycles);
    json_add_number(object, "rel_residual", s->cycles > 0 ? s->history[s->cycles - 1] : NAN);
    cJSON_AddItemToObject(object, "history", numbers(s->history, s->cycles));
    json_add_number(object, "dof_per_second",
                    b->verdict.valid && r->solves > 0 ? r->dof_per_second : NAN);
    add_seconds(object, r);
    add_hash(object, "checksum", r->checksum);
    cJSON_AddBoolToObject(object, "reproducible", r->reproducible);
    json_add_number(object, "true_error", r->true_error);
    cJSON *stages = cJSON_AddArrayToObject(object, "stages");
    for (int i = 0; i < r->nstages; i++)
        cJSON_AddItemToArray(stages, stage(&r->stages[i], b->copy_bytes_per_second));
    return object;
}

static void add_solves(cJSON *root, const struct benchmark *b)
{
    cJSON *solves = cJSON_AddArrayToObject(root, "solves");
    for (int s = 0; s < b->nsizes; s++)
        cJSON_AddItemToArray(solves, solve(&b->sizes[s], b));
    cJSON *richardson = cJSON_AddObjectToObject(root, "richardson");
    json_add_number(richardson, "error", b->has_richardson ? b->richardson_error : NAN);
    json_add_number(richardson, "order", b->has_richardson ? b->richardson_order : NAN);
    json_add_number(root, "copy_bytes_per_second",
                    b->copy_bytes_per_second > 0.0 ? b->copy_bytes_per_second : NAN);
}

static void add_bottom(cJSON *root, const struct benchmark *b)
{
    cJSON *object = cJSON_AddObjectToObject(root, "bottom");
    json_add_number(object, "solves", (double)b->bottom.solves);
    json_add_number(object, "iterations", (double)b->bottom.iterations);
    json_add_number(object, "mean_iterations",
                    (double)b->bottom.iterations / (double)b->bottom.solves);
    cJSON *breakdowns = cJSON_AddObjectToObject(object, "breakdowns");
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        json_add_number(breakdowns, breakdown_text((enum breakdown)i),
                        (double)b->bottom.breakdowns[i]);
}

static cJSON *check(const struct check *c)
{
    cJSON *object = json_object();
    cJSON_AddStringToObject(object, "check", c->name);
    cJSON_AddStringToObject(object, "size", c->size);
    cJSON_AddStringToObject(object, "state", check_state_text(c->state));
    json_add_number(object, "value", c->value);
    json_add_number(object, "lowest", c->lowest);
    json_add_number(object, "highest", c->highest);
    cJSON_AddStringToObject(object, "grounds", c->grounds);
    return object;
}

static void add_verdict(cJSON *root, const struct run_info *f, const struct benchmark *b)
{
    bool complete = true;
    for (int s = 0; s < b->nsizes; s++)
        complete = complete && b->sizes[s].solves > 0;
    cJSON_AddStringToObject(root, "verdict", b->verdict.valid ? "VALID" : "INVALID");
    cJSON *reasons = cJSON_AddArrayToObject(root, "reasons");
    char text[CHECK_TEXT_SIZE];
    for (int c = 0; c < b->verdict.nchecks; c++)
        if (b->verdict.checks[c].state == CHECK_FAILED)
            cJSON_AddItemToArray(
                reasons, cJSON_CreateString(check_text(&b->verdict.checks[c], text, sizeof text)));
    cJSON_AddBoolToObject(root, "accuracy_checked", b->verdict.accuracy_checked);
    cJSON *checks = cJSON_AddArrayToObject(root, "checks");
    for (int c = 0; c < b->verdict.nchecks; c++)
        cJSON_AddItemToArray(checks, check(&b->verdict.checks[c]));
    cJSON *warnings = cJSON_AddArrayToObject(root, "warnings");
    for (int w = 0; w < f->nwarnings; w++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(f->warnings[w]));
    cJSON_AddBoolToObject(root, "complete", complete);
}

/* What a threshold has been chosen from. */
static void add_threshold(void *data, const struct threshold *t)
{
    char key[64];
    snprintf(key, sizeof key, "%s_trials", t->option);
    cJSON *object = cJSON_AddObjectToObject(data, key);
    json_add_number(object, "n", t->dim);
    json_add_number(object, "chosen", (double)t->trials[t->best].below);
    cJSON *trials = cJSON_AddArrayToObject(object, "trials");
    for (int i = 0; i < t->count; i++) {
        cJSON *trial = json_object();
        json_add_number(trial, t->option, (double)t->trials[i].below);
        json_add_number(trial, "seconds_per_solve", t->trials[i].seconds);
        cJSON_AddItemToArray(trials, trial);
    }
}

/* The tuned choices that kernels followed. */
static void add_tuning(cJSON *root)
{
    int count;
    const struct cuda_tuning *t = cuda_tunings(&count);
    if (!tuning_path())
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "tuning");
    cJSON_AddStringToObject(object, "file", tuning_path());
    json_add_number(object, "choices", count);
    cJSON *used = cJSON_AddArrayToObject(object, "used");
    for (int i = 0; i < count; i++) {
        char line[128];
        tuning_line(&t[i], line, sizeof line);
        if (t[i].launches > 0)
            cJSON_AddItemToArray(used, cJSON_CreateString(line));
    }
}

static cJSON *report(const struct run_info *f, const struct hierarchy *h,
                     const struct options *options, const struct benchmark *b)
{
    cJSON *root = json_object();
    cJSON_AddStringToObject(root, "program", "hpgmg-gpu");
    json_add_number(root, "schema", SCHEMA);
    add_verdict(root, f, b);
    json_add_number(root, "ranks", f->environment.ranks);
    json_add_number(root, "threads", f->environment.threads);
    json_add_number(root, "order", options->order);
    add_hash(root, "checksum", b->sizes[0].checksum);
    add_memory(root, f);
    add_problem(root, f);
    options_visit(options, add_option, cJSON_AddObjectToObject(root, "config"));
    add_environment(root, f);
    threshold_visit(add_threshold, root);
    add_tuning(root);
    add_hierarchy(root, f, h->build_seconds);
    add_bottom(root, b);
    add_solves(root, b);
    return root;
}

struct json_report *json_report_open(const char *path)
{
    struct json_report *json = memory_alloc_zero(sizeof *json, "the JSON report");
    int good = 1;
    if (comm_rank() == 0) {
        json->file = json_file_open(path);
        good = json->file != NULL;
    }
    comm_broadcast(MPI_COMM_WORLD, &good, sizeof good);
    if (good)
        return json;
    memory_free(json);
    return NULL;
}

bool json_report_write(struct json_report *json, const struct hierarchy *h,
                       const struct options *options, const struct benchmark *b)
{
    struct run_info f;
    int good = 1;
    run_info_gather(&f, h, b);
    if (comm_rank() == 0) {
        cJSON *root = report(&f, h, options, b);
        good = json_file_write(json->file, root);
        json_destroy(root);
    }
    comm_broadcast(MPI_COMM_WORLD, &good, sizeof good);
    memory_free(json);
    return good;
}

void json_report_discard(struct json_report *json)
{
    if (json->file)
        json_file_discard(json->file);
    memory_free(json);
}
