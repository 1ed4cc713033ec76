/* SPDX-License-Identifier: BSD-3-Clause */
/* Solvers come and go: options, the shape of the domain, levels. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "config/memory_need.h"
#include "config/setup.h"
#include "base/check.h"
#include "base/memory.h"
#include "config/environment.h"
#include "cli/option_check.h"
#include "cuda/cuda.h"
#include "library/solver_handle.h"
#include "operators/hash.h"
#include "operators/setup.h"
#include "operators/sum.h"
#include "operators/vectors.h"
#include "solvers/size.h"

#define MOST_STRETCHED 1e6 /* sides of cells, of the shortest */

enum { MIN_LOG2_BOX_DIM = 2, MAX_LOG2_BOX_DIM = 10 };
enum { MIN_FIELDS = 3 }; /* u, f, D⁻¹ */

/* Names and values in turn, up to a NULL. */
static enum status read_options(struct solver_options *o, const char *const *pairs, char *message,
                                int size)
{
    struct parser p = {.list = &solver_options_list,
                       .options = o,
                       .file = "options", /* names are written without dashes */
                       .message = message,
                       .message_size = size};
    enum status status = STATUS_VALID;
    option_set_defaults(&solver_options_list, o);
    o->rtol = 1e-8;
    o->outer = OUTER_AUTO;
    for (int i = 0; status == STATUS_VALID && pairs && pairs[i]; i += 2) {
        const struct option_row *row = option_find(p.list, pairs[i], 0);
        p.line++;
        status = row ? parser_set(&p, row, pairs[i + 1] ? pairs[i + 1] : "")
                     : parser_fail_unknown(&p, pairs[i]);
        if (!pairs[i + 1])
            break;
    }
    p.file = NULL;
    if (status == STATUS_VALID)
        status = solver_options_check(&p, o);
    return status;
}

static enum hpgmg_status status_of(enum status status)
{
    return status == STATUS_VALID    ? HPGMG_OK
           : status == STATUS_USAGE  ? HPGMG_ARGUMENT
           : status == STATUS_MEMORY ? HPGMG_MEMORY
                                     : HPGMG_ENVIRONMENT;
}

/* The cells by direction, and their sizes: lengths of the domain, or widths of all cells. */
struct cell_sizes {
    const int *cells;
    const double *lengths;
    const double *const *widths; /* NULL: cells are equal */
};

static enum hpgmg_status check_cells(const int *cells)
{
    if (!cells)
        return fail(HPGMG_ARGUMENT, "cells is NULL");
    for (int d = 0; d < 3; d++) {
        const int grain = 1 << MIN_LOG2_BOX_DIM, below = cells[d] / grain * grain;
        if (cells[d] < grain || cells[d] > MAX_DIM)
            return fail(HPGMG_ARGUMENT, "cells[%d] is %d; legal: %d to %d", d, cells[d], grain,
                        MAX_DIM);
        if (cells[d] != below)
            return fail(HPGMG_ARGUMENT,
                        "cells[%d] is %d, no multiple of %d; %d and %d are the nearest", d,
                        cells[d], grain, below, below + grain);
    }
    return HPGMG_OK;
}

static enum hpgmg_status check_lengths(const int *cells, const double *lengths)
{
    for (int d = 0; d < 3; d++)
        if (!(lengths[d] > 0.0) || !isfinite(lengths[d]))
            return fail(HPGMG_ARGUMENT, "lengths[%d] is %g; it must be positive and finite", d,
                        lengths[d]);
    const struct spacing spacing = spacing_of(lengths, cells);
    for (int d = 0; d < 3; d++)
        if (spacing.side[d] > MOST_STRETCHED * spacing.shortest)
            return fail(HPGMG_ARGUMENT,
                        "the side of a cell in direction %d, %g, is more than %g times the "
                        "shortest, %g",
                        d, spacing.side[d], MOST_STRETCHED, spacing.shortest);
    return HPGMG_OK;
}

