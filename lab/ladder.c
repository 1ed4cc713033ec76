/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab ladder`: one smoothing step, rung by rung. Results are bitwise identical. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lab/experiments.h"
#include "lab/fields.h"
#include "lab/limiter.h"
#include "lab/operations.h"
#include "lab/rungs.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "operators/traffic.h"

/* Up to MAX_N_ON_CPU cells per side results are compared with the CPU's on the level itself, else
 * on one of SMALL_N. */
enum { SEED_U = 1, SEED_F, MAX_N_ON_CPU = 256, SMALL_N = 64, MAX_RUNGS = 16 };

/* What NVIDIA's slides on hybrid multigrid have for a Tesla K40. */
static const double kepler_speed_ups[] = {1.00, 1.44, 1.68};

/* A rung as it is to be measured, on its level. */
struct climb {
    const struct rung *rung;
    struct rung_shape shape;
    struct level *level;
};

struct ladder {
    struct lab *lab;
    struct hierarchy *hierarchy, *small; /* of the level; of a small one, or NULL */
    struct hierarchy *on_cpu;            /* with the CPU's result */
    struct level *level, *checked;       /* `checked` is as large as the CPU's */
    const struct rung *rungs;
    struct climb climbs[MAX_RUNGS]; /* the first rung comes first */
    int count, wrong;
    struct json *in_json;
    struct ceilings ceilings;
    double first_seconds;
};

static double cells_of_level(const struct level *l)
{
    return extent_cells(l->n);
}

/* --- which rungs ------------------------------------------------------------------------------ */

static const char *name_of(int number, const void *rungs)
{
    return ((const struct rung *)rungs)[number].name;
}

static enum status add_climb(struct ladder *x, const struct rung *rung,
                             const struct rung_wish *wish)
{
    if (x->count == MAX_RUNGS)
        return refuse(STATUS_USAGE, "--rung: at most %d names", MAX_RUNGS - 1);
    struct climb *climb = &x->climbs[x->count++];
    *climb = (struct climb){.rung = rung, .level = x->level};
    if (rung->shape.block[0] == 0 && (wish->block[0] > 0 || wish->registers > 0))
        return refuse(STATUS_USAGE,
                      "--block, --registers: rung %s has blocks and registers of its own",
                      rung->name);
    return rung_choose_shape(rung, x->level, wish, &climb->shape);
}

/* The wishes of --block and --registers, which are for rungs of a GPU that --rung names. */
static enum status read_wish(const struct lab *lab, struct rung_wish *wish)
{
    const struct lab_options *o = &lab->options;
    int *block = wish->block;
    char more;
    *wish = (struct rung_wish){.registers = o->registers};
    if (!o->block && o->registers == 0)
        return STATUS_VALID;
    if (o->block && (sscanf(o->block, "%4d,%4d%c", &block[0], &block[1], &more) != 2 ||
                     block[0] < 1 || block[1] < 1 || block[0] * block[1] > 1024))
        return refuse(STATUS_USAGE,
                      "--block: wrong value '%.40s'; legal: X,Y threads along i and j, X*Y <= 1024",
                      o->block);
    if (!lab->backend->on_device)
        return refuse(STATUS_USAGE, "--block, --registers: a CPU's rungs have neither");
    if (!o->rungs)
        return refuse(STATUS_USAGE, "--block, --registers: for which rungs? see --rung");
    return STATUS_VALID;
}

/* The first rung as it is, then those that are named, or all others. */
static enum status choose_climbs(struct ladder *x)
{
    static const struct rung_wish none = {.registers = 0};
    struct rung_wish wish;
    const char *names = x->lab->options.rungs;
    enum status status = read_wish(x->lab, &wish);
    if (status == STATUS_VALID)
        status = add_climb(x, x->rungs, &none);
    for (const struct rung *rung = x->rungs + 1; !names && rung->name && !status; rung++)
        status = add_climb(x, rung, &none);
    const bool changed = wish.block[0] > 0 || wish.registers > 0;
    for (char name[NAME_SIZE]; status == STATUS_VALID && next_name(&names, name);) {
        const int number = find_name(name, name_of, x->rungs, "rung");
        if (number < 0)
            status = STATUS_USAGE;
        else if (number > 0 || changed)
            status = add_climb(x, x->rungs + number, &wish);
    }
    return status;
}

/* --- what a rung gives ------------------------------------------------------------------------ */

static void fill_level(struct level *l)
{
    fill_random(l, FIELD_U, SEED_U);
    fill_random(l, FIELD_F, SEED_F);
    fill_poison(l, FIELD_TMP);
}

static void run_climb(void *data)
{
    const struct climb *climb = data;
    climb->rung->run(climb->level, climb->rung, &climb->shape);
}

/* See fault_check(). */
static void spoil(struct level *l)
{
    const struct patch *p = &l->patches[0];
    const long n = l->n[0], at = fault_index(n * n * n);
    if (at >= 0)
        l->backend->memory->upload(l->fields[FIELD_U] + p->offset + at % n + at / n % n * p->sj +
                                       at / n / n * p->sk,
                                   &fault_value, 1);
}

/* The same random fields every time, then the rung. */
static void run_once(struct climb *climb)
{
    fill_level(climb->level);
    run_climb(climb);
    climb->level->backend->memory->synchronise();
}

/* How many cells differ from the first rung's result, which is kept in FIELD_SAVE. */
static long differences_from_first(const struct ladder *x, struct climb *climb)
{
    struct level *l = x->level;
    run_once(climb);
    if (climb == x->climbs) { /* a copy: 1·u + 0·u */
        vector_combine(l, FIELD_SAVE, 1.0, FIELD_U, 0.0, FIELD_U);
        l->backend->memory->synchronise();
    }
    spoil(l);
    return count_differences(l, FIELD_U, l, FIELD_SAVE);
}

/* How many differ from the CPU's; after differences_from_first(). */
static long differences_from_cpu(const struct ladder *x, const struct climb *climb)
{
    struct climb small = {climb->rung, climb->shape, x->checked};
    if (x->small) {
        run_once(&small);
        spoil(x->checked);
    }
    return count_differences(x->checked, FIELD_U, x->on_cpu->levels[0], FIELD_U);
}

static bool counts_loads(const struct climb *climb)
{
    return climb->shape.block[0] > 0;
}

/* Of a rung with blocks of the lab's choice: each half-sweep moves each array once, computes all
 * cells, and has no more instructions than these but for addresses. */
static void count_usage(const struct climb *climb, double cells, struct usage *u)
{
    enum { LANES = 32, HALF_SWEEPS = 2, STORED = sizeof(double) };
    const struct rung_counts c = rung_count(&climb->shape);
    u->cache_bytes = HALF_SWEEPS * cells * (c.read_bytes + STORED);
    u->shared_bytes = HALF_SWEEPS * cells * c.shared_bytes;
    u->fp64_instructions *= 2.0; /* half of what is computed is dropped */
    u->instructions = u->fp64_instructions + HALF_SWEEPS * cells * (LANES * c.requests + 1.0) +
                      u->shared_bytes / sizeof(double);
}

static struct usage usage_of(const struct ladder *x, const struct climb *climb)
{
    const struct pass pass = rung_pass(x->level);
    const struct operations of_cell = operations_of_pass(&pass);
    const double cells = cells_of_level(x->level);
    const bool is_default = climb->rung->run == rung_default;
    const struct passes *passes = x->level->backend->passes;
    struct usage u = {.flops = of_cell.flops * cells,
                      .fp64_instructions = of_cell.instructions * cells};
    u.bytes = cells * (is_default ? passes->bytes(&pass) : pass_bytes_one_by_one(&pass));
    usage_add_counts(&u, x->level->backend, is_default ? &pass : NULL, cells);
    if (counts_loads(climb))
        count_usage(climb, cells, &u);
    return u;
}

/* --- reports ---------------------------------------------------------------------------------- */

enum { RUNG_WIDTH = 10, COLUMNS = 8 };

/* Returns how many there are: a CPU counts no loads. */
static int columns_of(struct column columns[COLUMNS], const struct ladder *x,
                      const struct measurement *m, const struct rung_counts *c)
{
    const double cells = cells_of_level(x->level), t = m->seconds.median;
    const struct column list[COLUMNS] = {
        {"ms", NULL, 10, 4, 1e-3, t},
        {"min", NULL, 10, 4, 1e-3, m->seconds.min},
        {"Gcell/s", "cells_per_second", 8, 2, 1e9, cells / t},
        {"speed-up", "speed_up", 8, 2, 1, x->first_seconds / t},
        {"B/cell", NULL, 8, 1, 1, m->usage.bytes / cells},
        {"L2 B", NULL, 8, 1, 1, m->usage.cache_bytes / cells},
        {"sectors", NULL, 8, 1, 1, c->sectors},
        {"lines", NULL, 8, 1, 1, c->lines},
    };
    memcpy(columns, list, sizeof list);
    return x->lab->backend->on_device ? COLUMNS : COLUMNS - 3;
}

static double number_or_nan(int number)
{
    return number > 0 ? number : NAN;
}

static void report_climb(const struct ladder *x, const struct climb *climb,
                         const struct measurement *m, const struct rung_counts *c)
{
    const struct rung_shape *s = &climb->shape;
    struct column columns[COLUMNS];
    const int count = columns_of(columns, x, m, c);
    columns_print(climb->rung->name, RUNG_WIDTH, columns, count);
    printf("\n      %s", climb->rung->summary);
    if (memcmp(s->block, climb->rung->shape.block, sizeof s->block) != 0)
        printf("; here %d x %d", s->block[0], s->block[1]);
    printf("\n");
    measurement_print(m);
    struct json *object = json_add_object(x->in_json, NULL);
    JSON_TEXTS(object, {"rung", climb->rung->name}, {"summary", climb->rung->summary});
    struct json *block = json_add_array(object, "block");
    for (int d = 0; d < 2 && counts_loads(climb); d++)
        json_add_number(block, NULL, s->block[d]);
    JSON_NUMBERS(object, {"rows", number_or_nan(s->rows)}, {"planes", number_or_nan(s->planes)},
                 {"register_limit", number_or_nan(s->registers)},
                 {"sectors_per_request", c->sectors}, {"lines_per_request", c->lines});
    columns_add_json(object, columns, count);
    measurement_add_json(object, m, cells_of_level(x->level));
}

/* --- the ladder ------------------------------------------------------------------------------- */

static void climb_one(struct ladder *x, struct climb *climb)
{
    const long different = differences_from_first(x, climb) + differences_from_cpu(x, climb);
    struct rung_counts counts = {.sectors = NAN, .lines = NAN};
    x->wrong += different > 0;
    if (different > 0) {
        printf("  %-*s %ld cells differ, wrong result, not timed\n", RUNG_WIDTH, climb->rung->name,
               different);
    } else if (checks_only(&x->lab->options)) {
        printf("  %-*s right\n", RUNG_WIDTH, climb->rung->name);
    } else {
        const struct usage usage = usage_of(x, climb);
        const struct measurement m = measure_work(x->lab, run_climb, climb, &x->ceilings, &usage);
        if (counts_loads(climb))
            counts = rung_count(&climb->shape);
        x->first_seconds = climb == x->climbs ? m.seconds.median : x->first_seconds;
        report_climb(x, climb, &m, &counts);
    }
}

/* The first level of a hierarchy of its own. */
static enum status create_level(struct hierarchy **h, struct level **level,
                                const struct lab_options *o, const struct backend *backend)
{
    struct hierarchy_choice choice;
    const enum status status = level_choice(o, backend, &choice);
    if (status != STATUS_VALID)
        return status;
    *h = hierarchy_create(&choice);
    *level = (*h)->levels[0];
    level_allocate(*level, FIELD_TMP);
    return status;
}

/* The CPU's result, by its plain loops, and the level that is compared with it. */
static enum status create_reference(struct ladder *x)
{
    enum status status = STATUS_VALID;
    struct lab_options o = x->lab->options;
    struct level *l = NULL;
    x->checked = x->level;
    if (o.n > MAX_N_ON_CPU) {
        o.n = SMALL_N;
        status = create_level(&x->small, &x->checked, &o, x->lab->backend);
    }
    if (status == STATUS_VALID)
        status = create_level(&x->on_cpu, &l, &o, &backend_cpu_plain);
    if (l) {
        fill_level(l);
        rung_default(l, NULL, NULL);
    }
    return status;
}

static void report_ladder(struct ladder *x)
{
    static const struct measurement none;
    static const struct rung_counts no_counts;
    struct json *json = x->lab->json, *kepler = json_add_array(json, "kepler_speed_ups");
    struct column columns[COLUMNS];
    const int n_on_cpu = x->checked->n[0];
    print_machine(x->lab);
    print_heading("red and black, order %d, %d^3", x->lab->options.order, x->level->n[0]);
    printf("  compared bit for bit with the first rung, and at %d^3 with the CPU", n_on_cpu);
    if (!checks_only(&x->lab->options)) {
        printf("; copy %.1f GB/s\n", 1e-9 * x->ceilings.copy_bytes_per_second);
        columns_print_titles("rung", RUNG_WIDTH, columns,
                             columns_of(columns, x, &none, &no_counts));
    }
    printf("\n");
    json_add_number(json, "cells", cells_of_level(x->level));
    json_add_number(json, "n_on_cpu", n_on_cpu);
    for (unsigned s = 0; s < sizeof kepler_speed_ups / sizeof kepler_speed_ups[0]; s++)
        json_add_number(kepler, NULL, kepler_speed_ups[s]);
    ceilings_add_json(json, &x->ceilings);
    x->in_json = json_add_array(json, "rungs");
}

static enum status climb_all(struct ladder *x)
{
    enum status status = choose_climbs(x);
    if (status == STATUS_VALID)
        status = create_reference(x);
    if (status == STATUS_VALID)
        status = ceilings_measure(&x->ceilings, x->lab);
    if (status != STATUS_VALID)
        return status;
    report_ladder(x);
    for (int c = 0; c < x->count; c++)
        climb_one(x, &x->climbs[c]);
    if (x->lab->backend->on_device && !checks_only(&x->lab->options))
        printf("  NVIDIA's slides, Tesla K40: 1.00, 1.44, 1.68\n");
    return all_right(x->wrong, "rungs");
}

enum status ladder_command(struct lab *lab)
{
    struct ladder x = {.lab = lab, .first_seconds = NAN};
    enum status status = fault_check();
    x.rungs = lab->backend->on_device ? gpu_rungs : cpu_rungs;
    if (status == STATUS_VALID)
        status = create_level(&x.hierarchy, &x.level, &lab->options, lab->backend);
    if (status != STATUS_VALID)
        return status;
    level_allocate(x.level, FIELD_SAVE);
    status = climb_all(&x);
    if (x.on_cpu)
        hierarchy_destroy(x.on_cpu);
    if (x.small)
        hierarchy_destroy(x.small);
    hierarchy_destroy(x.hierarchy);
    return status;
}
