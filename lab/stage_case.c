/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/stage_case.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/ranges.h"
#include "cpu/cpu.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"
#include "lab/lab.h"
#include "level/build.h"
#include "level/plan.h"
#include "operators/hash.h"
#include "operators/vectors.h"
#include "solvers/stages.h"

/* --- levels and fields ------------------------------------------------------------------------ */

/* Cuts N by the size rule: boxes of the largest power of two in it. False if no run has N. */
static bool cut_into_boxes(int n, struct hierarchy_choice *choice)
{
    int boxes_per_side = n;
    choice->log2_box_dim = 0;
    while (boxes_per_side % 2 == 0 && choice->log2_box_dim < 10) {
        boxes_per_side /= 2;
        choice->log2_box_dim++;
    }
    choice->boxes_per_rank = (long)boxes_per_side * boxes_per_side * boxes_per_side;
    return choice->log2_box_dim >= 2 && domain_cube_side(choice->boxes_per_rank) == boxes_per_side;
}

bool level_exists(int n)
{
    struct hierarchy_choice choice;
    return cut_into_boxes(n, &choice);
}

enum status level_choice(const struct lab_options *o, const struct backend *backend,
                         struct hierarchy_choice *choice)
{
    *choice = (struct hierarchy_choice){
        .op = {.order = o->order,
               .equation = (enum equation)o->equation,
               .variable = o->coefficients == COEFFICIENTS_VARIABLE,
               .sides = boundary_sides(o->boundary),
               .smoother = (enum smoother)o->smoother},
        .bottom = BOTTOM_METHOD_BICGSTAB,
        .placement = {.backend = backend},
    };
    CHECK(cut_into_boxes(o->n, choice));
    const struct hierarchy_shape shape = hierarchy_shape(choice, 1);
    const double on_host = (double)hierarchy_bytes(choice, &shape, 1, false);
    const double on_device = (double)hierarchy_bytes(choice, &shape, 1, true);
    const enum status status = bytes_fit(on_host, (double)memory_available_bytes(), "host");
    if (status != STATUS_VALID || !backend->on_device)
        return status;
    return bytes_fit(on_device, (double)cuda_device()->free_bytes, "GPU");
}

