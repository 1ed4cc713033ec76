/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report_values.h"
#include <stdio.h>
#include <string.h>
#include "app/options.h"
#include "config/threshold.h"
#include "cuda/power.h"

/* How a member of OF lies there. */
#define KIND(member)                                                                               \
    _Generic(((OF *)NULL)->member, int: VALUE_INT, long: VALUE_LONG, double: VALUE_DOUBLE,          \
             bool: VALUE_FLAG, uint64_t: VALUE_HASH, const char *: VALUE_TEXT,                      \
             char *: VALUE_CHARS, int *: VALUE_EXTENT)
#define OFFSET(member) .offset = offsetof(OF, member)
#define AT(member) .kind = KIND(member), OFFSET(member)
#define LONGEST(member) .kind = VALUE_LONGEST, OFFSET(member)
#define COUNT(member) .count = offsetof(OF, member), .count_is_long = KIND(member) == VALUE_LONG
#define LIST(elements, member, counted)                                                            \
    .kind = VALUE_LIST, .of = &(elements), OFFSET(member), COUNT(counted)
#define OBJECT(members, member) .kind = VALUE_OBJECT, .of = &(members), OFFSET(member)
#define SAME(members) .kind = VALUE_OBJECT, .of = &(members)
#define NUMBER(function) .kind = VALUE_NUMBER, .number = (function)
#define WORDS(function) .kind = VALUE_WORDS, .words = (function)
#define ADDED(function) .kind = VALUE_ADDED, .add = (function)
#define COLUMN(title, columns) .label = (title), .width = (columns)
#define MILLISECONDS .format = "%.4f", .scale = 1e3
#define PERCENT .format = "%.1f%%", .scale = 100.0
/* A member that is in JSON alone. */
#define JSON(key, schema, member)                                                                  \
    {                                                                                              \
        key, schema, AT(member)                                                                    \
    }
/* The table of the members of OF. */
#define LOCAL_TABLE(name, ...)                                                                     \
    static const struct value name##_rows[] = {__VA_ARGS__, {0}};                                  \
    static const struct values name##_values = {name##_rows, sizeof(OF)};
#define TABLE(name, ...)                                                                           \
    static const struct value name##_rows[] = {__VA_ARGS__, {0}};                                  \
    const struct values name##_values = {name##_rows, sizeof(OF)};

/* --- getters: what follows from members --- */

enum { SHOWN_FIRST = 3, SHOWN_LAST = 3 };

/* The first and the last relative residuals. */
static const char *residuals(const void *of, char text[VALUE_TEXT_SIZE])
{
    const struct solve_result *s = &((const struct size_record *)of)->solve;
    int length = 0;
    text[0] = '\0';
    for (int c = 0; c < s->cycles; c++) {
        const bool gap = c == SHOWN_FIRST && s->cycles > SHOWN_FIRST + SHOWN_LAST;
        c = gap ? s->cycles - SHOWN_LAST : c;
        length += snprintf(text + length, (size_t)(VALUE_TEXT_SIZE - length), "%s%.2e",
                           gap ? " ... " : " ", s->history[c]);
    }
    return text;
}

/* A stage that is faster than a copy has some of its data in caches. */
static const char *of_copy(const void *of, char text[VALUE_TEXT_SIZE])
{
    const double fraction = ((const struct stage_record *)of)->fraction_of_copy;
    snprintf(text, VALUE_TEXT_SIZE, fraction > 1.0 ? "cached" : "%.1f", 100.0 * fraction);
    return isnan(fraction) ? NULL : text;
}

static const char *throttled_by(const void *of, char text[VALUE_TEXT_SIZE])
{
    const struct meters *m = &((const struct size_record *)of)->meters;
    return m->slowest > 0.0 ? power_reasons_text(m->reasons, text) : NULL;
}

static const char *boxes_words(const void *of, char text[VALUE_TEXT_SIZE])
{
    const struct level_record *l = of;
    return boxes_text(l->boxes, l->box_cells, text);
}

static double outlier_rank(const void *of)
{
    const struct rank_outlier *o = of;
    return o->rank == NO_RANK ? (double)NAN : o->rank;
}

static double numa_node(const void *of)
{
    const struct rank_record *r = of;
    return r->place.numa_node < 0 ? (double)NAN : r->place.numa_node;
}

const char *rank_place(const void *of, char text[VALUE_TEXT_SIZE])
{
    const struct rank_record *r = of;
    if (r->gpu[0])
        snprintf(text, VALUE_TEXT_SIZE, "host %s, %s, %s, %s", r->place.host, r->gpu, r->uuid,
                 r->bus_id);
    else
        snprintf(text, VALUE_TEXT_SIZE, "host %s, processors %s", r->place.host, r->place.cpuset);
    return text;
}

