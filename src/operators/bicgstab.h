/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* BiCGStab and the smoother as its fallback, once for the host, which calls the operations of a
 * backend, and for kernels, which do them themselves. Before this header is included,
 *
 *     KRYLOV          begins a function's declaration
 *     krylov_space    is the type that says what the operations work on
 *     krylov_vector   is the type of a vector
 *
 * and after it there are, for a space s and vectors x, y, z:
 *
 *     space_unknown(s), space_work(s, number), space_inverse_diagonal(s)   vectors
 *     space_residual(s, z)             z = f − A u
 *     space_apply(s, z, x)             z = A x
 *     space_project(s, x)              subtracts the mean if A is singular
 *     space_combine(s, z, a, x, b, y)  z = a·x + b·y
 *     space_multiply(s, z, x, y)       z = x·y per element
 *     space_dot(s, x, y), space_norm(s, x)
 *     space_smooth(s)                  one application of the smoother to u */
#include "backend/bottom_counts.h"
#include "operators/formula.h"
#include "operators/stencil.h"

/* Whether a method may divide by the pivot. */
FORMULA bool krylov_usable(double pivot)
{
    return isfinite(pivot) && pivot != 0.0;
}

FORMULA struct krylov_result krylov_break_down(int iterations, double pivot)
{
    const struct krylov_result result = {iterations,
                                         isfinite(pivot) ? BREAKDOWN_PIVOT : BREAKDOWN_NOT_FINITE};
    return result;
}

/* Improves u until ‖f − A u‖_max < reduction·(its first value), in at most max_iterations. Saad,
 * Iterative Methods for Sparse Linear Systems, Algorithm 7.7. The diagonal preconditions from the
 * right, so that the recurrence is for the true residual. Like HPGMG it also stops at the half
 * step. */
KRYLOV struct krylov_result bicgstab_solve(krylov_space s, double reduction, int max_iterations)
{
    const krylov_vector U = space_unknown(s), INVERSE = space_inverse_diagonal(s),
                        R0 = space_work(s, 0), R = space_work(s, 1), P = space_work(s, 2),
                        Q = space_work(s, 3), S = space_work(s, 4), T = space_work(s, 5),
                        AP = space_work(s, 6), AS = space_work(s, 7);
    struct krylov_result result = {0, BREAKDOWN_NONE};
    space_residual(s, R0);
    space_project(s, R0);
    space_combine(s, R, 1.0, R0, 0.0, R0);
    space_combine(s, P, 1.0, R0, 0.0, R0);
    double rho = space_dot(s, R, R0);
    const double target = reduction * space_norm(s, R);
    if (rho == 0.0 || target == 0.0)
        return result;
    while (result.iterations++ < max_iterations) {
        space_multiply(s, Q, INVERSE, P);
        space_apply(s, AP, Q);
        const double pivot = space_dot(s, AP, R0), alpha = rho / pivot;
        if (!krylov_usable(pivot) || !isfinite(alpha))
            return krylov_break_down(result.iterations, pivot);
        space_combine(s, U, 1.0, U, alpha, Q);
        space_combine(s, S, 1.0, R, -alpha, AP);
        if (space_norm(s, S) < target)
            return result;
        space_multiply(s, T, INVERSE, S);
        space_apply(s, AS, T);
        const double as_as = space_dot(s, AS, AS), omega = space_dot(s, AS, S) / as_as;
        if (!krylov_usable(as_as) || !krylov_usable(omega))
            return krylov_break_down(result.iterations, omega);
        space_combine(s, U, 1.0, U, omega, T);
        space_combine(s, R, 1.0, S, -omega, AS);
        if (space_norm(s, R) < target)
            return result;
        const double rho_new = space_dot(s, R, R0), beta = (rho_new / rho) * (alpha / omega);
        if (!krylov_usable(rho_new) || !isfinite(beta))
            return krylov_break_down(result.iterations, rho_new);
        space_combine(s, P, 1.0, P, -omega, AP);
        space_combine(s, P, 1.0, R, beta, P);
        rho = rho_new;
    }
    result.iterations = max_iterations;
    result.breakdown = BREAKDOWN_ITERATIONS;
    return result;
}

/* The norm of the residual, which is left in work vector 0. */
KRYLOV double krylov_residual_norm(krylov_space s)
{
    const krylov_vector R = space_work(s, 0);
    space_residual(s, R);
    space_project(s, R);
    return space_norm(s, R);
}

/* Smooths u until ‖f − A u‖_max is at most reduction·(its first value), for max_sweeps sweeps or a
 * few more. `iterations` of the result are sweeps. */
KRYLOV struct krylov_result smooth_until_solved(krylov_space s, double reduction, int max_sweeps)
{
    const double target = reduction * krylov_residual_norm(s);
    struct krylov_result result = {0, BREAKDOWN_NONE};
    double norm = target == 0.0 ? 0.0 : INFINITY;
    while (result.iterations < max_sweeps && norm > target) {
        space_smooth(s);
        result.iterations += SMOOTHER_SWEEPS;
        norm = krylov_residual_norm(s);
    }
    if (!(norm <= target))
        result.breakdown = BREAKDOWN_SWEEPS;
    return result;
}
