/* SPDX-License-Identifier: BSD-3-Clause */
/* How the CPU visits cells: by planes of all threads, with vectorised rows. */
#include "operators/bodies.h"
#include "cpu/operations.h"
#include "cpu/halves.h"
#include "operators/diagonal.h"
#include "operators/vectors.h"

typedef void plane_fn(const void *arguments, const int n[3], int k);

#define BODY(name, arguments_type)                                                                 \
    static void name##_plane(const void *arguments, const int n[3], int k)                         \
    {                                                                                              \
        const struct arguments_type x = *(const struct arguments_type *)arguments;                 \
        for (int j = 0; j < n[1]; j++) {                                                           \
            LOOP_SIMD                                                                              \
            for (int i = 0; i < n[0]; i++)                                                         \
                body_##name(&x, i, j, k);                                                          \
        }                                                                                          \
    }
#include "backend/bodies.def"
#undef BODY

void cpu_visit(enum body body, const void *arguments, const int n[3])
{
    static plane_fn *const planes[] = {
#define BODY(name, arguments_type) name##_plane,
#include "backend/bodies.def"
#undef BODY
    };
    const int threads = cpu_threads((long)n[0] * n[1] * n[2]);
    plane_fn *plane = planes[body];
    if (threads == 1) {
        for (int k = 0; k < n[2]; k++)
            plane(arguments, n, k);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int k = 0; k < n[2]; k++)
        plane(arguments, n, k);
}

typedef void terms_fn(const struct terms *terms, const int n[3], int k, uint64_t *words);

#define REDUCTION(name, words, sums)                                                               \
    static void name##_plane(const struct terms *terms, const int n[3], int k, uint64_t *result)   \
    {                                                                                              \
        const struct terms t = *terms;                                                             \
        uint64_t mine[REDUCTION_WORDS] = {0};                                                      \
        for (int j = 0; j < n[1]; j++) {                                                           \
            const long row = j * t.sj + k * t.sk;                                                  \
            const uint64_t first = t.first + t.index_sj * (uint64_t)j + t.index_sk * (uint64_t)k;  \
            for (int i = 0; i < n[0]; i++)                                                         \
                name##_term(&t, first + (uint64_t)i,                                               \
                            (double)(t.y ? t.x[row + i] * t.y[row + i] : t.x[row + i]), mine);     \
        }                                                                                          \
        reduction_combine(result, mine, words, sums);                                              \
    }
#include "backend/reductions.def"
#undef REDUCTION

static const struct {
    terms_fn *plane;
    int words, sums;
} reductions[] = {
#define REDUCTION(name, words, sums) {name##_plane, words, sums},
#include "backend/reductions.def"
#undef REDUCTION
};

static void reduce_patch(enum reduction reduction, const struct terms *t, const int n[3],
                         uint64_t *words)
{
    terms_fn *plane = reductions[reduction].plane;
    const int threads = cpu_threads((long)n[0] * n[1] * n[2]);
    if (threads == 1) {
        for (int k = 0; k < n[2]; k++)
            plane(t, n, k, words);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        uint64_t mine[REDUCTION_WORDS] = {0};
#pragma omp for schedule(static)
        for (int k = 0; k < n[2]; k++)
            plane(t, n, k, mine);
#pragma omp critical
        reduction_combine(words, mine, reductions[reduction].words, reductions[reduction].sums);
    }
}

void cpu_reduce(enum reduction reduction, const struct level *level, enum field x, enum field y,
                double scale, uint64_t *words)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct terms t = vector_terms(level, &level->patches[q], x, y, scale);
        reduce_patch(reduction, &t, level->patches[q].n, words);
    }
}

enum { CHUNK = 128 };

typedef uint64_t cells_fn(const struct diagonal_arguments *x, const struct probe *p, long at,
                          int count, real *diagonal, real *others);

#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    static uint64_t name##_cells(const struct diagonal_arguments *x, const struct probe *p,        \
                                 long at, int count, real *diagonal, real *others)                 \
    {                                                                                              \
        return diagonal_cells(x, SUM, RHS, p, at, count, diagonal, others);                        \
    }
#include "operators/variants.def"
#undef OPERATOR

static cells_fn *const cells_of_operators[] = {
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS) name##_cells,
#include "operators/variants.def"
#undef OPERATOR
};

/* One row. Cells whose stencil reaches no wall are probed together, the others one by one. */
static uint64_t diagonal_row(const struct diagonal_arguments *x, int n, int j, int k)
{
    cells_fn *cells = cells_of_operators[operator_index(&x->s.choice)];
    real diagonal[CHUNK], others[CHUNK];
    uint64_t bound = 0;
    for (int i = 0, count; i < n; i += count) {
        const struct probe probe = diagonal_probe(x, i, j, k);
        const int alike = probe.interior ? x->level_n[0] - x->s.radius - probe.cell[0] : 1;
        count = alike < n - i ? alike : n - i;
        count = count < 1 ? 1 : count > CHUNK ? CHUNK : count;
        const uint64_t bits = cells(x, &probe, i + j * x->sj + k * x->sk, count, diagonal, others);
        bound = bits > bound ? bits : bound;
    }
    return bound;
}

void cpu_diagonal(const struct diagonal_arguments *x, const int n[3], uint64_t *lambda_max)
{
    uint64_t bound = *lambda_max;
#pragma omp parallel for collapse(2) schedule(static) reduction(max : bound)
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++) {
            const uint64_t bits = diagonal_row(x, n[0], j, k);
            bound = bits > bound ? bits : bound;
        }
    *lambda_max = bound;
}

/* A x = −(0 − A x): the residual's loop on f = 0, negated. `o` has f in `to`. */
static void apply_row(const struct level *l, const struct patch *p, const struct operands *o,
                      real *to, const real *from, long at)
{
    const bool halves = l->own_order[FIELD_DINV];
    const struct operator_choice *choice = &l->stencil->choice;
    struct row r = {.n = p->n[0], .rows = 1, .planes = 1, .sj = p->sj, .sk = p->sk};
    real *out = r.out = to + at;
    const int length = halves ? (int)p->sj / 2 + (r.n + 1) / 2 : r.n;
    r.u = from + at;
    r.out_sj = p->sj;
    row_set_operands(&r, o, at);
    for (int i = 0; i < length; i++)
        out[i] = 0.0;
    (halves ? operator_half_rows(choice) : operator_rows(choice))->update[ROW_RESIDUAL](&r);
    for (int i = 0; i < length; i++)
        out[i] = -out[i];
}

static void apply_plane(const struct level *l, const struct patch *p, enum field to,
                        enum field from, int k)
{
    const struct operands o = operands_in(l, p, to);
    for (int j = 0; j < p->n[1]; j++)
        apply_row(l, p, &o, cpu_cells(l, p, to), cpu_cells(l, p, from), j * p->sj + k * p->sk);
}

void cpu_apply(struct level *level, enum field out, enum field x)
{
    const bool halves = level->own_order[FIELD_DINV];
    halves_order_coefficients(level, halves);
    halves_order(level, x, halves);
    level->own_order[out] = halves;
    walls_fill(level, x, stencil_walls(level->stencil), level->stencil->radius);
    for (int q = 0; q < level->npatches; q++) {
        const struct patch *p = &level->patches[q];
        const int threads = cpu_threads(patch_cells_count(p));
        if (threads == 1) {
            for (int k = 0; k < p->n[2]; k++)
                apply_plane(level, p, out, x, k);
            continue;
        }
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int k = 0; k < p->n[2]; k++)
            apply_plane(level, p, out, x, k);
    }
}
