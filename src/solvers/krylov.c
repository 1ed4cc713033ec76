/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/krylov.h"
#include <math.h>
#include "base/check.h"
#include "level/backend.h"
#include "operators/passes.h"
#include "operators/vectors.h"
#include "solvers/reduce.h"

static enum field work(int number)
{
    return FIELD_KRYLOV + number;
}

void krylov_residual(struct level *level, enum field residual, enum field u, enum field f)
{
    const struct pass pass = {
        .level = level, .u = u, .f = f, .finish = FINISH_STORE, .residual = residual};
    level_exchange_halo(level, u);
    level->backend->passes->run(&pass);
}

void krylov_apply(struct level *level, enum field out, enum field x)
{
    level_exchange_halo(level, x);
    level->backend->passes->apply(level, out, x);
}

void krylov_project(struct level *level, enum field x)
{
    const struct operator_choice *op = &level->stencil->choice;
    for (int i = 0; i < 2 && op->periodic && !op->helmholtz; i++)
        reduce_subtract_mean(level, x);
}

static void copy(struct level *l, enum field to, enum field from)
{
    vector_combine(l, to, 1.0, from, 0.0, from);
}

/* Whether a method may divide by the pivot. */
static bool usable(double pivot)
{
    return isfinite(pivot) && pivot != 0.0;
}

static struct krylov_result break_down(int iterations, double pivot)
{
    return (struct krylov_result){iterations,
                                  isfinite(pivot) ? BREAKDOWN_PIVOT : BREAKDOWN_NOT_FINITE};
}

/* Saad, Iterative Methods for Sparse Linear Systems, Algorithm 7.7. The diagonal preconditions from
 * the right, so that the recurrence is for the true residual. Like HPGMG it also stops at the half
 * step. */
struct krylov_result krylov_bicgstab(struct level *l, enum field u, enum field f, double reduction,
                                     int max_iterations)
{
    const enum field R0 = work(0), R = work(1), P = work(2), Q = work(3), S = work(4), T = work(5),
                     AP = work(6), AS = work(7);
    struct krylov_result result = {0, BREAKDOWN_NONE};
    krylov_residual(l, R0, u, f);
    krylov_project(l, R0);
    copy(l, R, R0);
    copy(l, P, R0);
    double rho = reduce_dot(l, R, R0);
    const double target = reduction * reduce_norm(l, R);
    if (rho == 0.0 || target == 0.0)
        return result;
    while (result.iterations++ < max_iterations) {
        vector_multiply(l, Q, FIELD_DINV, P);
        krylov_apply(l, AP, Q);
        const double pivot = reduce_dot(l, AP, R0), alpha = rho / pivot;
        if (!usable(pivot) || !isfinite(alpha))
            return break_down(result.iterations, pivot);
        vector_combine(l, u, 1.0, u, alpha, Q);
        vector_combine(l, S, 1.0, R, -alpha, AP);
        if (reduce_norm(l, S) < target)
            return result;
        vector_multiply(l, T, FIELD_DINV, S);
        krylov_apply(l, AS, T);
        const double as_as = reduce_dot(l, AS, AS), omega = reduce_dot(l, AS, S) / as_as;
        if (!usable(as_as) || !usable(omega))
            return break_down(result.iterations, omega);
        vector_combine(l, u, 1.0, u, omega, T);
        vector_combine(l, R, 1.0, S, -omega, AS);
        if (reduce_norm(l, R) < target)
            return result;
        const double rho_new = reduce_dot(l, R, R0), beta = (rho_new / rho) * (alpha / omega);
        if (!usable(rho_new) || !isfinite(beta))
            return break_down(result.iterations, rho_new);
        vector_combine(l, P, 1.0, P, -omega, AP);
        vector_combine(l, P, 1.0, R, beta, P);
        rho = rho_new;
    }
    return (struct krylov_result){max_iterations, BREAKDOWN_ITERATIONS};
}

/* Saad, Algorithm 9.1, with the diagonal as preconditioner. */
struct krylov_result krylov_cg(struct level *l, enum field u, enum field f, double reduction,
                               int max_iterations)
{
    const enum field R = work(0), P = work(1), Z = work(2), AP = work(3);
    struct krylov_result result = {0, BREAKDOWN_NONE};
    krylov_residual(l, R, u, f);
    krylov_project(l, R);
    const double target = reduction * reduce_norm(l, R);
    if (target == 0.0)
        return result;
    vector_multiply(l, Z, FIELD_DINV, R);
    copy(l, P, Z);
    double rho = reduce_dot(l, R, Z);
    while (result.iterations++ < max_iterations) {
        krylov_apply(l, AP, P);
        const double pivot = reduce_dot(l, AP, P), alpha = rho / pivot;
        if (!usable(pivot) || !isfinite(alpha))
            return break_down(result.iterations, pivot);
        vector_combine(l, u, 1.0, u, alpha, P);
        vector_combine(l, R, 1.0, R, -alpha, AP);
        if (reduce_norm(l, R) < target)
            return result;
        vector_multiply(l, Z, FIELD_DINV, R);
        const double rho_new = reduce_dot(l, R, Z), beta = rho_new / rho;
        if (!usable(rho_new) || !isfinite(beta))
            return break_down(result.iterations, rho_new);
        vector_combine(l, P, 1.0, Z, beta, P);
        rho = rho_new;
    }
    return (struct krylov_result){max_iterations, BREAKDOWN_ITERATIONS};
}
