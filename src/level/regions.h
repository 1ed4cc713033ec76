/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The copies of a plan, found by intersecting boxes. */
#include "backend/copies.h"
#include "level/level.h"

/* What part of the target's patches a plan fills. */
enum target {
    TARGET_GHOSTS, /* the `grow` layers around each box, without the box itself; both levels then
                      have the same boxes */
    TARGET_HALO,   /* the same without the directions in which passes wrap around the box */
    TARGET_GROWN,  /* the box and `grow` layers around it */
};

/* The copies with an end on this rank that plan_create() (level/plan.h) asks for, by target box,
 * then source box, then image. An end in a message lies there without gaps and has no place yet.
 * The caller releases them. */
struct copy_list regions_find(const struct level *source, const struct level *target,
                              enum target what, int grow, int centre);
