/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The operators of variants.def as types for kernels: Op::residual(view, element). */
#include "cuda/core/launch.cuh"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/operands.h"
#include "operators/smoothers.h"
#include "operators/stencil.h"

/* A patch under the operator; u is at cell (0,0,0). */
struct view : operands {
    const real *u;
    long sj, sk;
};

DEVICE struct near near_of(const struct view &v, long at)
{
    return near_at(v.u + at, v.beta_i + at, v.beta_j + at, v.beta_k + at, v.sj, v.sk);
}

/* An accessor of functions (operators/near.h). */
template <class U, class Beta = int>
struct near_by {
    U u;
    Beta beta = {};
    DEVICE_MEMBER explicit near_by(U cells, Beta faces = {}) : u(cells), beta(faces)
    {
    }
};

/* They name the kernels that are made from them: in single precision they are other types. */
#ifdef SINGLE
inline namespace in_single
{
#endif

/* residual_from computes the residual from the operator's sum; residual_near from what is around
 * the cell; residual at an element of a patch. */
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    struct op_##name {                                                                             \
        static constexpr int RADIUS = RADIUS_##order;                                              \
        static constexpr bool VARIABLE = variable, READS_ALPHA = reads_alpha;                      \
        static constexpr bool HELMHOLTZ = equation == EQUATION_HELMHOLTZ;                          \
        static constexpr sum_fn *sum = SUM;                                                        \
        static constexpr rhs_fn *rhs = RHS;                                                        \
        DEVICE real residual_from(real f, real alpha, real u, real scale, real s)                  \
        {                                                                                          \
            return residual_value(RHS(f, alpha, u), scale, s);                                     \
        }                                                                                          \
        template <class Near>                                                                      \
        DEVICE real residual_near(const Near &x, real f, real alpha, real scale)                   \
        {                                                                                          \
            return residual_from(f, alpha, near_u(x, 0, 0, 0), scale, SUM(x));                     \
        }                                                                                          \
        DEVICE real residual(const struct view &v, long at)                                        \
        {                                                                                          \
            return residual_near(near_of(v, at), v.f[at], v.alpha[at], (real)v.scale);             \
        }                                                                                          \
    };
#include "operators/variants.def"
#undef OPERATOR

#ifdef SINGLE
} // namespace in_single
#endif

/* With constant coefficients α is 1, and no field holds it. */
template <class Op>
constexpr bool READS_ALPHA = Op::READS_ALPHA;

/* A cell's new value, if the sweep updates it. */
DEVICE real relaxed(const struct relaxation &r, real u, real before, real dinv, real residual)
{
    return updated_value(r.update, u, before, dinv, residual, (real)r.weight, (real)r.c1);
}

/* Calls f(Op{}) with the operator's type. Only here does the run's choice become a template
 * parameter. */
template <class F>
void with_operator(const struct operator_choice &choice, F f)
{
    const int index = operator_index(&choice);
    int row = 0;
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    if (index == row++)                                                                            \
        f(op_##name{});
#include "operators/variants.def"
#undef OPERATOR
}

/* The same if the operator has one of these sums, which the caller spells out; or else false. */
template <sum_fn *...SUMS, class F>
bool with_operator_of(const struct operator_choice &choice, F f)
{
    bool found = false;
    with_operator(choice, [&](auto op) {
        if constexpr (((decltype(op)::sum == SUMS) || ...)) {
            f(op);
            found = true;
        }
    });
    return found;
}