/* A number in [−1, 1) from 53 bits of a hash. */
static double random_value(uint64_t index, int seed)
{
    const uint64_t bits = hash_mix(index + hash_mix((uint64_t)seed + 0x9e3779b97f4a7c15ull));
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

/* The random value of cell (i,j,k) of a level. */
static double cell_value(const struct level *l, int i, int j, int k, int seed)
{
    const uint64_t sj = (uint64_t)l->n[0], sk = sj * (uint64_t)l->n[1];
    return random_value((uint64_t)i + sj * (uint64_t)j + sk * (uint64_t)k, seed);
}

/* The whole field in host memory; memory_free() it. */
static double *copy_of(const struct level *l, enum field field)
{
    double *values = memory_alloc((size_t)l->field_length * sizeof *values, "a copy of a field");
    l->backend->memory->download(level_natural(l, field), values, l->field_length);
    return values;
}

static bool is_inside(const struct patch *p, int i, int j, int k)
{
    return i >= 0 && i < p->n[0] && j >= 0 && j < p->n[1] && k >= 0 && k < p->n[2];
}

/* NaN everywhere, ghosts included; if `random`, only in the ghosts. */
static void fill(struct level *l, enum field field, bool random, int seed)
{
    double *values = copy_of(l, field);
    const int g = l->ghosts;
    for (const struct patch *p = l->patches; p < l->patches + l->npatches; p++)
#pragma omp parallel for schedule(static)
        for (int k = -g; k < p->n[2] + g; k++)
            for (int j = -g; j < p->n[1] + g; j++)
                for (int i = -g; i < p->n[0] + g; i++)
                    values[p->offset + i + j * p->sj + k * p->sk] =
                        random && is_inside(p, i, j, k)
                            ? cell_value(l, p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k,
                                         seed)
                            : NAN;
    l->backend->memory->upload(level_natural(l, field), values, l->field_length);
    memory_free(values);
}

void fill_poison(struct level *level, enum field field)
{
    fill(level, field, false, 0);
}

void fill_random(struct level *level, enum field field, int seed)
{
    fill(level, field, true, seed);
    level_exchange_halo(level, field);
}

/* The value that the patch's ghost or cell (i,j,k) must have; NaN where no halo exchange fills it.
 */
static double expected_value(const struct level *l, const struct patch *p, int i, int j, int k,
                             int seed)
{
    const int at[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
    int cell[3];
    for (int d = 0; d < 3; d++) {
        cell[d] = (at[d] + l->n[d]) % l->n[d];
        if ((!sides_wrap(&l->sides, d) || p->wrap[d]) && cell[d] != at[d])
            return NAN;
    }
    return cell_value(l, cell[0], cell[1], cell[2], seed);
}

static bool same_or_both_nan(double a, double b)
{
    return isnan(b) ? isnan(a) != 0 : memcmp(&a, &b, sizeof a) == 0;
}

long count_wrong_ghosts(const struct level *l, enum field field, int seed)
{
    CHECK(l->ghosts <= extent_shortest(l->n));
    double *values = copy_of(l, field);
    const int g = l->ghosts;
    long wrong = 0;
    for (const struct patch *p = l->patches; p < l->patches + l->npatches; p++)
#pragma omp parallel for schedule(static) reduction(+ : wrong)
        for (int k = -g; k < p->n[2] + g; k++)
            for (int j = -g; j < p->n[1] + g; j++)
                for (int i = -g; i < p->n[0] + g; i++)
                    wrong += !is_inside(p, i, j, k) &&
                             !same_or_both_nan(values[p->offset + i + j * p->sj + k * p->sk],
                                               expected_value(l, p, i, j, k, seed));
    memory_free(values);
    return wrong;
}

long count_differences(const struct level *a, enum field of_a, const struct level *b,
                       enum field of_b)
{
    CHECK(a->npatches == b->npatches);
    double *x = copy_of(a, of_a), *y = copy_of(b, of_b);
    long differences = 0;
    for (int box = 0; box < a->npatches; box++) {
        const struct patch *p = &a->patches[box], *q = &b->patches[box];
#pragma omp parallel for schedule(static) reduction(+ : differences)
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++)
                    differences +=
                        memcmp(&x[p->offset + i + j * p->sj + k * p->sk],
                               &y[q->offset + i + j * q->sj + k * q->sk], sizeof *x) != 0;
    }
    memory_free(x);
    memory_free(y);
    return differences;
}

/* --- stages ----------------------------------------------------------------------------------- */

/* A stage as --stage names it, with the words of hpgmg-gpu's reports. */
struct stage_row {
    const char *name;
    enum pass_start start;
    int sweeps; /* as many as the ghosts allow, up to this; 0: it does not smooth */
    enum pass_finish finish;
    bool restricts_f; /* no pass, but the restriction of f to the next level */
};

/* STAGE(number, members of its row): those that are tuned come first. */
#define STAGES                                                                                     \
    STAGE(TUNED_SMOOTH, "smooth", START_KEEP, 2, FINISH_NONE, false)                               \
    STAGE(TUNED_ZERO_SMOOTH, "zero+smooth", START_ZERO, 2, FINISH_NONE, false)                     \
    STAGE(TUNED_RESTRICT, "residual+restrict", START_KEEP, 0, FINISH_RESTRICT, false)              \
    STAGE(TUNED_NORM, "residual+norm", START_KEEP, 0, FINISH_NORM, false)                          \
    STAGE(TUNED_SWEEP, "sweep", START_KEEP, 1, FINISH_NONE, false)                                 \
    STAGE(5, "prolong", START_PROLONG_ADD, 0, FINISH_NONE, false)                                  \
    STAGE(6, "interpolate", START_PROLONG_SET, 0, FINISH_NONE, false)                              \
    STAGE(7, "restrict", START_KEEP, 0, FINISH_NONE, true)                                         \
    STAGE(8, "smooth+residual+restrict", START_KEEP, 2, FINISH_RESTRICT, false)                    \
    STAGE(9, "smooth+residual+norm", START_KEEP, 2, FINISH_NORM, false)                            \
    STAGE(10, "zero+smooth+residual+restrict", START_ZERO, 2, FINISH_RESTRICT, false)              \
    STAGE(11, "prolong+smooth", START_PROLONG_ADD, 2, FINISH_NONE, false)                          \
    STAGE(12, "prolong+smooth+residual+norm", START_PROLONG_ADD, 2, FINISH_NORM, false)            \
    STAGE(13, "interpolate+smooth+residual+restrict", START_PROLONG_SET, 2, FINISH_RESTRICT, false)
_Static_assert(NUM_TUNED_STAGES == 5, "the others follow them");

#define STAGE(number, ...) [number] = {__VA_ARGS__},
static const struct stage_row stage_rows[] = {STAGES};
#undef STAGE
#define STAGE(number, name, ...) [number] = {name, number},
const struct choice stage_choices[] = {STAGES{NULL, 0}};
#undef STAGE

/* True if the stage must be one pass on a level whose ghosts are other boxes' cells. */
static bool needs_ghosts(const struct stage_case *c)
{
    return c->level->connected && !c->program;
}

/* Sweeps of the pass: as asked for, or the stage's own number, or what ghosts allow, of which the
 * finish takes a share too. */
static enum status choose_sweeps(struct stage_case *c, const struct stage_row *row, int wanted)
{
    const struct level *l = c->level;
    const int most = !needs_ghosts(c)             ? SMOOTHER_SWEEPS
                     : row->finish != FINISH_NONE ? operations_per_halo(l) - 1
                                                  : sweeps_per_halo(l);
    const int sweeps = wanted > 0 ? wanted : most < row->sweeps ? most : row->sweeps;
    c->stage.pass.nsweeps = row->sweeps > 0 ? sweeps : 0;
    if (row->sweeps == 0)
        return wanted == 0 ? STATUS_VALID
                           : refuse(STATUS_USAGE, "--sweeps: stage %s does not smooth", row->name);
    if (sweeps >= 1 && sweeps <= most)
        return STATUS_VALID;
    return refuse(STATUS_USAGE,
                  "--stage %s: between halo exchanges this level can sweep %d times in one pass",
                  row->name, most > 0 ? most : 0);
}

static enum status describe_stage(struct stage_case *c, const struct lab_options *o)
{
    const struct stage_row *row = &stage_rows[o->stage];
    struct level *l = c->level;
    struct pass *p = &c->stage.pass;
    c->stage.kind = row->restricts_f ? STAGE_RESTRICT : STAGE_PASS;
    *p = (struct pass){.level = l,
                       .u = FIELD_U,
                       .f = FIELD_F,
                       .start = row->start,
                       .finish = row->finish,
                       .coarse = c->hierarchy->transfers[0].coarse,
                       .coarse_u = FIELD_U,
                       .coarse_f = FIELD_F,
                       .norm = &c->norm};
    p->prolongation = row->start == START_PROLONG_SET ? l->stencil->choice.order : 2;
    if (needs_ghosts(c) && pass_prolongs(p) && (row->sweeps > 0 || row->finish != FINISH_NONE))
        return refuse(STATUS_USAGE, "--stage %s: a periodic level prolongs in a pass of its own",
                      row->name);
    return choose_sweeps(c, row, o->sweeps);
}

/* With `by_program` the stage may take several passes. */
static enum status create(struct stage_case *c, const struct lab_options *o,
                          const struct backend *backend, bool by_program)
{
    struct hierarchy_choice choice;
    enum status status = level_choice(o, backend, &choice);
    if (status != STATUS_VALID)
        return status;
    *c = (struct stage_case){.hierarchy = hierarchy_create(&choice), .passes = backend->passes};
    c->level = c->hierarchy->levels[0];
    c->program = by_program ? program_create("reference", c->hierarchy) : NULL;
    status = describe_stage(c, o);
    if (status != STATUS_VALID)
        stage_case_destroy(c);
    return status;
}

enum status stage_case_create(struct stage_case *c, const struct lab_options *options,
                              const struct backend *backend)
{
    return create(c, options, backend, false);
}

void stage_case_destroy(struct stage_case *c)
{
    program_destroy(c->program);
    hierarchy_destroy(c->hierarchy);
}

/* --- which kernels do it ---------------------------------------------------------------------- */

static const char *const loops[] = {"plain", "tiled", NULL};

const char *stage_case_kernel(const struct stage_case *c, int number)
{
    return c->level->backend->on_device ? cuda_kernel_name(number) : loops[number];
}

const char *stage_case_baseline(const struct stage_case *c)
{
    return c->level->backend->on_device ? "generic" : loops[0];
}

enum status stage_case_choose(struct stage_case *c, const char *list)
{
    char reason[256];
    if (c->level->backend->on_device)
        return cuda_choose_kernels(list, reason, sizeof reason)
                   ? STATUS_VALID
                   : refuse(STATUS_USAGE, "--kernels: %s", reason);
    const bool plain = strcmp(list, "plain") == 0;
    if (!plain && strcmp(list, "tiled") != 0 && strcmp(list, "default") != 0)
        return refuse(STATUS_USAGE,
                      "--kernels: no loops of the CPU are called '%.200s'; legal: tiled, plain",
                      list);
    c->passes = plain ? backend_cpu_plain.passes : backend_cpu.passes;
    return STATUS_VALID;
}

void stage_case_kernels(const struct stage_case *c, char *text, int size)
{
    text[0] = '\0';
    if (c->stage.kind == STAGE_PASS)
        c->passes->kernels(&c->stage.pass, text, size);
}

/* --- running and checking --------------------------------------------------------------------- */

void stage_case_work(void *stage_case)
{
    struct stage_case *c = stage_case;
    const struct pass *pass = &c->stage.pass;
    if (c->program)
        program_execute(c->program);
    else if (c->stage.kind == STAGE_PASS)
        c->passes->run(pass);
    else
        vector_restrict(pass->level, pass->f, pass->coarse, pass->coarse_f);
}

enum { SEED_U = 1, SEED_F, SEED_COARSE_U };

void stage_case_fill(struct stage_case *c)
{
    struct level *l = c->level, *coarse = c->hierarchy->transfers[0].coarse;
    const enum pass_start start = c->stage.pass.start;
    if (c->stage.kind == STAGE_PASS && (start == START_ZERO || start == START_PROLONG_SET))
        fill_poison(l, FIELD_U);
    else
        fill_random(l, FIELD_U, SEED_U);
    fill_random(l, FIELD_F, SEED_F);
    if (l->fields[FIELD_TMP])
        fill_poison(l, FIELD_TMP);
    fill_random(coarse, FIELD_U, SEED_COARSE_U);
    fill_poison(coarse, FIELD_F);
    c->norm = 0;
}

/* The stage itself is a range on a profiler's time line. */
static void fill_and_run(struct stage_case *c, const char *range)
{
    stage_case_fill(c);
    range_push(range);
    stage_case_work(c);
    c->level->backend->memory->synchronise();
    range_pop();
}

void stage_case_run(struct stage_case *c)
{
    fill_and_run(c, "checked_stage"); /* run/profile knows this name */
}

/* Where the stage leaves u. */
static enum field result_of(const struct stage_case *c)
{
    const struct pass *p = &c->stage.pass;
    const bool in_u = c->level->stencil->in_place || (p->first_sweep + p->nsweeps) % 2 == 0;
    return in_u ? FIELD_U : FIELD_TMP;
}

static bool writes_u(const struct stage_case *c)
{
    const struct pass *p = &c->stage.pass;
    return c->stage.kind == STAGE_PASS && (p->start != START_KEEP || p->nsweeps > 0);
}

static bool writes_coarse_f(const struct stage_case *c)
{
    return c->stage.kind != STAGE_PASS || c->stage.pass.finish == FINISH_RESTRICT;
}

static const struct level *coarse_of(const struct stage_case *c)
{
    return c->hierarchy->transfers[0].coarse;
}

struct stage_sums stage_case_sums(const struct stage_case *c)
{
    return (struct stage_sums){
        .u = writes_u(c) ? vector_checksum(c->level, result_of(c)) : 0,
        .coarse_f = writes_coarse_f(c) ? vector_checksum(coarse_of(c), FIELD_F) : 0,
        .norm = c->norm,
    };
}

bool stage_sums_equal(struct stage_sums a, struct stage_sums b)
{
    return a.u == b.u && a.coarse_f == b.coarse_f && a.norm == b.norm;
}

struct stage_sums stage_case_baseline_sums(struct stage_case *c)
{
    CHECK(stage_case_choose(c, stage_case_baseline(c)) == STATUS_VALID);
    fill_and_run(c, "baseline");
    CHECK(stage_case_choose(c, "default") == STATUS_VALID);
    return stage_case_sums(c);
}

enum status stage_reference_create(struct stage_reference *r, const struct lab_options *options,
                                   struct stage_case *c)
{
    enum { MAX_N_ON_CPU = 128 };
    struct lab_options o = *options;
    r->baseline = stage_case_baseline(c);
    if (o.n > MAX_N_ON_CPU) {
        r->sums = stage_case_baseline_sums(c);
        return STATUS_VALID;
    }
    struct stage_case *cpu = memory_alloc(sizeof *cpu, "a reference");
    o.sweeps = c->stage.pass.nsweeps;
    const enum status status = create(cpu, &o, &backend_cpu_plain, true);
    if (status != STATUS_VALID) {
        memory_free(cpu);
        return status;
    }
    *program_add(cpu->program, cpu->stage.kind, 0) = cpu->stage;
    program_schedule(cpu->program, 0, FIELD_F);
    stage_case_run(cpu);
    r->cpu = cpu;
    return STATUS_VALID;
}

void stage_reference_destroy(struct stage_reference *r)
{
    if (r->cpu)
        stage_case_destroy(r->cpu);
    memory_free(r->cpu);
}

void stage_reference_report(const struct stage_reference *r, struct json *json)
{
    printf("  compared %s%s\n", r->cpu ? "bit for bit with the CPU" : "by checksums with ",
           r->cpu ? "" : r->baseline);
    json_add_text(json, "checked_against", r->cpu ? "CPU" : r->baseline);
}

long stage_differences(const struct stage_reference *r, const struct stage_case *c)
{
    if (!r->cpu)
        return !stage_sums_equal(stage_case_sums(c), r->sums);
    long differences = c->norm != r->cpu->norm;
    if (writes_u(c))
        differences += count_differences(c->level, result_of(c), r->cpu->level, result_of(r->cpu));
    if (writes_coarse_f(c))
        differences += count_differences(coarse_of(c), FIELD_F, coarse_of(r->cpu), FIELD_F);
    return differences;
}

/* --- counting --------------------------------------------------------------------------------- */

static struct operations sum_of(struct operations a, struct operations b)
{
    return (struct operations){a.instructions + b.instructions, a.flops + b.flops};
}

static struct operations times(double count, struct operations a)
{
    return (struct operations){count * a.instructions, count * a.flops};
}

/* f − A u at one cell. */
static struct operations of_residual(const struct operator_choice *op)
{
    static const struct operations fused = {1, 2}, plain = {1, 1};
    static const struct operations fv2 = {12, 17}, fv2_constant = {6, 7};
    static const struct operations fv4_face = {15, 18}, fv4_constant = {12, 16};
    struct operations s;
    if (op->order == 2)
        s = op->variable ? fv2 : fv2_constant;
    else
        s = op->variable ? sum_of(times(6, fv4_face), times(5, plain)) : fv4_constant;
    if (op->equation == EQUATION_HELMHOLTZ)
        s = sum_of(s, op->variable ? fused : plain);
    return sum_of(s, fused);
}

/* A weight of 1 need not be multiplied by. */
static struct operations of_sweep(const struct stencil *s, int sweep)
{
    static const struct operations unit = {1, 2}, weighted = {2, 3}, two_step = {4, 6};
    const struct relaxation r = stencil_relaxation(s, sweep);
    const struct operations update = r.reads_before ? two_step : r.weight == 1.0 ? unit : weighted;
    return times(r.coloured ? 0.5 : 1.0, sum_of(of_residual(&s->choice), update));
}

/* In k, then in j, then in i, for each eight, four and two cells that are new in a direction only
 * once: a quarter, a half and one interpolation per cell. */
static struct operations of_prolongation(const struct pass *pass)
{
    static const struct operations quadratic = {2, 3}, quartic = {4, 6}, added = {1, 1};
    const struct operations p = times(1.75, pass->prolongation == 4 ? quartic : quadratic);
    return pass->start == START_PROLONG_ADD ? sum_of(p, added) : p;
}

struct operations operations_of_restriction(void)
{
    return (struct operations){1, 1}; /* seven additions and a product for eight cells */
}

struct operations operations_of_pass(const struct pass *pass)
{
    const struct stencil *s = pass->level->stencil;
    struct operations all = {0, 0};
    if (pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD)
        all = of_prolongation(pass);
    for (int sweep = 0; sweep < pass->nsweeps; sweep++)
        all = sum_of(all, of_sweep(s, pass->first_sweep + sweep));
    if (pass->finish != FINISH_NONE)
        all = sum_of(all, of_residual(&s->choice));
    if (pass->finish == FINISH_RESTRICT)
        all = sum_of(all, operations_of_restriction());
    return all;
}

void usage_add_counts(struct usage *u, const struct backend *backend, const struct pass *pass,
                      double cells)
{
    const bool counted = backend->on_device && pass;
    const struct cuda_counts c = counted ? cuda_count(pass) : (struct cuda_counts){NAN, NAN, NAN};
    /* All bytes of memory go through the caches. */
    u->cache_bytes = backend->on_device ? fmax(c.cache_bytes * cells, u->bytes) : NAN;
    u->shared_bytes = c.shared_bytes * cells;
    u->instructions = c.instructions * cells;
}

double stage_case_cells(const struct stage_case *c)
{
    return extent_cells(c->level->n);
}

static double bytes_of(const struct stage_case *c)
{
    const struct program program = {.hierarchy = c->hierarchy};
    return c->stage.kind == STAGE_PASS ? c->passes->bytes(&c->stage.pass) * stage_case_cells(c)
                                       : stage_bytes(&program, &c->stage);
}

struct usage stage_case_usage(const struct stage_case *c)
{
    const double cells = stage_case_cells(c);
    const bool is_pass = c->stage.kind == STAGE_PASS;
    const struct operations of_cell =
        is_pass ? operations_of_pass(&c->stage.pass) : operations_of_restriction();
    struct usage u = {.bytes = bytes_of(c),
                      .flops = of_cell.flops * cells,
                      .fp64_instructions = of_cell.instructions * cells};
    usage_add_counts(&u, c->level->backend, is_pass ? &c->stage.pass : NULL, cells);
    return u;
}
