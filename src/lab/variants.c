/* SPDX-License-Identifier: BSD-3-Clause */
/* The variants that work on any backend, and the list of all. */
#include "lab/variants.h"
#include <stddef.h>
#include "base/check.h"
#include "lab/gpu.h"
#include "lab/kernel.h"
#include "level/backend.h"
#include "operators/backend_cpu.h"
#include "solvers/program.h"

/* --- default: the stage as the solver runs it --------------------------------------------------
 */

static void run_stage(struct stage_case *c, const struct stage *stage)
{
    struct level *l = c->level;
    if (stage->kind == STAGE_PASS)
        l->backend->passes->run(&stage->pass);
    else
        l->backend->passes->restrict_cells(l, stage->field, c->hierarchy->transfers[0].coarse,
                                           stage->field);
}

static void run_default(struct stage_case *c)
{
    run_stage(c, c->stage);
}

const struct variant variant_default = {
    .name = "default",
    .summary = "the backend's pass, as the solver runs it",
    .where = VARIANT_CPU | VARIANT_GPU,
    .run = run_default,
};

/* --- baseline: every start, sweep and finish a pass of its own ---------------------------------
 */

/* A start, SMOOTHER_SWEEPS sweeps, a finish. */
enum { MAX_PARTS = SMOOTHER_SWEEPS + 2 };

static struct pass part_of(const struct pass *whole)
{
    struct pass part = *whole;
    part.start = START_KEEP;
    part.nsweeps = 0;
    part.finish = FINISH_NONE;
    return part;
}

/* The operations of a stage, as stages. */
static int split(const struct stage *stage, struct stage parts[MAX_PARTS])
{
    const struct pass *whole = &stage->pass;
    int count = 0;
    if (stage->kind != STAGE_PASS) {
        parts[0] = *stage;
        return 1;
    }
    for (int part = 0; part < MAX_PARTS; part++) {
        parts[part] = *stage;
        parts[part].pass = part_of(whole);
    }
    if (whole->start != START_KEEP)
        parts[count++].pass.start = whole->start;
    for (int sweep = 0; sweep < whole->nsweeps; sweep++) {
        parts[count].pass.first_sweep = whole->first_sweep + sweep;
        parts[count++].pass.nsweeps = 1;
    }
    if (whole->finish != FINISH_NONE) {
        parts[count].pass.first_sweep = whole->first_sweep + whole->nsweeps;
        parts[count++].pass.finish = whole->finish;
    }
    return count;
}

/* One operation after the other, each of its own: on a GPU a kernel each, on a CPU simple loops. */
static void run_baseline(struct stage_case *c)
{
    if (c->stage->kind != STAGE_PASS)
        run_stage(c, c->stage);
    else if (c->level->backend->on_device)
        gpu_run_baseline(&c->stage->pass);
    else
        backend_cpu_plain.passes->run(&c->stage->pass);
}

static double bytes_of_baseline(const struct stage_case *c)
{
    struct stage parts[MAX_PARTS];
    const struct program program = {.hierarchy = c->hierarchy};
    const int count = split(c->stage, parts);
    double bytes = 0.0;
    for (int part = 0; part < count; part++)
        bytes += stage_bytes(&program, &parts[part]);
    return bytes;
}

const struct variant variant_baseline = {
    .name = "baseline",
    .summary = "one kernel (or loop) after the other, unfused",
    .where = VARIANT_CPU | VARIANT_GPU,
    .run = run_baseline,
    .bytes = bytes_of_baseline,
};

/* --- the list ----------------------------------------------------------------------------------
 */

static const struct variant *const cpu_variants[] = {&variant_baseline, &variant_default, NULL};

const struct variant *all_variants[MAX_VARIANTS + 1];
struct choice variant_choices[MAX_VARIANTS + 2] = {{"all", -1}, {NULL, 0}};

static int add_variants(const struct variant *const *list, int count)
{
    for (; *list; list++) {
        CHECK(count < MAX_VARIANTS);
        all_variants[count] = *list;
        variant_choices[count + 1] = (struct choice){(*list)->name, count};
        count++;
    }
    all_variants[count] = NULL;
    variant_choices[count + 1] = (struct choice){NULL, 0};
    return count;
}

void variants_list(void)
{
    add_variants(gpu_variants, add_variants(cpu_variants, 0));
}

bool variant_fits(const struct variant *v, const struct stage_case *c)
{
    if (!(v->where & (c->level->backend->on_device ? VARIANT_GPU : VARIANT_CPU)))
        return false;
    return !v->fits || v->fits(c);
}
