/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Solves one configuration on h, 2h and 4h as the benchmark does, without timing. For tests. */
#include <math.h>
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "operators/problem.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/sides.h"

struct case_result {
    int nsizes;
    struct solve_result solves[SOLVED_LEVELS];
    double richardson_error, richardson_order;
    double true_errors[SOLVED_LEVELS]; /* where the solution is known */
    uint64_t checksum;                 /* of u on h */
};

static inline struct hierarchy_choice case_choice(int order, bool helmholtz, bool periodic,
                                                  enum smoother smoother, int log2_box_dim,
                                                  long boxes_per_rank)
{
    const struct hierarchy_choice choice = {
        .log2_box_dim = log2_box_dim,
        .boxes_per_rank = boxes_per_rank,
        .op = {.order = order,
               .equation = helmholtz,
               .variable = true,
               .sides = sides_if(periodic),
               .smoother = smoother},
        .placement = {.backend = &backend_cpu},
    };
    return choice;
}

/* ‖u − what FIELD_SAVE holds‖_max on a level. */
static inline double case_difference(struct level *l)
{
    vector_combine(l, FIELD_SAVE, 1.0, FIELD_U, -1.0, FIELD_SAVE);
    return reduce_norm(l, FIELD_SAVE);
}

/* An observer that only makes a program execute its stages one by one. */
static inline void case_ignore(void *data, const struct program *p, const struct stage *stage)
{
    (void)data;
    (void)p;
    (void)stage;
}

/* The checksum of u after an F-cycle on the finest level, with an observer or NULL. */
static inline uint64_t case_f_cycle(const struct hierarchy_choice *choice, observe_fn *observe)
{
    struct solve_result result;
    struct hierarchy *h = hierarchy_create(choice);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    program_observe(observe, NULL);
    solver_run(s, &result);
    program_observe(NULL, NULL);
    const uint64_t checksum = reduce_checksum(h->levels[0], FIELD_U);
    solver_destroy(s);
    hierarchy_destroy(h);
    return checksum;
}

static inline void case_run(const struct hierarchy_choice *choice, struct solver_choice solver,
                            struct case_result *result)
{
    struct hierarchy *h = hierarchy_create(choice);
    result->nsizes = h->nlevels < SOLVED_LEVELS ? h->nlevels : SOLVED_LEVELS;
    for (int level = 0; level < result->nsizes; level++) {
        struct level *l = h->levels[level];
        if (level > 0) {
            transfer_restrict(h, level - 1, FIELD_U, FIELD_SAVE);
            transfer_restrict(h, level - 1, FIELD_F, FIELD_F);
        }
        struct solver *s = solver_create(h, level, solver);
        solver_run(s, &result->solves[level]);
        solver_destroy(s);
        if (level == 0)
            result->checksum = reduce_checksum(l, FIELD_U);
        const double difference = level > 0 && l->active ? case_difference(l) : 0.0;
        if (level == 1)
            result->richardson_error = difference;
        if (level == 2)
            result->richardson_order = log2(difference / result->richardson_error);
        if (problems[choice->problem].exact && l->active) {
            problem_solution(l, choice->problem, FIELD_SAVE);
            result->true_errors[level] = case_difference(l);
        }
    }
    hierarchy_destroy(h);
}
