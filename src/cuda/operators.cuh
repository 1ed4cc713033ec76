#ifndef CUDA_OPERATORS_CUH
#define CUDA_OPERATORS_CUH
/* The operators of variants.def as types for kernels: Op::residual(view, element). */
#include "cuda/internal.cuh"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

/* A patch under the operator: pointers at cell (0,0,0); unused ones equal f. */
struct view {
    const double *u, *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    long sj, sk;
    double scale;
};

#define FV2_SUM fv2_gather(u, v.sj, v.sk, bi, bj, bk, v.sj, v.sk)
#define FV2_CONSTANT_SUM fv2_constant_gather(u, v.sj, v.sk)
#define FV4_SUM fv4_gather(u, v.sj, v.sk, bi, bj, bk, v.sj, v.sk)
#define FV4_CONSTANT_SUM fv4_constant_gather(u, v.sj, v.sk)
#define OPERATOR(name, PREPARE, LINES, SUM, RHS)                                                   \
    struct op_##name {                                                                             \
        static __device__ double residual(const struct view &v, long at)                           \
        {                                                                                          \
            const double *u = v.u + at;                                                            \
            [[maybe_unused]] const double *bi = v.beta_i + at, *bj = v.beta_j + at;                \
            [[maybe_unused]] const double *bk = v.beta_k + at;                                     \
            return residual_value(RHS(v.f[at], v.alpha[at], u[0]), v.scale, SUM);                  \
        }                                                                                          \
    };
#include "operators/variants.def"
#undef OPERATOR

/* Calls f(Op{}) with the operator's type: the run's choice becomes a template parameter here and
 * nowhere else. */
template <class F>
void with_operator(const struct operator_choice &choice, F f)
{
    const int index =
        (choice.order == 4 ? 4 : 0) + (choice.variable ? 0 : 2) + (choice.helmholtz ? 1 : 0);
    int row = 0;
#define OPERATOR(name, PREPARE, LINES, SUM, RHS)                                                   \
    if (index == row++)                                                                            \
        f(op_##name{});
#include "operators/variants.def"
#undef OPERATOR
}

#endif