/* Sets the lengths of the domain, or of as many equal cells. */
static enum hpgmg_status check_sizes(const struct cell_sizes *g, double lengths[3])
{
    enum hpgmg_status status = check_cells(g->cells);
    if (status == HPGMG_OK && g->widths)
        status = stretch_check(g->cells, g->widths);
    else if (status == HPGMG_OK && !g->lengths)
        status = fail(HPGMG_ARGUMENT, "lengths is NULL");
    if (status != HPGMG_OK)
        return status;
    if (g->widths)
        stretch_lengths(g->cells, g->widths, lengths);
    else
        memcpy(lengths, g->lengths, 3 * sizeof *lengths);
    return check_lengths(g->cells, lengths);
}

static double boxes_of(const int cells[3], int log2_box_dim)
{
    const int boxes[3] = {cells[0] >> log2_box_dim, cells[1] >> log2_box_dim,
                          cells[2] >> log2_box_dim};
    return extent_cells(boxes);
}

/* The largest boxes that give every rank one. */
static enum hpgmg_status choose_boxes(struct hierarchy_choice *choice, const int cells[3])
{
    const int all = cells[0] | cells[1] | cells[2], ranks = comm_size();
    int k = MIN_LOG2_BOX_DIM;
    while (k < MAX_LOG2_BOX_DIM && (all >> k & 1) == 0)
        k++;
    while (k > MIN_LOG2_BOX_DIM && boxes_of(cells, k) < ranks)
        k--;
    const double boxes = boxes_of(cells, k);
    if (boxes < ranks || boxes > INT_MAX)
        return fail(HPGMG_ARGUMENT, "%dx%dx%d cells are %.0f boxes of %d^3, %s %d", cells[0],
                    cells[1], cells[2], boxes, 1 << k,
                    boxes < ranks ? "fewer than the ranks," : "more than",
                    boxes < ranks ? ranks : INT_MAX);
    choice->log2_box_dim = k;
    for (int d = 0; d < 3; d++)
        choice->domain.boxes[d] = cells[d] >> k;
    choice->boxes_per_rank = ((long)boxes + ranks - 1) / ranks;
    return HPGMG_OK;
}

/* where: NULL if it fits. */
static enum hpgmg_status check_memory(const int cells[3], const struct memory_need *need,
                                      const char *where)
{
    return where ? fail(HPGMG_MEMORY,
                        "%dx%dx%d cells need %.0f bytes of memory per %s, %.0f are available",
                        cells[0], cells[1], cells[2], need->needed, where, need->available)
                 : HPGMG_OK;
}

/* Fields that no solver can do without, before their boxes are listed. */
static enum hpgmg_status check_least_memory(const int cells[3], bool on_gpu)
{
    const double bytes = MIN_FIELDS * sizeof(double) * extent_cells(cells) / comm_size();
    const struct memory_need need =
        memory_need_of(bytes < 0x1p62 ? (size_t)bytes : (size_t)1 << 62, false);
    return check_memory(cells, &need, on_gpu || memory_need_fits(&need) ? NULL : "node");
}

/* Machine and levels. All ranks get the same. */
static enum hpgmg_status choose_levels(struct hpgmg *s, struct hierarchy_choice *choice)
{
    char text[512] = "", note[512];
    struct memory_need need;
    bool on_gpu = false;
    enum status status = environment_check(text, sizeof text);
    if (status == STATUS_VALID)
        status = setup_gpu(&s->options, &on_gpu, note, text, sizeof text);
    if (status == STATUS_VALID)
        status = setup_machine(&s->options, on_gpu, text, sizeof text);
    if (status == STATUS_VALID && check_least_memory(s->cells, on_gpu) != HPGMG_OK)
        return HPGMG_MEMORY;
    *choice = setup_hierarchy(&s->options, on_gpu);
    memcpy(choice->op.lengths, s->lengths, sizeof s->lengths);
    if (status == STATUS_VALID && choose_boxes(choice, s->cells) != HPGMG_OK)
        return HPGMG_ARGUMENT;
    if (status == STATUS_VALID)
        status = size_check(choice, comm_size(), text, sizeof text);
    if (status != STATUS_VALID)
        return fail(status_of(status), "%s", text);
    const char *where = memory_shortage(choice, &need);
    if (check_memory(s->cells, &need, where) != HPGMG_OK)
        return HPGMG_MEMORY;
    if (on_gpu)
        setup_thresholds(&s->options, choice);
    return HPGMG_OK;
}

