/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Solvers of the coarsest level, which is always one box on one rank. */
#include "backend/bottom_counts.h"
#include "level/level.h"

struct stage;

enum bottom_method { BOTTOM_METHOD_BICGSTAB, BOTTOM_METHOD_CG, BOTTOM_METHOD_SMOOTH };

const char *breakdown_text(enum breakdown breakdown);

struct bottom {
    struct level *level;
    enum bottom_method method;
    struct bottom_counts counts; /* of solves on the host; see bottom_counts() */
};

struct bottom *bottom_create(struct level *level, enum bottom_method method);
void bottom_destroy(struct bottom *b);

/* Improves u until ‖f − A u‖_max is 10⁻³ of its first value, in at most 200 iterations. After a
 * breakdown the smoother takes over, for at most 200 sweeps. The counts record both. */
void bottom_solve(struct bottom *b, enum field u, enum field f);

/* True if the level's backend solves without host synchronisation. */
bool bottom_on_device(const struct bottom *b);
/* Sets what a STAGE_BOTTOM says of this solver. */
void bottom_stage(const struct bottom *b, enum field u, enum field f, struct stage *stage);

/* The counts so far, on the host and on a device. */
struct bottom_counts bottom_counts(const struct bottom *b);