static double mean_iterations(const void *of)
{
    const struct bottom_counts *b = of;
    return (double)b->iterations / (double)b->solves;
}

/* Without what libraries add about their build. */
static const char *mpi_name(const void *of, char text[VALUE_TEXT_SIZE])
{
    const char *mpi = ((const struct record *)of)->environment.mpi;
    snprintf(text, VALUE_TEXT_SIZE, "%.*s", (int)strcspn(mpi, ",\n"), mpi);
    return text;
}

/* Of the CUDA runtime and the driver. */
static const char *cuda_versions(const void *of, char text[VALUE_TEXT_SIZE])
{
    const struct environment *e = &((const struct record *)of)->environment;
    snprintf(text, VALUE_TEXT_SIZE, "%d.%d, driver %d.%d; %d visible", e->cuda_runtime / 1000,
             e->cuda_runtime % 1000 / 10, e->cuda_driver / 1000, e->cuda_driver % 1000 / 10,
             e->gpus);
    return e->gpus > 0 ? text : NULL;
}

/* --- members of JSON that no row describes --- */

static void add_option(void *data, const char *name, const char *value)
{
    json_add_text(data, name, value);
}

static void add_config(struct json *root, const char *key, const void *of)
{
    options_visit(((const struct record *)of)->options, add_option, json_add_object(root, key));
}

static void add_breakdowns(struct json *root, const char *key, const void *of)
{
    struct json *object = json_add_object(root, key);
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        json_add_number(object, breakdown_text((enum breakdown)i),
                        (double)((const struct bottom_counts *)of)->breakdowns[i]);
}

/* What a threshold has been chosen from. */
static void add_threshold(void *data, const struct threshold *t)
{
    char key[64];
    snprintf(key, sizeof key, "%s_trials", t->option);
    struct json *object = json_add_object(data, key);
    json_add_number(object, "n", extent_longest(t->n));
    struct json *cells = json_add_array(object, "cells");
    for (int d = 0; d < 3; d++)
        json_add_number(cells, NULL, t->n[d]);
    json_add_number(object, "chosen", (double)t->trials[t->best].below);
    struct json *trials = json_add_array(object, "trials");
    for (int i = 0; i < t->count; i++) {
        struct json *trial = json_add_object(trials, NULL);
        json_add_number(trial, t->option, (double)t->trials[i].below);
        json_add_number(trial, "threads", t->trials[i].threads);
        json_add_number(trial, "seconds_per_solve", t->trials[i].seconds);
    }
}

static void add_thresholds(struct json *root, const char *key, const void *of)
{
    (void)key, (void)of;
    threshold_visit(add_threshold, root);
}

/* --- the tables --- */
/* clang-format off */

#define OF struct stage_record
TABLE(stage,
    {"level", "count", AT(level), COLUMN("level", 5)},
    {"stage", "name", AT(name), COLUMN("moving data, ms", -20)},
    {"work",
     "smoother|residual|interpolation|zero|restriction|halo|boundary|hand-over|redistribution|bottom|mean",
     AT(work)},
    JSON("kernels", "text", kernels), JSON("calls", "amount", calls),
    JSON("seconds", "amount", seconds), JSON("bytes", "amount", bytes),
    JSON("bytes_per_second", "amount?", bytes_per_second),
    JSON("fraction_of_copy", "amount?", fraction_of_copy),
    {"pack_seconds", "amount", AT(pack), COLUMN("pack", 11), MILLISECONDS},
    {"local_seconds", "amount", AT(local), COLUMN("local", 11), MILLISECONDS},
    {"wait_seconds", "amount", AT(wait), COLUMN("wait", 11), MILLISECONDS},
    {"unpack_seconds", "amount", AT(unpack), COLUMN("unpack", 11), MILLISECONDS})
TABLE(stage_time,
    {NULL, NULL, AT(name), COLUMN("stage", -38)},
    {NULL, NULL, AT(calls), COLUMN("calls", 5)},
    {NULL, NULL, AT(seconds), COLUMN("ms", 9), MILLISECONDS},
    {NULL, NULL, AT(share), COLUMN("%", 5), .format = "%.1f", .scale = 100.0},
    {NULL, NULL, AT(bytes_per_second), COLUMN("GB/s", 8), .format = "%.2f", .scale = 1e-9},
    {NULL, NULL, WORDS(of_copy), COLUMN("% copy", 7)})
