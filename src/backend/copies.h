/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdbool.h>
#include "base/real.h"

/* Which of a copy's ends are in fields of this rank; the other end is in a message. */
enum direction { COPY_LOCAL, COPY_OUT, COPY_IN, NUM_DIRECTIONS };

/* A cuboid of cells copied between two pieces of memory: element (i,j,k), 0 <= i < n[0] …, goes
 * from source[from + i + j·from_sj + k·from_sk] to target[to + i + j·to_sj + k·to_sk]. */
struct copy {
    int n[3];
    int peer; /* the rank at the other end */
    long from, from_sj, from_sk;
    long to, to_sj, to_sk;
    int from_i, to_i; /* of the first cell in its patch's rows; of no meaning in a message */
    enum direction direction;
};

static inline long copy_cells(const struct copy *copy)
{
    return (long)copy->n[0] * copy->n[1] * copy->n[2];
}

struct copy_list {
    int count;
    struct copy *copies;
    bool own_from, own_to; /* that end's rows are in the backend's own order (level/level.h) */
    bool from_single, to_single; /* that end has values of single precision */
    double factor; /* of values that change their precision, which are multiplied as doubles */
};

/* Copies that a device makes for a plan: see plan_on_device(). */
enum { MAX_PLAN_COPIES = 2 };
struct plan_copies {
    const struct copy_list *list;
    const real *from;
    real *to;
};