/* All that can be refused. */
static enum hpgmg_status choose(struct hpgmg *s, const char *const *options,
                                struct hierarchy_choice *choice)
{
    char text[512] = "";
    enum status parsed = read_options(&s->options, options, text, sizeof text);
    const enum hpgmg_status status = call_agree(
        CALL_CREATE, 0, parsed == STATUS_VALID ? HPGMG_OK : fail(HPGMG_ARGUMENT, "%s", text));
    if (status != HPGMG_OK)
        return status;
    parsed = check_options_agree(&solver_options_list, &s->options, parsed, text, sizeof text);
    return parsed == STATUS_VALID ? choose_levels(s, choice) : fail(HPGMG_MISMATCH, "%s", text);
}

static void list_boxes(struct hpgmg *s)
{
    const struct level *l = s->hierarchy->levels[0];
    s->boxes = memory_alloc((size_t)l->npatches * sizeof *s->boxes, "boxes");
    for (int q = 0; q < l->npatches; q++)
        for (int d = 0; d < 3; d++) {
            s->boxes[q].lo[d] = l->patches[q].box.lo[d];
            s->boxes[q].n[d] = l->patches[q].n[d];
        }
}

static void warn_of_coarsest(struct hpgmg *s)
{
    const struct hierarchy *h = s->hierarchy;
    const int *n = h->levels[h->nlevels - 1]->n;
    if (size_coarsest_is_large(&h->choice, n))
        snprintf(
            s->warning, sizeof s->warning,
            "the coarsest level has %s cells, which one rank solves; sides with a larger power "
            "of two in common avoid that",
            extent_format(n).of);
}

/* α = β = 1, where cells are no cubes. */
static void set_unit_coefficients(struct hpgmg *s)
{
    struct level *finest = s->hierarchy->levels[0];
    setup_unit_beta(finest);
    for (int d = 0; d < 3; d++)
        walls_keep_beta(s, d);
    if (finest->fields[FIELD_ALPHA])
        vector_set(finest, FIELD_ALPHA, 1.0);
}

/* By a hash of them. */
static enum hpgmg_status same_widths(const struct hpgmg *s, const double *const *widths)
{
    uint64_t hash = 0;
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < s->cells[d]; i++)
            hash = hash_mix(hash + magnitude_bits(widths[d][i]));
    const double high = (double)(hash >> 32), low = (double)(hash & UINT32_MAX);
    double values[] = {high, low, -high, -low};
    comm_max_f64(comm_world(), values, 4);
    return values[0] == -values[2] && values[1] == -values[3]
               ? HPGMG_OK
               : fail(HPGMG_MISMATCH, "the ranks gave different widths");
}

/* Of cells whose widths differ, which have order 2 and stored coefficients. */
static enum hpgmg_status keep_widths(struct hpgmg *s, const double *const *widths)
{
    enum hpgmg_status status = same_widths(s, widths);
    if (status == HPGMG_OK && s->options.order != 2)
        status = fail(HPGMG_ARGUMENT, "cells of different widths need order 2, not %d",
                      s->options.order);
    if (status == HPGMG_OK && s->options.coefficients != COEFFICIENTS_VARIABLE)
        status = fail(HPGMG_ARGUMENT, "cells of different widths need variable coefficients");
    if (status == HPGMG_OK)
        stretch_keep(s, widths);
    return status;
}

/* The rest, with the new world selected. */
static enum hpgmg_status create(struct hpgmg *s, const struct cell_sizes *g,
                                const char *const *options)
{
    struct hierarchy_choice choice;
    const int *cells = g->cells;
    enum hpgmg_status status =
        call_agree(CALL_CREATE, g->widths != NULL, check_sizes(g, s->lengths));
    if (status != HPGMG_OK)
        return status;
    memcpy(s->cells, cells, sizeof s->cells);
    status = call_same("cells", (const double[3]){cells[0], cells[1], cells[2]}, 3);
    if (status == HPGMG_OK)
        status = call_same("lengths", s->lengths, 3);
    if (status == HPGMG_OK)
        status = choose(s, options, &choice);
    if (status == HPGMG_OK && g->widths)
        status = keep_widths(s, g->widths);
    if (status != HPGMG_OK)
        return status;
    s->hierarchy = hierarchy_allocate(&choice);
    s->operator_is_old = s->rhs_is_old = true;
    if (s->hierarchy->choice.op.unit_beta)
        set_unit_coefficients(s);
    list_boxes(s);
    warn_of_coarsest(s);
    return HPGMG_OK;
}

