/* SPDX-License-Identifier: BSD-3-Clause */
/* Values on walls. They are kept as planes, and become terms of f before the next solve. */
#include <math.h>
#include <stddef.h>
#include "base/memory.h"
#include "library/solver_handle.h"
#include "solvers/reduce.h"
#include "solvers/walls.h"

/* The faces of a box on a side of the domain; n[d] is 0 if there are none. */
static void faces_of(const struct hpgmg *s, const struct hpgmg_box *box, int d, int side, int lo[3],
                     int n[3])
{
    for (int e = 0; e < 3; e++) {
        lo[e] = box->lo[e];
        n[e] = box->n[e];
    }
    lo[d] = side ? s->cells[d] : 0;
    n[d] = side ? box->lo[d] + box->n[d] == s->cells[d] : box->lo[d] == 0;
}

static enum hpgmg_status check_side(const struct hpgmg *s, int d, int side)
{
    if (d < 0 || d > 2)
        return fail(HPGMG_ARGUMENT, "there is no direction %d; legal: 0 to 2", d);
    if (side != 0 && side != 1)
        return fail(HPGMG_ARGUMENT, "there is no side %d; legal: 0 (low) and 1 (high)", side);
    if (sides_wrap(&s->hierarchy->levels[0]->sides, d))
        return fail(HPGMG_ARGUMENT, "direction %d is periodic: it has no walls", d);
    return HPGMG_OK;
}

/* Values of all boxes at the wall in turn. */
static enum hpgmg_status take_faces(const struct hpgmg *s, int d, int side,
                                    const double *const *values, double *faces)
{
    for (int b = 0; b < s->hierarchy->levels[0]->npatches; b++) {
        int lo[3], n[3];
        faces_of(s, &s->boxes[b], d, side, lo, n);
        const long count = (long)n[0] * n[1] * n[2];
        if (count > 0 && !values[b])
            return fail(HPGMG_ARGUMENT, "box %d: values is NULL", b);
        for (long v = 0; v < count; v++) {
            if (!isfinite(values[b][v]))
                return fail(HPGMG_ARGUMENT, "box %d: a value of the wall is not finite", b);
            *faces++ = values[b][v];
        }
    }
    return HPGMG_OK;
}

static void replace(double **plane, double *with)
{
    memory_free(*plane);
    *plane = with;
}

/* On all ranks of the selected world; `status` is what this rank thinks of the arguments. */
static enum hpgmg_status set_wall(struct hpgmg *s, int d, int side, const double *const *values,
                                  enum hpgmg_status status)
{
    struct level *finest = s->hierarchy->levels[0];
    double *faces = NULL;
    if (status == HPGMG_OK) {
        faces = memory_alloc((size_t)wall_faces(finest, d, side) * sizeof *faces, "wall");
        status = take_faces(s, d, side, values, faces);
    }
    status = call_agree(CALL_SET_WALL, 2 * d + side, status);
    if (status == HPGMG_OK)
        status = check_room(s, (double)level_field_bytes(finest), false);
    if (status == HPGMG_OK) {
        replace(&s->walls.g[d][side], wall_plane_create(finest, d, side, faces));
        s->has_walls = s->walls_are_old = s->cycle_walls_are_old = true;
    }
    memory_free(faces);
    return status;
}

static enum hpgmg_status set_boxes_of_wall(struct hpgmg *s, int d, int side, int count,
                                           const double *const *values)
{
    const int boxes = s->hierarchy->levels[0]->npatches;
    enum hpgmg_status status = check_side(s, d, side);
    if (status == HPGMG_OK && count != boxes)
        status = fail(HPGMG_ARGUMENT, "count is %d, and the rank has %d boxes", count, boxes);
    if (status == HPGMG_OK && count > 0 && !values)
        status = fail(HPGMG_ARGUMENT, "values is NULL");
    return set_wall(s, d, side, values, status);
}

