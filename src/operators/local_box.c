/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/local_box.h"
#include <string.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "operators/bodies.h"
#include "operators/pass.h"

static const char memory_name[] = "cells of a box";

long local_box_cells(const struct local_box *c)
{
    return (long)c->n[0] * c->n[1] * c->n[2];
}

struct local_box local_box_grow(const struct local_box *box, int layers)
{
    struct local_box grown = *box;
    for (int d = 0; d < 3; d++) {
        grown.lo[d] -= layers;
        grown.n[d] += 2 * layers;
    }
    return grown;
}

double *local_box_array(const struct local_box *box)
{
    return memory_alloc_zero((size_t)local_box_cells(box) * sizeof(double), memory_name);
}

/* The box in the field and in an array, as `inner` and `outer` of a body's arguments. */
struct two_ends {
    double *inner;
    long inner_stride[3], outer_stride[3];
};

static struct two_ends two_ends(const struct level *l, const struct patch *p, enum field field,
                                const struct local_box *c)
{
    return (struct two_ends){patch_cells(l, p, field) + c->lo[0] + c->lo[1] * p->sj +
                                 c->lo[2] * p->sk,
                             {1, p->sj, p->sk},
                             {1, c->n[0], (long)c->n[0] * c->n[1]}};
}

void local_box_copy_out(const struct level *l, const struct patch *p, enum field field,
                        const struct local_box *c, double *packed)
{
    const struct two_ends e = two_ends(l, p, field, c);
    struct strided_arguments x = {.to = packed, .from = e.inner};
    memcpy(x.to_stride, e.outer_stride, sizeof x.to_stride);
    memcpy(x.from_stride, e.inner_stride, sizeof x.from_stride);
    l->backend->passes->visit(BODY_copy_strided, &x, c->n);
}

static void visit_inwards(const struct level *l, const struct patch *p, enum field field,
                          const struct local_box *c, const double *packed, enum body body)
{
    const struct two_ends e = two_ends(l, p, field, c);
    struct strided_arguments x = {.to = e.inner, .from = packed};
    memcpy(x.to_stride, e.inner_stride, sizeof x.to_stride);
    memcpy(x.from_stride, e.outer_stride, sizeof x.from_stride);
    l->backend->passes->visit(body, &x, c->n);
}

void local_box_copy_in(const struct level *l, const struct patch *p, enum field field,
                       const struct local_box *c, const double *packed)
{
    visit_inwards(l, p, field, c, packed, BODY_copy_strided);
}

void local_box_add(const struct level *l, const struct patch *p, enum field field,
                   const struct local_box *c, const double *packed)
{
    visit_inwards(l, p, field, c, packed, BODY_add_strided);
}

void local_box_read(const struct level *l, const struct patch *p, enum field field,
                    const struct local_box *c, double *values)
{
    double *packed = l->backend->memory->allocate(local_box_cells(c), memory_name);
    local_box_copy_out(l, p, field, c, packed);
    l->backend->memory->download(packed, values, local_box_cells(c));
    l->backend->memory->release(packed);
}

void local_box_write(const struct level *l, const struct patch *p, enum field field,
                     const struct local_box *c, const double *values)
{
    double *packed = l->backend->memory->allocate(local_box_cells(c), memory_name);
    l->backend->memory->upload(packed, values, local_box_cells(c));
    local_box_copy_in(l, p, field, c, packed);
    l->backend->memory->synchronise();
    l->backend->memory->release(packed);
}