#undef OF

#define OF struct size_record
LOCAL_TABLE(seconds,
    JSON("min", "amount?", min), JSON("median", "amount?", median), JSON("mean", "amount?", mean),
    JSON("max", "amount?", max), JSON("deviation", "amount?", deviation),
    JSON("spread", "amount?", spread), JSON("drift", "number?", drift))
TABLE(meters,
    {"slowest_mhz", "amount?", AT(meters.slowest), .label = "GPU MHz from", .format = "%.0f"},
    {"fastest_mhz", "amount?", AT(meters.fastest), .label = "to", .format = "%.0f"},
    {"joules_per_solve", "amount?", AT(meters.joules), .label = "J per solve"},
    {"dof_per_joule", "amount?", AT(dof_per_joule), .label = "DOF/J", .format = "%.3e"},
    {"throttled_by", "text?", WORDS(throttled_by), .label = "throttled by"})
TABLE(size,
    {"level", "h|2h|4h", AT(name), COLUMN("size", -4)},
    {"n", "positive", LONGEST(n)},
    JSON("cells", "extent", n), JSON("h", "above", h), JSON("dof", "positive", unknowns),
    JSON("outcome", "text", outcome), JSON("cycles", "count", solve.cycles),
    JSON("idr_cycles", "count", solve.outer_cycles), JSON("rel_residual", "amount?", rel_residual),
    {"history", "amounts or null", .kind = VALUE_NUMBERS, OFFSET(solve.history),
     COUNT(solve.cycles)},
    {"timed_solves", "count", AT(solves), COLUMN("solves", 7), .format = "%.0f"},
    {"samples", "amounts", .kind = VALUE_NUMBERS, OFFSET(samples), .indirect = true, COUNT(solves)},
    JSON("seconds_per_solve", "amount?", mean),
    {"seconds", NULL, SAME(seconds_values)},
    {NULL, NULL, AT(median), COLUMN("median ms", 10), .scale = 1e3},
    {NULL, NULL, AT(min), COLUMN("min", 9), .scale = 1e3},
    {NULL, NULL, AT(max), COLUMN("max", 9), .scale = 1e3},
    {NULL, NULL, AT(spread), COLUMN("spread", 6), PERCENT},
    {NULL, NULL, AT(drift), COLUMN("drift", 6), PERCENT},
    {"bytes_per_second", "amount?", AT(bytes_per_second), COLUMN("GB/s", 7), .scale = 1e-9},
    {"fraction_of_copy", "amount?", AT(fraction_of_copy), COLUMN("of copy", 7), PERCENT},
    JSON("dof_per_second", "amount?", dof_per_second), JSON("noisy", "flag", noisy),
    JSON("checksum", "hash", checksum), JSON("reproducible", "flag", reproducible),
    {"hand_over", "graph|host", AT(hand_over), .optional = true},
    {"hand_over_seconds", "number", AT(hand_over_seconds), .optional = true},
    {"cpu_seconds", "amount", AT(cpu_seconds), .optional = true},
    {"gpu", NULL, SAME(meters_values), .there_is = offsetof(OF, has_meters), .optional = true},
    JSON("true_error", "amount?", true_error),
    {"stages", NULL, LIST(stage_values, stages, nstages), .indirect = true})
TABLE(residual,
    {NULL, NULL, AT(name), COLUMN("size", -4)},
    {NULL, NULL, AT(solve.cycles), COLUMN("cycles", 7), .format = "%.0f"},
    {NULL, NULL, WORDS(residuals), .label = "||f - Au|| / ||f|| after each"})
TABLE(error,
    {NULL, NULL, AT(name), COLUMN("size", -4)},
    {NULL, NULL, AT(n), COLUMN("cells", 15)},
    {NULL, NULL, AT(true_error), COLUMN("||u - exact||", 14), .format = "%.6e"},
    {NULL, NULL, AT(true_order), COLUMN("order", 6), .format = "%.3f"})
#undef OF

#define OF struct level_record
TABLE(level,
    {"level", "count", AT(level), COLUMN("level", 6)},
    {"n", "positive", LONGEST(n)},
    {"cells", "extent", AT(n), COLUMN("cells", 15)},
    JSON("boxes", "positive", boxes),
    {"box_dim", "positive", LONGEST(box_cells)},
    JSON("box_cells", "extent", box_cells),
    {NULL, NULL, WORDS(boxes_words), COLUMN("boxes", 16)},
    {"merged_boxes", "positive", AT(cuboids), COLUMN("merged", 7)},
    {"ranks", "positive", AT(ranks), COLUMN("ranks", 6)},
    {"backend", "text", AT(backend), COLUMN(" backend", -9)},
    JSON("threads", "count", threads),
    {"field_bytes", "positive", AT(bytes), COLUMN("bytes", 10), .format = "B"})
