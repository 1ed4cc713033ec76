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

/* Calls a body that copies or adds between the box in the field and an array. */
static void visit(const struct level *l, const struct patch *p, enum field field,
                  const struct local_box *c, const double *packed, enum body body, bool out)
{
    double *inner = patch_cells(l, p, field) + c->lo[0] + c->lo[1] * p->sj + c->lo[2] * p->sk;
    const long in_field[3] = {1, p->sj, p->sk}, in_array[3] = {1, c->n[0], (long)c->n[0] * c->n[1]};
    struct strided_arguments x = {
        .to = out ? (double *)packed : inner, .from = out ? inner : packed, .factor = 1.0};
    memcpy(x.to_stride, out ? in_array : in_field, sizeof x.to_stride);
    memcpy(x.from_stride, out ? in_field : in_array, sizeof x.from_stride);
    l->backend->passes->visit(body, &x, c->n);
}

void local_box_copy_out(const struct level *l, const struct patch *p, enum field field,
                        const struct local_box *c, double *packed)
{
    visit(l, p, field, c, packed, BODY_copy_strided, true);
}

void local_box_copy_in(const struct level *l, const struct patch *p, enum field field,
                       const struct local_box *c, const double *packed)
{
    visit(l, p, field, c, packed, BODY_copy_strided, false);
}

void local_box_add(const struct level *l, const struct patch *p, enum field field,
                   const struct local_box *c, const double *packed)
{
    visit(l, p, field, c, packed, BODY_add_strided, false);
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
