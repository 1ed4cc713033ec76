/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/idr.h"
#include <math.h>
#include "backend/backend.h"
#include "operators/vectors.h"
#include "solvers/krylov.h"
#include "solvers/reduce.h"

enum { S = 3 };

/* The residual over ‖f‖, what the V-cycle reads and returns; directions d_k with A d_k, both for
 * residuals over ‖f‖; shadow vectors. */
static const enum field R = FIELD_OUTER, V = R + 1, Z = R + 2, D = R + 3, AD = D + S,
                        SHADOW = AD + S;

/* A cosine below this one between the residual and A z enlarges ω (Sleijpen and van der Vorst,
 * Numer. Algorithms 10, 1995). */
#define SMALLEST_COSINE 0.7

/* Of the last residual that was computed from u. */
#define DOUBTFUL 1e-8

struct idr {
    struct solver *solver;
    struct level *level;
    double m[S][S]; /* shadow i · A d_k; lower triangular */
    double f[S];    /* shadow i · r */
    double omega;
    double known; /* the last ‖r‖ that was computed from u */
};

struct program *idr_preconditioner(struct hierarchy *h, int top)
{
    const struct level *l = h->levels[top];
    if (l->connected) /* for krylov_apply() */
        hierarchy_make_halo(h, top, l->stencil->radius);
    return program_v_cycle(h, top, Z, V, true, END_SOLUTION);
}

/* y += a x */
static void add(struct level *l, enum field y, double a, enum field x)
{
    vector_combine(l, y, 1.0, y, a, x);
}

/* Scaled by ‖f‖, so that no inner product leaves the range of numbers. */
static void true_residual(struct idr *x)
{
    krylov_residual(x->level, R, FIELD_U, FIELD_F);
    vector_combine(x->level, R, 1.0 / x->solver->rhs_norm, R, 0.0, R);
    x->known = reduce_norm(x->level, R);
}

/* The space of directions begins anew from u. */
static void begin(struct idr *x)
{
    true_residual(x);
    x->omega = 1.0;
    for (int i = 0; i < S; i++) {
        vector_set(x->level, D + i, 0.0);
        vector_set(x->level, AD + i, 0.0);
        for (int k = 0; k < S; k++)
            x->m[i][k] = i == k;
    }
}

static void precondition(const struct idr *x)
{
    program_execute(x->solver->preconditioner);
}

/* d_k = ω M⁻¹(r − Σ c_i A d_i) + Σ c_i d_i over i ≥ k, with the c for which r − Σ c_i A d_i is
 * orthogonal to shadows k …. */
static void next_direction(struct idr *x, int k)
{
    struct level *l = x->level;
    double c[S];
    vector_combine(l, V, 1.0, R, 0.0, R);
    for (int i = k; i < S; i++) {
        c[i] = x->f[i];
        for (int j = k; j < i; j++)
            c[i] = fma(-x->m[i][j], c[j], c[i]);
        c[i] /= x->m[i][i];
        add(l, V, -c[i], AD + i);
    }
    precondition(x);
    vector_combine(l, D + k, x->omega, Z, c[k], D + k);
    for (int i = k + 1; i < S; i++)
        add(l, D + k, c[i], D + i);
    krylov_apply(l, AD + k, D + k);
}

/* Makes A d_k orthogonal to the shadows before k, then r to shadow k. False if it cannot. */
static bool reduce_along(struct idr *x, int k)
{
    struct level *l = x->level;
    for (int i = 0; i < k; i++) {
        const double a = reduce_dot(l, SHADOW + i, AD + k) / x->m[i][i];
        add(l, AD + k, -a, AD + i);
        add(l, D + k, -a, D + i);
    }
    for (int i = k; i < S; i++)
        x->m[i][k] = reduce_dot(l, SHADOW + i, AD + k);
    const double b = x->f[k] / x->m[k][k];
    if (!isfinite(b))
        return false;
    add(l, R, -b, AD + k);
    add(l, FIELD_U, b * x->solver->rhs_norm, D + k);
    for (int i = k + 1; i < S; i++)
        x->f[i] = fma(-b, x->m[i][k], x->f[i]);
    return true;
}

/* u += ω M⁻¹ r with the ω that makes the residual least. The residual is then computed from u, so
 * that rounding errors of the recurrences do not accumulate. False if ω does not exist. */
static bool reduce_dimension(struct idr *x)
{
    struct level *l = x->level;
    vector_combine(l, V, 1.0, R, 0.0, R);
    precondition(x);
    krylov_apply(l, V, Z);
    const double vv = reduce_dot(l, V, V), vr = reduce_dot(l, V, R), rr = reduce_dot(l, R, R);
    const double cosine = fabs(vr) / sqrt(vv * rr);
    x->omega = vr / vv * (cosine < SMALLEST_COSINE ? SMALLEST_COSINE / cosine : 1.0);
    if (!isfinite(x->omega) || x->omega == 0.0)
        return false;
    add(l, FIELD_U, x->omega * x->solver->rhs_norm, Z);
    true_residual(x);
    return true;
}

/* Records the residual that recurrences gave. One within the tolerance, or so small that it may be
 * rounding errors, is computed from u before it is believed. */
static bool record(struct idr *x, struct solve_result *result)
{
    double residual = reduce_norm(x->level, R);
    if (residual < fmax(x->solver->target, DOUBTFUL * x->known)) {
        true_residual(x);
        residual = x->known;
    }
    result->outer_cycles++;
    return solve_record(x->solver, result, residual);
}

/* S + 1 V-cycles. *over: the solve is. False after a breakdown. */
static bool run_round(struct idr *x, struct solve_result *result, bool *over)
{
    for (int i = 0; i < S; i++)
        x->f[i] = reduce_dot(x->level, SHADOW + i, R);
    for (int k = 0; k < S && !*over; k++) {
        next_direction(x, k);
        if (!reduce_along(x, k))
            return false;
        *over = record(x, result);
    }
    if (*over)
        return true;
    if (!reduce_dimension(x))
        return false;
    *over = record(x, result);
    return true;
}

/* A breakdown begins the space anew; one in a new space is the end. */
void idr_run(struct solver *s, bool from_zero, struct solve_result *result)
{
    struct idr x = {.solver = s, .level = s->hierarchy->levels[s->top]};
    bool over = false;
    if (from_zero)
        vector_set(x.level, FIELD_U, 0.0);
    if (s->rhs_norm == 0.0) { /* nothing to scale by */
        vector_set(x.level, FIELD_U, 0.0);
        over = solve_record(s, result, 0.0);
    }
    for (int i = 0; i < S; i++)
        vector_set_random(x.level, SHADOW + i, i);
    while (!over) {
        const int before = result->cycles;
        begin(&x);
        while (run_round(&x, result, &over) && !over)
            ;
        if (!over && result->cycles == before) {
            result->outcome = OUTCOME_BREAKDOWN;
            over = true;
        }
    }
    if (s->hierarchy->singular)
        reduce_subtract_mean(x.level, FIELD_U);
}