#undef OF

#define OF struct check
TABLE(check,
    {"check", "residual|repetition|error|order", AT(name), COLUMN("check", -10)},
    {"size", "h|2h|4h", AT(size), COLUMN("size", -5)},
    {"state", "passed|failed|not checked", AT(result), COLUMN("result", -11)},
    {"value", "number?", AT(value), COLUMN("value", 8), .format = "%.3g"},
    {"lowest", "number?", AT(lowest), COLUMN("at least", 8), .format = "%.3g"},
    {"highest", "number?", AT(highest), COLUMN("at most", 8), .format = "%.3g"},
    {"grounds", "name", AT(grounds), .label = "grounds"})
#undef OF

#define OF struct rank_summary
TABLE(rank_rate,
    {NULL, NULL, AT(title), COLUMN("rate", -28)},
    JSON("rate", "copy|smoothing", name), JSON("unit", "bytes per second|cells per second", unit),
    {"ranks", "positive", AT(count), COLUMN("ranks", 7)},
    {"min", "above", AT(min), COLUMN("min", 11), .scale = 1e-9},
    {"median", "above", AT(median), COLUMN("median", 11), .scale = 1e-9},
    {"max", "above", AT(max), COLUMN("max", 11), .scale = 1e-9})
#undef OF

#define OF struct rank_outlier
LOCAL_TABLE(rank_outlier,
    {"rank", "count?", NUMBER(outlier_rank)},
    JSON("rate", "copy|smoothing", name), JSON("of_median", "above", relative))
#undef OF

#define OF struct rank_record
LOCAL_TABLE(rank_gpu,
    JSON("name", "name", gpu), JSON("uuid", "uuid", uuid), JSON("bus_id", "name", bus_id),
    JSON("slowest_mhz", "amount?", slowest_mhz), JSON("fastest_mhz", "amount?", fastest_mhz))
TABLE(rank,
    {"rank", "count", AT(rank), COLUMN("rank", 6)},
    JSON("host", "name", place.host), JSON("cpuset", "text", place.cpuset),
    {"numa_node", "count?", NUMBER(numa_node)},
    {"gpu", NULL, SAME(rank_gpu_values), .there_is = offsetof(OF, gpu)},
    {"copy_bytes_per_second", "amount?", AT(rates[RATE_COPY]), COLUMN("copy", 9), .scale = 1e-9},
    {"smoothed_cells_per_second", "amount?", AT(rates[RATE_SMOOTHING]), COLUMN("smoothing", 9),
     .scale = 1e-9},
    {NULL, NULL, AT(place.numa_node), COLUMN("NUMA", 4)},
    {NULL, NULL, AT(slowest_mhz), COLUMN("MHz from", 8), .format = "%.0f"},
    {NULL, NULL, AT(fastest_mhz), COLUMN("to", 5), .format = "%.0f"},
    {NULL, NULL, WORDS(rank_place), .label = "where (units as above)"})
#undef OF

#define OF struct bottom_counts
TABLE(bottom,
    JSON("solves", "count", solves), JSON("iterations", "count", iterations),
    {"mean_iterations", "amount?", NUMBER(mean_iterations), .label = "bottom iters",
     .format = "%.2f"},
    {"breakdowns", "breakdowns", ADDED(add_breakdowns)})
#undef OF

#define OF struct score
LOCAL_TABLE(score,
    JSON("official", "flag", official), JSON("division", "text", division), JSON("deviations", "text", deviations))
#undef OF

#define OF struct record
TABLE(memory,
    {"field_bytes", "positive", AT(field_bytes), .label = "fields", .format = "B"},
    {"peak_bytes", "positive", AT(peak_bytes), .label = "peak", .format = "B"},
    {"device_peak_bytes", "count", AT(device_peak_bytes), .label = "peak, GPU", .format = "B"})
LOCAL_TABLE(problem,
    {"n", "positive", LONGEST(levels[0].n)},
    JSON("cells", "extent", levels[0].n), JSON("dof", "positive", unknowns),
    JSON("boxes", "positive", levels[0].boxes), JSON("box_dim", "positive", levels[0].box_cells[0]),
    JSON("levels", "positive", nlevels), JSON("rhs_mean", "number?", rhs_mean))
