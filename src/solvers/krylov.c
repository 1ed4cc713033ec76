/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/krylov.h"
#include <math.h>
#include "backend/backend.h"
#include "base/check.h"
#include "level/build.h"
#include "level/plan.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "solvers/reduce.h"

/* The ghosts that one application reads, or all if there is no plan for these alone. */
static void exchange(const struct level *l, enum field x)
{
    const int radius = l->stencil->radius;
    if (l->connected && l->halos[radius])
        plan_move(l->halos[radius], l, x, l, x, NULL);
    else
        level_exchange_halo(l, x);
}

void krylov_residual(struct level *level, enum field residual, enum field u, enum field f)
{
    const struct pass pass = {
        .level = level, .u = u, .f = f, .finish = FINISH_STORE, .residual = residual};
    exchange(level, u);
    level->backend->passes->run(&pass);
}

void krylov_apply(struct level *level, enum field out, enum field x)
{
    exchange(level, x);
    level->backend->passes->apply(level, out, x);
}

void krylov_project(struct level *level, enum field x)
{
    for (int i = 0; i < 2 && operator_is_singular(&level->stencil->choice); i++)
        reduce_subtract_mean(level, x);
}

/* One application of the smoother, with its halo exchanges: a periodic box is its own neighbour. */
static void smooth(struct level *l, enum field u, enum field f)
{
    const int group = l->connected ? sweeps_per_halo(l) : SMOOTHER_SWEEPS;
    level_exchange_halo(l, f);
    for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep += group) {
        const enum field buffer = l->stencil->in_place || sweep % 2 == 0 ? u : FIELD_TMP;
        const int left = SMOOTHER_SWEEPS - sweep;
        const struct pass pass = {.level = l,
                                  .u = u,
                                  .f = f,
                                  .first_sweep = sweep,
                                  .nsweeps = left < group ? left : group};
        level_exchange_halo(l, buffer);
        l->backend->passes->run(&pass);
    }
}

/* The system A u = f on a level, whose vectors are fields. */
struct system {
    struct level *level;
    enum field u, f;
};
typedef const struct system *krylov_space;
typedef enum field krylov_vector;

#define space_unknown(s) ((s)->u)
#define space_work(s, number) ((enum field)(FIELD_KRYLOV + (number)))
#define space_inverse_diagonal(s) FIELD_DINV
#define space_residual(s, z) krylov_residual((s)->level, z, (s)->u, (s)->f)
#define space_apply(s, z, x) krylov_apply((s)->level, z, x)
#define space_project(s, x) krylov_project((s)->level, x)
#define space_combine(s, z, a, x, b, y) vector_combine((s)->level, z, a, x, b, y)
#define space_multiply(s, z, x, y) vector_multiply((s)->level, z, x, y)
#define space_dot(s, x, y) reduce_dot((s)->level, x, y)
#define space_norm(s, x) reduce_norm((s)->level, x)
#define space_smooth(s) smooth((s)->level, (s)->u, (s)->f)
#define KRYLOV static
#include "operators/bicgstab.h"

struct krylov_result krylov_bicgstab(struct level *l, enum field u, enum field f, double reduction,
                                     int max_iterations)
{
    return bicgstab_solve(&(struct system){l, u, f}, reduction, max_iterations);
}

struct krylov_result krylov_smooth(struct level *l, enum field u, enum field f, double reduction,
                                   int max_sweeps)
{
    return smooth_until_solved(&(struct system){l, u, f}, reduction, max_sweeps);
}

/* Saad, Algorithm 9.1, with the diagonal as preconditioner. */
struct krylov_result krylov_cg(struct level *l, enum field u, enum field f, double reduction,
                               int max_iterations)
{
    const enum field R = FIELD_KRYLOV, P = R + 1, Z = R + 2, AP = R + 3;
    struct krylov_result result = {0, BREAKDOWN_NONE};
    krylov_residual(l, R, u, f);
    krylov_project(l, R);
    const double target = reduction * reduce_norm(l, R);
    if (target == 0.0)
        return result;
    vector_multiply(l, Z, FIELD_DINV, R);
    vector_combine(l, P, 1.0, Z, 0.0, Z);
    double rho = reduce_dot(l, R, Z);
    while (result.iterations++ < max_iterations) {
        krylov_apply(l, AP, P);
        const double pivot = reduce_dot(l, AP, P), alpha = rho / pivot;
        if (!krylov_usable(pivot) || !isfinite(alpha))
            return krylov_break_down(result.iterations, pivot);
        vector_combine(l, u, 1.0, u, alpha, P);
        vector_combine(l, R, 1.0, R, -alpha, AP);
        if (reduce_norm(l, R) < target)
            return result;
        vector_multiply(l, Z, FIELD_DINV, R);
        const double rho_new = reduce_dot(l, R, Z), beta = rho_new / rho;
        if (!krylov_usable(rho_new) || !isfinite(beta))
            return krylov_break_down(result.iterations, rho_new);
        vector_combine(l, P, 1.0, Z, beta, P);
        rho = rho_new;
    }
    return (struct krylov_result){max_iterations, BREAKDOWN_ITERATIONS};
}