static void release(struct hpgmg *s)
{
    comm_world_destroy(s->world);
    solver_delist(s);
    option_release(&solver_options_list, &s->options);
    memory_free(s->boxes);
    memory_free(s->context);
    memory_free(s);
}

static enum hpgmg_status create_on(struct hpgmg **solver, hpgmg_comm comm,
                                   const struct cell_sizes *g, const char *const *options)
{
    if (!solver)
        return fail(HPGMG_ARGUMENT, "the pointer to the solver is NULL");
    *solver = NULL;
    enum hpgmg_status status = check_process();
    if (status != HPGMG_OK)
        return status;
    if (!comm_is_running())
        return fail(HPGMG_ORDER, "MPI is not running: it was not initialised, or was finalised");
    if (!comm_is_usable(comm))
        return fail(HPGMG_ARGUMENT, "the communicator is null or has two groups");
    check_warns = false;
    struct hpgmg *s = memory_alloc_zero(sizeof *s, "solver");
    s->world = comm_world_create(comm);
    s->context = memory_alloc_zero(sizeof *s->context, "context");
    solver_enlist(s);
    call_select(s);
    status = call_end(create(s, g, options));
    if (status == HPGMG_OK) {
        *solver = s;
    } else {
        stretch_release(s);
        release(s);
    }
    return status;
}

enum hpgmg_status hpgmg_create(struct hpgmg **solver, hpgmg_comm comm, const int cells[3],
                               const double lengths[3], const char *const *options)
{
    const struct cell_sizes g = {cells, lengths, NULL};
    return create_on(solver, comm, &g, options);
}

enum hpgmg_status hpgmg_create_stretched(struct hpgmg **solver, hpgmg_comm comm, const int cells[3],
                                         const double *const widths[3], const char *const *options)
{
    static const double *const none[3] = {NULL, NULL, NULL};
    const struct cell_sizes g = {cells, NULL, widths ? widths : none};
    return create_on(solver, comm, &g, options);
}

enum hpgmg_status hpgmg_create_fortran(struct hpgmg **solver, const int *comm, const int cells[3],
                                       const double lengths[3], const double *const widths[3],
                                       const char *const *options)
{
    const struct cell_sizes g = {cells, lengths, widths};
    return create_on(solver, comm_of_fortran(comm), &g, options);
}

enum hpgmg_status hpgmg_destroy(struct hpgmg **solver)
{
    struct hpgmg *s = solver ? *solver : NULL;
    if (!solver)
        return fail(HPGMG_ARGUMENT, "the pointer to the solver is NULL");
    enum hpgmg_status status = s ? call_begin(s) : HPGMG_OK;
    if (!s || status != HPGMG_OK)
        return status;
    status = call_agree(CALL_DESTROY, 0, HPGMG_OK);
    if (status != HPGMG_OK)
        return call_end(status);
    if (s->solver)
        solver_destroy(s->solver);
    walls_release(s);
    staging_release(s);
    stretch_release(s);
    hierarchy_destroy(s->hierarchy);
    call_end(HPGMG_OK);
    release(s);
    *solver = NULL;
    return HPGMG_OK;
}

enum hpgmg_status hpgmg_boxes(const struct hpgmg *solver, int *count,
                              const struct hpgmg_box **boxes)
{
    const enum hpgmg_status status = check_solver(solver);
    if (status != HPGMG_OK)
        return status;
    if (!count || !boxes)
        return fail(HPGMG_ARGUMENT, "%s is NULL", count ? "boxes" : "count");
    *count = solver->hierarchy->levels[0]->npatches;
    *boxes = solver->boxes;
    return HPGMG_OK;
}

enum hpgmg_status hpgmg_cell_sizes(const struct hpgmg *solver, double sizes[3])
{
    const enum hpgmg_status status = check_solver(solver);
    if (status != HPGMG_OK)
        return status;
    if (!sizes)
        return fail(HPGMG_ARGUMENT, "sizes is NULL");
    memcpy(sizes, solver->hierarchy->levels[0]->stencil->spacing.side, 3 * sizeof *sizes);
    return HPGMG_OK;
}