TABLE(environment,
    {NULL, NULL, AT(environment.ranks), .label = "ranks", .format = "%.0f"},
    {"nodes", "positive", AT(environment.nodes), .label = "nodes", .format = "%.0f"},
    JSON("ranks_per_node", "positive", environment.ranks_per_node),
    {NULL, NULL, AT(environment.threads), .label = "threads", .format = "%.0f"},
    {"processors", "positive", AT(environment.processors), .label = "processors", .format = "%.0f"},
    {"usable_processors", "positive", AT(environment.usable), .label = "usable",
     .format = "%.0f"},
    {"proc_bind", "false|true|master|close|spread", AT(proc_bind), .label = "OMP_PROC_BIND"},
    {"date", "date", AT(environment.date), .label = "date"},
    {"host", "name", AT(environment.host), .label = "host"},
    {NULL, NULL, WORDS(mpi_name), .label = "MPI"},
    {"cpu", "text", AT(environment.cpu), .label = "CPU"},
    JSON("version", "text", build.version),
    {"revision", "text", AT(build.revision), .label = "revision"},
    JSON("compiler", "text", build.compiler), JSON("flags", "text", build.flags),
    JSON("mpi", "text", environment.mpi),
    {"gpu", "text?", AT(gpu), .label = "GPU"},
    {NULL, NULL, WORDS(cuda_versions), .label = "CUDA"},
    JSON("gpus", "count", environment.gpus), JSON("cuda_driver", "count", environment.cuda_driver),
    JSON("cuda_runtime", "count", environment.cuda_runtime),
    {NULL, NULL, AT(tuning), .label = "tuning"},
    {"transport", "peer|cuda-aware|staged?", AT(transport), .label = "transport"},
    {"transport_between_nodes", "cuda-aware|staged?", AT(transport_elsewhere),
     .label = "between nodes"},
    JSON("overlap_above", "amount?", overlap_above), JSON("neighbours", "count", neighbours),
    JSON("neighbours_between_nodes", "count", neighbours_elsewhere))
TABLE(hierarchy,
    {"build_seconds", "amount", AT(build_seconds), .label = "set-up, s", .format = "%.3f"},
    {"levels", NULL, LIST(level_values, levels, nlevels)})
LOCAL_TABLE(richardson,
    JSON("error", "amount?", richardson_error), JSON("order", "number?", richardson_order))
TABLE(record,
    JSON("verdict", "VALID|INVALID", verdict.word),
    {"reasons", "texts", .kind = VALUE_LINES, OFFSET(verdict.reasons), COUNT(verdict.nreasons),
     .stride = CHECK_TEXT_SIZE},
    JSON("accuracy_checked", "flag", verdict.accuracy_checked),
    {"checks", NULL, LIST(check_values, verdict.checks, verdict.nchecks)},
    {"warnings", "texts", .kind = VALUE_LINES, OFFSET(warnings), COUNT(nwarnings),
     .stride = WARNING_SIZE},
    JSON("complete", "flag", complete),
    {"score", NULL, OBJECT(score_values, score)},
    JSON("ranks", "positive", environment.ranks), JSON("threads", "positive", environment.threads),
    JSON("order", "positive", order), JSON("checksum", "hash", sizes[0].checksum),
    JSON("memory_bytes_per_unknown", "above", bytes_per_unknown),
    {"memory", NULL, SAME(memory_values)},
    {"problem", NULL, SAME(problem_values)},
    JSON("n_resources", "positive", environment.ranks),
    JSON("total_problem_size", "positive", unknowns),
    JSON("process_problem_size", "above", unknowns_per_rank),
    {"config", "config", ADDED(add_config)},
    {"environment", NULL, SAME(environment_values)},
    {"_trials", NULL, ADDED(add_thresholds)},
    {"tuning", "text", AT(tuning), .optional = true},
    {"hierarchy", NULL, SAME(hierarchy_values)},
    {"bottom", NULL, OBJECT(bottom_values, bottom)},
    {"solves", NULL, LIST(size_values, sizes, nsizes)},
    {"richardson", NULL, SAME(richardson_values)},
    JSON("copy_bytes_per_second", "amount?", copy_bytes_per_second),
    {"rank_rates", NULL, LIST(rank_rate_values, ranks.summaries, ranks.nsummaries)},
    {"rank_outliers", NULL, LIST(rank_outlier_values, ranks.outliers, ranks.noutliers)},
    {"rank_table", NULL, LIST(rank_values, ranks.ranks, ranks.count), .indirect = true})
#undef OF
