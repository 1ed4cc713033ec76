/* docs/json-report.md describes the keys, docs/json-report.schema.json is what tests check. */
#include "app/json_report.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/build_info.h"
#include "app/facts.h"
#include "app/output_file.h"
#include "base/memory.h"
#include "comm/comm.h"

/* Raised when a key goes away or changes its meaning; new keys do not raise it. */
enum { SCHEMA = 1 };

struct json_report {
    char *path;
    struct output_file *file; /* NULL on all ranks but 0 */
};

bool json_report_available(void)
{
    return true;
}

/* With these hooks cJSON never fails: memory_alloc does not come back without memory. */
static void *allocate(size_t bytes)
{
    return memory_alloc(bytes, "the JSON report");
}

static void use_the_ledger(void)
{
    cJSON_Hooks hooks = {allocate, memory_free};
    cJSON_InitHooks(&hooks);
}

/* The shortest text that reads back as the same double; cJSON's own may be off by one bit. JSON
 * knows neither NaN nor infinity. */
static cJSON *number(double value)
{
    char text[32];
    if (!isfinite(value))
        return cJSON_CreateNull();
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return cJSON_CreateRaw(text);
}

static void add_number(cJSON *object, const char *key, double value)
{
    cJSON_AddItemToObject(object, key, number(value));
}

static cJSON *numbers(const double *values, long count)
{
    cJSON *array = cJSON_CreateArray();
    for (long i = 0; i < count; i++)
        cJSON_AddItemToArray(array, number(values[i]));
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

static void add_environment(cJSON *root, const struct environment *e)
{
    cJSON *object = cJSON_AddObjectToObject(root, "environment");
    cJSON_AddStringToObject(object, "version", build_version());
    cJSON_AddStringToObject(object, "revision", build_git_revision());
    cJSON_AddStringToObject(object, "compiler", build_compiler());
    cJSON_AddStringToObject(object, "flags", build_flags());
    cJSON_AddStringToObject(object, "mpi", e->mpi);
    cJSON_AddStringToObject(object, "host", e->host);
    cJSON_AddStringToObject(object, "cpu", e->cpu);
    if (e->gpu[0])
        cJSON_AddStringToObject(object, "gpu", e->gpu);
    else
        cJSON_AddNullToObject(object, "gpu");
    add_number(object, "gpus", e->gpus);
    add_number(object, "cuda_driver", e->cuda_driver);
    add_number(object, "cuda_runtime", e->cuda_runtime);
    cJSON_AddStringToObject(object, "date", e->date);
    add_number(object, "nodes", e->nodes);
    add_number(object, "ranks_per_node", e->ranks_per_node);
    add_number(object, "processors", e->processors);
    add_number(object, "usable_processors", e->usable);
}

static void add_problem(cJSON *root, const struct facts *f)
{
    cJSON *object = cJSON_AddObjectToObject(root, "problem");
    add_number(object, "n", f->levels[0].dim);
    add_number(object, "dof", f->unknowns);
    add_number(object, "boxes", f->levels[0].boxes);
    add_number(object, "box_dim", f->levels[0].box_dim);
    add_number(object, "levels", f->nlevels);
    add_number(root, "n_resources", f->environment.ranks);
    add_number(root, "total_problem_size", f->unknowns);
    add_number(root, "process_problem_size", f->unknowns / f->environment.ranks);
}

static void add_hierarchy(cJSON *root, const struct facts *f, double build_seconds)
{
    cJSON *object = cJSON_AddObjectToObject(root, "hierarchy");
    add_number(object, "build_seconds", build_seconds);
    cJSON *levels = cJSON_AddArrayToObject(object, "levels");
    for (int l = 0; l < f->nlevels; l++) {
        const struct level_facts *v = &f->levels[l];
        cJSON *level = cJSON_CreateObject();
        add_number(level, "level", l);
        add_number(level, "n", v->dim);
        add_number(level, "boxes", v->boxes);
        add_number(level, "box_dim", v->box_dim);
        add_number(level, "merged_boxes", v->cuboids);
        add_number(level, "ranks", v->ranks);
        cJSON_AddStringToObject(level, "backend", v->backend);
        add_number(level, "field_bytes", v->bytes);
        cJSON_AddItemToArray(levels, level);
    }
}

static void add_memory(cJSON *root, const struct facts *f)
{
    add_number(root, "memory_bytes_per_unknown", f->field_bytes / f->unknowns);
    cJSON *object = cJSON_AddObjectToObject(root, "memory");
    add_number(object, "field_bytes", f->field_bytes);
    add_number(object, "peak_bytes", f->peak_bytes);
    add_number(object, "device_peak_bytes", f->device_peak_bytes);
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
    add_number(object, "level", row->level);
    cJSON_AddStringToObject(object, "stage", row->name);
    add_number(object, "calls", row->calls);
    add_number(object, "seconds", row->seconds);
    add_number(object, "bytes", row->bytes);
    add_number(object, "bytes_per_second", bytes_per_second);
    add_number(object, "fraction_of_copy", bytes_per_second / copy_bytes_per_second);
    add_number(object, "pack_seconds", row->pack);
    add_number(object, "local_seconds", row->local);
    add_number(object, "wait_seconds", row->wait);
    add_number(object, "unpack_seconds", row->unpack);
    return object;
}

static void add_seconds(cJSON *object, const struct size_record *r)
{
    const bool timed = r->solves > 0;
    add_number(object, "seconds_per_solve", timed ? r->mean : NAN);
    cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
    add_number(seconds, "min", timed ? r->min : NAN);
    add_number(seconds, "median", timed ? r->median : NAN);
    add_number(seconds, "mean", timed ? r->mean : NAN);
    add_number(seconds, "max", timed ? r->max : NAN);
    add_number(seconds, "deviation", timed ? r->deviation : NAN);
    add_number(object, "timed_solves", (double)r->solves);
    cJSON_AddItemToObject(object, "samples", numbers(r->samples, r->solves));
}

static cJSON *solve(const struct size_record *r, const struct benchmark *b)
{
    const struct solve_result *s = &r->solve;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "level", r->name);
    add_number(object, "n", r->dim);
    add_number(object, "h", r->h);
    add_number(object, "dof", pow(r->dim, 3));
    cJSON_AddStringToObject(object, "outcome", outcome_text(s->outcome));
    add_number(object, "cycles", s->cycles);
    add_number(object, "rel_residual", s->cycles > 0 ? s->history[s->cycles - 1] : NAN);
    cJSON_AddItemToObject(object, "history", numbers(s->history, s->cycles));
    add_number(object, "dof_per_second",
               b->nreasons == 0 && r->solves > 0 ? r->dof_per_second : NAN);
    add_seconds(object, r);
    add_hash(object, "checksum", r->checksum);
    cJSON_AddBoolToObject(object, "reproducible", r->reproducible);
    add_number(object, "true_error", r->true_error);
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
    add_number(richardson, "error", b->has_richardson ? b->richardson_error : NAN);
    add_number(richardson, "order", b->has_richardson ? b->richardson_order : NAN);
    add_number(root, "copy_bytes_per_second",
               b->copy_bytes_per_second > 0.0 ? b->copy_bytes_per_second : NAN);
}

