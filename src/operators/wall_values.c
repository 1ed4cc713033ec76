/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/wall_values.h"
#include "base/memory.h"
#include "level/build.h"
#include "operators/bodies.h"

void wall_values_release(struct wall_values *v)
{
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            memory_free(v->g[d][side]);
            memory_free(v->beta[d][side]);
        }
    *v = (struct wall_values){0};
}

int wall_tangent(int d, int which)
{
    return which == 0 ? d == 0 : d == 2 ? 1 : 2;
}

/* `layers` layers of cells from local index `at` on, or the faces there, with `around` cells more
 * in the other directions. */
static struct local_box wall_layers(const struct patch *p, int d, int at, int layers, int around)
{
    const struct local_box inner = {.n = {p->n[0], p->n[1], p->n[2]}};
    struct local_box c = local_box_grow(&inner, around);
    c.lo[d] = at;
    c.n[d] = layers;
    return c;
}

/* The faces of a patch at the wall, and the cells next to it with a margin. */
static struct local_box own_faces(const struct patch *p, int d, int side)
{
    return wall_layers(p, d, side ? p->n[d] : 0, 1, 0);
}

static struct local_box own_part(const struct patch *p, int d, int side)
{
    return wall_layers(p, d, side ? p->n[d] - 1 : 0, 1, WALL_MARGIN);
}

static long part_length(const struct patch *p, int d, int side)
{
    const struct local_box c = own_part(p, d, side);
    return p->wall[d][side] ? local_box_cells(&c) : 0;
}

long wall_faces(const struct level *l, int d, int side)
{
    long count = 0;
    for (int q = 0; q < l->npatches; q++)
        if (l->patches[q].wall[d][side]) {
            const struct local_box c = own_faces(&l->patches[q], d, side);
            count += local_box_cells(&c);
        }
    return count;
}

void wall_read_beta(const struct level *l, int d, int side, double *faces)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        if (!p->wall[d][side])
            continue;
        const struct local_box c = own_faces(p, d, side);
        local_box_read(l, p, (enum field)(FIELD_BETA_I + d), &c, faces);
        faces += local_box_cells(&c);
    }
}

struct wall_part wall_part_of(const struct level *l, const struct patch *patch, int d, int side,
                              double *plane)
{
    struct wall_part w = {.n = {patch->n[wall_tangent(d, 0)], patch->n[wall_tangent(d, 1)]}};
    w.stride = w.n[0] + 2 * WALL_MARGIN;
    if (!plane || !patch->wall[d][side])
        return w;
    w.at = plane + WALL_MARGIN * (1 + w.stride);
    for (const struct patch *p = l->patches; p < patch; p++)
        w.at += part_length(p, d, side);
    return w;
}

/* Extrapolates from the last `cells` values; v[0] is the outermost. */
static void extrapolate(double *v, long inward, int cells)
{
    const struct extrapolation_arguments x = {v, inward, 0, 0, cells};
    if (cells > 1)
        body_extrapolate_beta(&x, 0, 0, 0);
    else
        v[-inward] = v[0];
}

/* Values next to the patch that no neighbour has: extrapolated beyond walls, and images where the
 * backend wraps. The second direction completes the corners. */
static void complete_part(const struct level *l, const struct patch *p, int d, struct wall_part w)
{
    for (int which = 0; which < 2; which++) {
        const int t = wall_tangent(d, which), n = w.n[which];
        const long along = which ? w.stride : 1, across = which ? 1 : w.stride;
        for (int other = -WALL_MARGIN; other < w.n[!which] + WALL_MARGIN; other++)
            for (int m = 0; m < WALL_MARGIN; m++) {
                double *line = w.at + other * across;
                if (p->wall[t][0])
                    extrapolate(line - m * along, along, l->n[t]);
                if (p->wall[t][1])
                    extrapolate(line + (n - 1 + m) * along, -along, l->n[t]);
                if (p->wrap[t]) {
                    line[-(m + 1) * along] = line[(n - 1 - m % n) * along];
                    line[(n + m) * along] = line[m % n * along];
                }
            }
    }
}

double *wall_plane_read(const struct level *l, int d, int side, enum field field)
{
    long length = 0;
    for (int q = 0; q < l->npatches; q++)
        length += part_length(&l->patches[q], d, side);
    double *plane = memory_alloc((size_t)length * sizeof *plane, "a wall"), *part = plane;
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        if (!p->wall[d][side])
            continue;
        const struct local_box c = own_part(p, d, side);
        local_box_read(l, p, field, &c, part);
        complete_part(l, p, d, wall_part_of(l, p, d, side, plane));
        part += local_box_cells(&c);
    }
    return plane;
}

/* The values take the places of the cells next to the wall in a field whose halos are exchanged. */
double *wall_plane_create(struct level *l, int d, int side, const double *faces)
{
    level_allocate(l, FIELD_SAVE);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const struct local_box c = wall_layers(p, d, side ? p->n[d] - 1 : 0, 1, 0);
        if (!p->wall[d][side])
            continue;
        local_box_write(l, p, FIELD_SAVE, &c, faces);
        faces += local_box_cells(&c);
    }
    level_exchange_halo(l, FIELD_SAVE);
    double *plane = wall_plane_read(l, d, side, FIELD_SAVE);
    level_release(l, FIELD_SAVE);
    return plane;
}

void wall_plane_write(const struct level *l, int d, int side, const double *plane, enum field field)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        if (!p->wall[d][side])
            continue;
        const struct local_box c = own_part(p, d, side);
        for (int layer = 0; layer < 2; layer++) {
            struct local_box inward = c;
            inward.lo[d] += side ? -layer : layer;
            local_box_write(l, p, field, &inward, plane);
        }
        plane += local_box_cells(&c);
    }
}
