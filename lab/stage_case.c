/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/stage_case.h"
#include <string.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/ranges.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"
#include "lab/lab.h"
#include "lab/operations.h"
#include "cpu/cpu.h"
#include "solvers/stages.h"
#include "operators/vectors.h"

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

enum status stage_case_create_reference(struct stage_case *c, const struct lab_options *options,
                                        const struct stage_case *measured)
{
    struct lab_options o = *options;
    o.sweeps = measured->stage.pass.nsweeps;
    const enum status status = create(c, &o, &backend_cpu_plain, true);
    if (status != STATUS_VALID)
        return status;
    *program_add(c->program, c->stage.kind, 0) = c->stage;
    program_schedule(c->program, 0, FIELD_F);
    return STATUS_VALID;
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

/* The stage itself is a range on a profiler's time line. */
static void fill_and_run(struct stage_case *c, const char *range)
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
    range_push(range);
    stage_case_work(c);
    l->backend->memory->synchronise();
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

long stage_case_differences(const struct stage_case *a, const struct stage_case *b)
{
    long differences = a->norm != b->norm;
    if (writes_u(a))
        differences += count_differences(a->level, result_of(a), b->level, result_of(b));
    if (writes_coarse_f(a))
        differences += count_differences(coarse_of(a), FIELD_F, coarse_of(b), FIELD_F);
    return differences;
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