static void add_bottom(cJSON *root, const struct benchmark *b)
{
    cJSON *object = cJSON_AddObjectToObject(root, "bottom");
    add_number(object, "solves", (double)b->bottom.solves);
    add_number(object, "iterations", (double)b->bottom.iterations);
    add_number(object, "mean_iterations", (double)b->bottom.iterations / (double)b->bottom.solves);
    cJSON *breakdowns = cJSON_AddObjectToObject(object, "breakdowns");
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        add_number(breakdowns, breakdown_text((enum breakdown)i), (double)b->bottom.breakdowns[i]);
}

static void add_verdict(cJSON *root, const struct facts *f, const struct benchmark *b)
{
    bool complete = true;
    for (int s = 0; s < b->nsizes; s++)
        complete = complete && b->sizes[s].solves > 0;
    cJSON_AddStringToObject(root, "verdict", b->nreasons == 0 ? "VALID" : "INVALID");
    cJSON *reasons = cJSON_AddArrayToObject(root, "reasons");
    for (int r = 0; r < b->nreasons; r++)
        cJSON_AddItemToArray(reasons, cJSON_CreateString(b->reasons[r]));
    cJSON *warnings = cJSON_AddArrayToObject(root, "warnings");
    for (int w = 0; w < f->nwarnings; w++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(f->warnings[w]));
    cJSON_AddBoolToObject(root, "complete", complete);
}

static cJSON *report(const struct facts *f, const struct hierarchy *h,
                     const struct options *options, const struct benchmark *b)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "program", "hpgmg-gpu");
    add_number(root, "schema", SCHEMA);
    add_verdict(root, f, b);
    add_number(root, "ranks", f->environment.ranks);
    add_number(root, "threads", f->environment.threads);
    add_number(root, "order", options->order);
    add_hash(root, "checksum", b->sizes[0].checksum);
    add_memory(root, f);
    add_problem(root, f);
    options_visit(options, add_option, cJSON_AddObjectToObject(root, "config"));
    add_environment(root, &f->environment);
    add_hierarchy(root, f, h->build_seconds);
    add_bottom(root, b);
    add_solves(root, b);
    return root;
}

static bool complain(const char *path)
{
    fprintf(stderr, "hpgmg-gpu: error: --json: cannot write '%s': %s\n", path, strerror(errno));
    return false;
}

static void release(struct json_report *json)
{
    memory_free(json->path);
    memory_free(json);
}

struct json_report *json_report_open(const char *path)
{
    struct json_report *json = memory_alloc_zero(sizeof *json, "the JSON report");
    int good = 1;
    json->path = memory_alloc(strlen(path) + 1, "a file name");
    strcpy(json->path, path);
    if (comm_rank() == 0) {
        json->file = output_file_open(path);
        good = json->file || complain(path);
    }
    comm_broadcast(MPI_COMM_WORLD, &good, sizeof good);
    if (good)
        return json;
    release(json);
    return NULL;
}

static bool write_text(struct json_report *json, cJSON *root)
{
    char *text = cJSON_Print(root);
    const bool good = output_file_write(json->file, text) || complain(json->path);
    cJSON_free(text);
    return good;
}

bool json_report_write(struct json_report *json, const struct hierarchy *h,
                       const struct options *options, const struct benchmark *b)
{
    struct facts f;
    int good = 1;
    facts_gather(&f, h, b);
    if (comm_rank() == 0) {
        use_the_ledger();
        cJSON *root = report(&f, h, options, b);
        good = write_text(json, root);
        cJSON_Delete(root);
    }
    comm_broadcast(MPI_COMM_WORLD, &good, sizeof good);
    release(json);
    return good;
}
