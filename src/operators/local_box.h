/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Boxes of a patch in local indices, ghosts included, and copies of their values to and from arrays
 * without gaps, i fastest. */
#include "level/level.h"

struct local_box {
    int lo[3], n[3];
};

long local_box_cells(const struct local_box *box);
/* Grown by `layers` on all sides. */
struct local_box local_box_grow(const struct local_box *box, int layers);

/* Zeros in host memory. */
double *local_box_array(const struct local_box *box);

/* Between the field and an array in the backend's memory. */
void local_box_copy_out(const struct level *level, const struct patch *p, enum field field,
                        const struct local_box *box, double *packed);
void local_box_copy_in(const struct level *level, const struct patch *p, enum field field,
                       const struct local_box *box, const double *packed);
/* field += packed in the box. */
void local_box_add(const struct level *level, const struct patch *p, enum field field,
                   const struct local_box *box, const double *packed);

/* Between the field and an array in host memory. */
void local_box_read(const struct level *level, const struct patch *p, enum field field,
                    const struct local_box *box, double *values);
void local_box_write(const struct level *level, const struct patch *p, enum field field,
                     const struct local_box *box, const double *values);
