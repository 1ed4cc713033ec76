/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/mgpcg.h"
#include <math.h>
#include "level/backend.h"
#include "solvers/krylov.h"
#include "solvers/reduce.h"
#include "operators/vectors.h"

static const enum field R = FIELD_PCG, P = FIELD_PCG + 1, Z = FIELD_PCG + 2, AP = FIELD_PCG + 3;

struct program *mgpcg_preconditioner(struct hierarchy *h, int top)
{
    return program_v_cycle(h, top, Z, R, true, false);
}

static void start(struct solver *s, struct level *l, bool from_zero)
{
    if (from_zero) {
        vector_combine(l, FIELD_U, 0.0, FIELD_F, 0.0, FIELD_F);
        vector_combine(l, R, 1.0, FIELD_F, 0.0, FIELD_F);
    } else {
        krylov_residual(l, R, FIELD_U, FIELD_F);
    }
    program_execute(s->preconditioner);
    vector_combine(l, P, 1.0, Z, 0.0, Z);
}

/* The flexible form (Notay 2000): β = z·(r − r_old)/(z_old·r_old). r_old = r + α A p, so no second
 * residual is stored. */
void mgpcg_run(struct solver *s, bool from_zero, struct solve_result *result)
{
    struct level *l = s->hierarchy->levels[s->top];
    start(s, l, from_zero);
    if (!from_zero && reduce_norm(l, R) < s->choice.rtol * s->rhs_norm) { /* no pivot to find */
        solve_record(&s->choice, result, reduce_norm(l, R) / s->rhs_norm);
        return;
    }
    double rho = reduce_dot(l, R, Z);
    do {
        krylov_apply(l, AP, P);
        const double pivot = reduce_dot(l, AP, P), alpha = rho / pivot;
        if (!(pivot > 0.0) || !isfinite(alpha)) {
            result->outcome = isfinite(pivot) ? OUTCOME_BREAKDOWN : OUTCOME_NOT_FINITE;
            return;
        }
        vector_combine(l, FIELD_U, 1.0, FIELD_U, alpha, P);
        vector_combine(l, R, 1.0, R, -alpha, AP);
        if (solve_record(&s->choice, result, reduce_norm(l, R) / s->rhs_norm))
            break;
        program_execute(s->preconditioner);
        const double beta = -alpha * reduce_dot(l, Z, AP) / rho;
        rho = reduce_dot(l, R, Z);
        vector_combine(l, P, 1.0, Z, beta, P);
    } while (result->cycles < s->choice.max_cycles);
    if (s->hierarchy->singular)
        reduce_subtract_mean(l, FIELD_U);
    /* Recurrences give the recorded residuals; the last entry must be the true residual. */
    krylov_residual(l, R, FIELD_U, FIELD_F);
    double *last = &result->history[result->cycles - 1];
    *last = reduce_norm(l, R) / s->rhs_norm;
    if (result->outcome == OUTCOME_DONE && !(*last < s->choice.rtol))
        result->outcome = OUTCOME_LIMIT;
}
