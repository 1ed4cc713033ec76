/* The inner loops: one function per operator and update, all from one loop. `sum`, `rhs` and
 * `update` are constants in every caller, so each function below is a branch-free loop that
 * vectorises. */
#include "operators/cpu.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

#define FV2_SUM(r, i) fv2_gather(r##_u + (i), sj, sk, bi + (i), bj + (i), bk + (i), sj, sk)
#define FV2_CONSTANT_SUM(r, i) fv2_constant_gather(r##_u + (i), sj, sk)
#define FV4_SUM(r, i) fv4_gather(r##_u + (i), sj, sk, bi + (i), bj + (i), bk + (i), sj, sk)
#define FV4_CONSTANT_SUM(r, i) fv4_constant_gather(r##_u + (i), sj, sk)

/* `value` may use u[i], r (the residual at i) and out[i]. No pointer is declared restrict: a sweep
 * in place writes cells of one colour only, which no other iteration reads, and simd says so. */
#define ROW_LOOP(SUM, RHS, value)                                                                  \
    const double *const at_u = row->u, *const f = row->f, *const alpha = row->alpha,               \
                        *const dinv = row->dinv;                                                   \
    const double *const bi = row->beta_i, *const bj = row->beta_j, *const bk = row->beta_k;        \
    double *const out = row->out;                                                                  \
    const long sj = row->sj, sk = row->sk;                                                         \
    const int n = row->n, colour = row->colour;                                                    \
    const double scale = row->scale, weight = row->weight, c1 = row->c1, c2 = row->c2;             \
    (void)dinv, (void)alpha, (void)bi, (void)bj, (void)bk, (void)colour, (void)weight, (void)c1,   \
        (void)c2;                                                                                  \
    _Pragma("omp simd") for (int i = 0; i < n; i++)                                                \
    {                                                                                              \
        const double u = at_u[i];                                                                  \
        const double r = residual_value(RHS(f[i], alpha[i], u), scale, SUM(at, i));                \
        out[i] = (value);                                                                          \
    }

#define OPERATOR(name, SUM, RHS)                                                                   \
    static void name##_residual(const struct row *row)                                             \
    {                                                                                              \
        ROW_LOOP(SUM, RHS, r)                                                                      \
    }                                                                                              \
    static void name##_gauss_seidel(const struct row *row)                                         \
    {                                                                                              \
        ROW_LOOP(SUM, RHS, ((i + colour) & 1) ? u : update_gauss_seidel(u, dinv[i], r))            \
    }                                                                                              \
    static void name##_weighted(const struct row *row)                                             \
    {                                                                                              \
        ROW_LOOP(SUM, RHS, update_weighted(u, dinv[i], r, weight))                                 \
    }                                                                                              \
    static void name##_chebyshev(const struct row *row)                                            \
    {                                                                                              \
        ROW_LOOP(SUM, RHS, update_chebyshev(u, out[i], dinv[i], r, c1, c2))                        \
    }
#include "operators/variants.def"
#undef OPERATOR

row_fn *row_function(const struct operator_choice *choice, enum row_kind kind)
{
    static row_fn *const table[][NUM_ROW_KINDS] = {
#define OPERATOR(name, SUM, RHS)                                                                   \
    {name##_residual, name##_gauss_seidel, name##_weighted, name##_chebyshev},
#include "operators/variants.def"
#undef OPERATOR
    };
    const int index =
        (choice->order == 4 ? 4 : 0) + (choice->variable ? 0 : 2) + (choice->helmholtz ? 1 : 0);
    return table[index][kind];
}
