/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's list of stages, and what reports say of them: name, kernels, bytes that must move. */
#include "solvers/stages.h"
#include <string.h>
#include "base/memory.h"
#include "operators/pass.h"

struct program *program_create(const char *name, struct hierarchy *h)
{
    struct program *p = memory_alloc_zero(sizeof *p, "program");
    p->name = name;
    p->hierarchy = h;
    return p;
}

void program_forget_recording(struct program *p)
{
    if (p->recording)
        p->hierarchy->levels[p->stages[0].level]->backend->recorder->destroy(p->recording);
    p->recording = NULL;
}

void program_destroy(struct program *p)
{
    if (!p)
        return;
    program_forget_recording(p);
    memory_free(p->stages);
    memory_free(p->times);
    memory_free(p->ranges);
    memory_free(p);
}

struct stage *program_add(struct program *p, enum stage_kind kind, int level)
{
    p->stages = memory_room(p->stages, p->count, sizeof *p->stages, "program stages");
    struct stage *s = &p->stages[p->count++];
    *s = (struct stage){.kind = kind, .level = level};
    return s;
}

struct plan *stage_plan(const struct program *p, const struct stage *stage)
{
    const struct hierarchy *h = p->hierarchy;
    switch (stage->kind) {
    case STAGE_HALO:
        return h->levels[stage->level]->halos[stage->whole.layers];
    case STAGE_REDISTRIBUTE_DOWN:
        return h->transfers[stage->level].down;
    case STAGE_REDISTRIBUTE_UP:
        return h->transfers[stage->level].up;
    default:
        return NULL;
    }
}

struct plan *stage_endpoints(const struct program *p, const struct stage *stage,
                             const struct level **from, const struct level **to)
{
    const struct hierarchy *h = p->hierarchy;
    *from = *to = h->levels[stage->level];
    if (stage->kind == STAGE_REDISTRIBUTE_DOWN) {
        *from = h->transfers[stage->level].coarse;
        *to = h->levels[hierarchy_next(h, stage->level)];
    } else if (stage->kind == STAGE_REDISTRIBUTE_UP) {
        *from = h->levels[hierarchy_next(h, stage->level)];
        *to = h->transfers[stage->level].coarse;
    }
    return stage_plan(p, stage);
}

const char *stage_name(const struct stage *stage, char *buffer, int size)
{
    static const char *const kinds[NUM_STAGE_KINDS] = {[STAGE_RESTRICT] = "restrict",
                                                       [STAGE_BOTTOM] = "bottom",
                                                       [STAGE_BOUNDARY] = "boundary",
                                                       [STAGE_HALO] = "halo",
                                                       [STAGE_REDISTRIBUTE_DOWN] = "agglomerate",
                                                       [STAGE_REDISTRIBUTE_UP] = "distribute",
                                                       [STAGE_COPY] = "copy",
                                                       [STAGE_MEAN] = "mean",
                                                       [STAGE_WALLS] = "walls"};
    static const char *const starts[] = {"", "zero+", "interpolate+", "prolong+", "correct+"};
    static const char *const finishes[] = {"", "residual+restrict+", "residual+norm+", "residual+",
                                           "defect+"};
    if (stage->kind != STAGE_PASS) {
        snprintf(buffer, (size_t)size, "%s", kinds[stage->kind]);
        return buffer;
    }
    const struct pass *p = &stage->pass;
    snprintf(buffer, (size_t)size, "%s%s%s%s", starts[p->start], p->nsweeps ? "smooth+" : "",
             finishes[p->finish], p->finish == FINISH_DEFECT && p->norm ? "norm+" : "");
    const size_t length = strlen(buffer);
    if (length > 0)
        buffer[length - 1] = '\0';
    return buffer;
}

const char *stage_precision(const struct program *p, const struct stage *stage)
{
    return stage->level < p->hierarchy->nlevels ? "" : " fp32";
}

static const char *pass_work(const struct pass *pass)
{
    if (pass->nsweeps > 0)
        return "smoother";
    if (pass->finish != FINISH_NONE)
        return "residual";
    return pass_prolongs(pass) ? "interpolation" : "zero";
}

const char *stage_work(const struct program *p, const struct stage *stage)
{
    static const char *const works[NUM_STAGE_KINDS] = {[STAGE_HALO] = "halo",
                                                       [STAGE_REDISTRIBUTE_DOWN] = "redistribution",
                                                       [STAGE_REDISTRIBUTE_UP] = "redistribution",
                                                       [STAGE_BOTTOM] = "bottom",
                                                       [STAGE_RESTRICT] = "restriction",
                                                       [STAGE_COPY] = "copy",
                                                       [STAGE_MEAN] = "mean",
                                                       [STAGE_BOUNDARY] = "boundary",
                                                       [STAGE_WALLS] = "walls"};
    const struct hierarchy *h = p->hierarchy;
    const bool moves =
        stage->kind == STAGE_REDISTRIBUTE_DOWN || stage->kind == STAGE_REDISTRIBUTE_UP;
    if (stage->kind == STAGE_PASS)
        return pass_work(&stage->pass);
    if (moves && h->levels[stage->level]->backend->on_device !=
                     h->levels[hierarchy_next(h, stage->level)]->backend->on_device)
        return "hand-over";
    return works[stage->kind];
}

const char *stage_kernels(const struct stage *stage, char *buffer, int size)
{
    buffer[0] = '\0';
    if (stage->kind == STAGE_PASS)
        stage->pass.level->backend->passes->kernels(&stage->pass, buffer, size);
    return buffer;
}

/* Bytes per cell of the level. */
static double bytes_per_cell(const struct stage *stage, int value_bytes)
{
    switch (stage->kind) {
    case STAGE_PASS:
        return stage->pass.level->backend->passes->bytes(&stage->pass);
    case STAGE_RESTRICT:
        return 9.0 / 8.0 * value_bytes;
    case STAGE_COPY:
        return 2 * value_bytes;
    case STAGE_MEAN:
        return 3 * value_bytes;
    default:
        return 0.0;
    }
}

double stage_bytes(const struct program *p, const struct stage *stage)
{
    const struct level *l = p->hierarchy->levels[stage->level];
    const struct plan *plan = stage_plan(p, stage);
    long cells = 0;
    if (plan) /* each cell is read and written */
        return (plan->ends.source->real_bytes + plan->ends.target->real_bytes) *
               (double)(plan->cells[COPY_LOCAL] + plan->cells[COPY_OUT]);
    for (int q = 0; q < l->npatches; q++)
        cells += box_cells(l->patches[q].box);
    return bytes_per_cell(stage, l->backend->real_bytes) * (double)cells;
}

void program_print(const struct program *p, FILE *out)
{
    char name[64];
    fprintf(out, "%s: %d stages\n", p->name, p->count);
    for (int i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        const struct level *l = p->hierarchy->levels[s->level];
        fprintf(out, "%5d  level %2d  %7s  %-5s %s%s", i, l->depth, extent_format(l->n).of,
                l->backend->name, stage_name(s, name, sizeof name), stage_precision(p, s));
        if (s->kind == STAGE_PASS && s->pass.nsweeps > 0)
            fprintf(out, "  sweeps %d-%d", s->pass.first_sweep,
                    s->pass.first_sweep + s->pass.nsweeps - 1);
        fprintf(out, "\n");
    }
}