enum hpgmg_status hpgmg_set_wall(struct hpgmg *solver, int direction, int side, int count,
                                 const double *const *values)
{
    const enum hpgmg_status status = call_begin(solver);
    return status == HPGMG_OK ? call_end(set_boxes_of_wall(solver, direction, side, count, values))
                              : status;
}

static enum hpgmg_status set_wall_function(struct hpgmg *s, int d, int side,
                                           hpgmg_function *function, void *data)
{
    const int count = s->hierarchy->levels[0]->npatches;
    const size_t boxes = (size_t)count;
    enum hpgmg_status status = check_side(s, d, side);
    if (status == HPGMG_OK && !function)
        status = fail(HPGMG_ARGUMENT, "the function is NULL");
    if (status != HPGMG_OK)
        return set_wall(s, d, side, NULL, status);
    struct hpgmg_block *blocks = memory_alloc_zero(boxes * sizeof *blocks, "blocks of a function");
    for (int b = 0; b < count; b++)
        faces_of(s, &s->boxes[b], d, side, blocks[b].box.lo, blocks[b].box.n);
    status = sample_function(s, d, function, data, count, blocks);
    if (status == HPGMG_OK) {
        const double **values = memory_alloc(boxes * sizeof *values, "boxes of a wall");
        for (int b = 0; b < count; b++)
            values[b] = blocks[b].data;
        status = set_wall(s, d, side, values, status);
        memory_free(values);
    }
    release_blocks(count, blocks);
    return status;
}

enum hpgmg_status hpgmg_set_wall_function(struct hpgmg *solver, int direction, int side,
                                          hpgmg_function *function, void *data)
{
    const enum hpgmg_status status = call_begin(solver);
    return status == HPGMG_OK ? call_end(set_wall_function(solver, direction, side, function, data))
                              : status;
}

void walls_keep_beta(struct hpgmg *s, int d)
{
    struct level *finest = s->hierarchy->levels[0];
    for (int side = 0; side < 2; side++) {
        if (finest->sides.of[d][side] != BOUNDARY_NEUMANN)
            continue;
        double *faces = memory_alloc((size_t)wall_faces(finest, d, side) * sizeof *faces, "wall");
        wall_read_beta(finest, d, side, faces);
        replace(&s->walls.beta[d][side], wall_plane_create(finest, d, side, faces));
        memory_free(faces);
    }
}

void walls_add(struct hpgmg *s, bool f_is_new)
{
    const struct level *finest = s->hierarchy->levels[0];
    const bool is_first = !s->wall_terms;
    if (is_first) {
        s->wall_terms = wall_terms_create(finest, finest->stencil->radius);
        s->wall_inflow = wall_terms_create(finest, 1);
    }
    if (f_is_new || is_first)
        wall_terms_keep(s->wall_terms, FIELD_F);
    if (s->walls_are_old) {
        wall_terms_set_operator(s->wall_terms, &s->walls, NUM_FIELDS);
        wall_terms_set_inflow(s->wall_inflow, &s->walls);
    }
    wall_terms_restore(s->wall_terms, FIELD_F);
    wall_terms_add(s->wall_terms, FIELD_F);
    wall_terms_add(s->wall_inflow, FIELD_F);
    s->walls_are_old = false;
    s->f_norm = reduce_norm(finest, FIELD_F);
}

bool walls_prepare_cycle(struct hpgmg *s)
{
    struct hierarchy *h = s->hierarchy;
    const struct wall_terms *before = h->walls[0].interpolated;
    if (!s->has_walls || !s->cycle_walls_are_old)
        return false;
    hierarchy_set_walls(h, &s->walls, s->wall_terms);
    s->cycle_walls_are_old = false;
    return h->walls[0].interpolated != before;
}

void walls_release(struct hpgmg *s)
{
    wall_values_release(&s->walls);
    wall_terms_destroy(s->wall_terms);
    wall_terms_destroy(s->wall_inflow);
}
