/* SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops, Gauss-Seidel half-sweeps (`coloured`) among them: one function per operator and
 * update, all from one macro. SUM, RHS and the
 * update are constants in each, so each loop is branch-free and vectorises. Rows of small levels
 * have lengths that are constants too, so that their loops are straight code. (Half-sweeps of
 * small levels have loops of their own, in colours.c.) */
#include <string.h>
#include "cpu/operations.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

#define INLINE static inline __attribute__((always_inline))

/* CHUNK cells are worked on at a time; scratch stays in the innermost cache. The fluxes between
 * planes of at most KEPT cells are kept. */
enum { CHUNK = 256, KEPT = 1024, LINE = 64 / sizeof(real) /* values in a cache line */ };

/* Values of a row, and of the cells at its two ends. Cell 0 begins a cache line, so that vectors
 * which are read back soon lie in vectors that were stored. */
struct line {
    real values[LINE + CHUNK + LINE];
};

INLINE real *line_cells(struct line *line)
{
    return line->values + LINE;
}

/* A fourth-order sum reads 55 values at 33 addresses, more than a processor has address registers.
 * So each direction's fluxes have a loop of their own. They are added in fv4_sum's order, so
 * results are bitwise those of sum_fv4, as tests/operators/cells_test.c says. Tangential
 * differences of u are computed once for all fluxes that use them, and one row ahead: fluxes in i
 * read them one cell off, which has to wait until they are stored. The flux through a row's high j
 * face is kept for the next row. That through its high k face is kept for the next plane, in the
 * caller's array or, if a plane fits, in k_flux. */
struct fluxes_lines {
    struct line dj[2], dk[2]; /* u(j+1) − u(j−1) and u(k+1) − u(k−1) of this row and the next */
    real di[2][CHUNK];        /* u(i+1) − u(i−1) */
    struct line i_low;
    real j_flux[2][CHUNK];
    real k_flux[KEPT];
    real *k_rows;
    long k_stride; /* between rows; 0 if the fluxes of a plane are not kept */
    int here;      /* index of this row's entry of two */
} __attribute__((aligned(64)));

/* u(+s) − u(−s) */
INLINE void difference(real *restrict out, const real *u, long s, long count)
{
#pragma omp simd
    for (long i = 0; i < count; i++)
        out[i] = u[i + s] - u[i - s];
}

/* The same with a cell more at both ends. */
INLINE void difference_of_line(struct line *out, const real *u, long s, long count)
{
    real *cells = line_cells(out);
    cells[-1] = u[s - 1] - u[-s - 1];
    difference(cells, u, s, count);
    cells[count] = u[count + s] - u[count - s];
}

/* Fluxes through the low i faces, and through the high one of the last cell. */
INLINE void fv4_i_fluxes(const struct row *row, const real *u, const real *b, long count,
                         struct fluxes_lines *l)
{
    const real *dj = line_cells(&l->dj[l->here]), *dk = line_cells(&l->dk[l->here]);
    const long sj = row->sj, sk = row->sk;
    real *restrict flux = line_cells(&l->i_low);
#define FLUX(i)                                                                                    \
    fv4_flux(b[i], u[(i)-2], u[(i)-1], u[i], u[(i) + 1], b[(i) + sj] - b[(i)-sj], dj[(i)-1],       \
             dj[i], b[(i) + sk] - b[(i)-sk], dk[(i)-1], dk[i])
#pragma omp simd
    for (long i = 0; i < count; i++)
        flux[i] = FLUX(i);
    flux[count] = FLUX(count);
#undef FLUX
}

/* Fluxes through the low j faces of the row that u and b point to. `below` and `above` index the
 * differences of its lower neighbour and its own. */
INLINE void fv4_j_fluxes(const struct row *row, const real *u, const real *b, long count,
                         struct fluxes_lines *l, int below, int above, real *restrict flux)
{
    const real *di0 = l->di[below], *di1 = l->di[above], *dk0 = line_cells(&l->dk[below]),
               *dk1 = line_cells(&l->dk[above]);
    const long sj = row->sj, sk = row->sk;
#pragma omp simd
    for (long i = 0; i < count; i++)
        flux[i] = fv4_flux(b[i], u[i - 2 * sj], u[i - sj], u[i], u[i + sj], b[i + 1] - b[i - 1],
                           di0[i], di1[i], b[i + sk] - b[i - sk], dk0[i], dk1[i]);
}

/* Fluxes through the low k faces. */
INLINE void fv4_k_low_fluxes(const struct row *row, const real *u, const real *b, long count,
                             struct fluxes_lines *l, real *restrict flux)
{
    const real *di = l->di[l->here], *dj = line_cells(&l->dj[l->here]);
    const long sj = row->sj, sk = row->sk;
    const real *below = u - sk;
#pragma omp simd
    for (long i = 0; i < count; i++)
        flux[i] = fv4_flux(b[i], u[i - 2 * sk], below[i], u[i], u[i + sk], b[i + 1] - b[i - 1],
                           below[i + 1] - below[i - 1], di[i], b[i + sj] - b[i - sj],
                           below[i + sj] - below[i - sj], dj[i]);
}

/* The differences of the row that u points to. */
INLINE void fv4_differences(const struct row *row, const real *u, long count,
                            struct fluxes_lines *l, int entry)
{
    difference_of_line(&l->dk[entry], u, row->sk, count);
    difference_of_line(&l->dj[entry], u, row->sj, count);
    difference(l->di[entry], u, 1, count);
}

/* Before the first row of plane k of a group. */
INLINE void fluxes_begin(const struct row *row, int k, long start, long count,
                         struct fluxes_lines *l)
{
    const long at = start + k * row->sk;
    const real *u = row->u + at;
    l->here = 0;
    const bool fits = row->planes > 1 && row->n <= CHUNK && (long)row->n * row->rows <= KEPT;
    l->k_rows = row->k_flux ? row->k_flux + start : l->k_flux;
    l->k_stride = row->k_flux || fits ? row->n : 0;
    fv4_differences(row, u, count, l, 0);
    difference(l->di[1], u - row->sj, 1, count);
    difference(line_cells(&l->dk[1]), u - row->sj, row->sk, count);
    fv4_j_fluxes(row, u, row->beta_j + at, count, l, 1, 0, l->j_flux[0]);
}

/* The sums, from the fluxes in i and j and those through the low k faces. Leaves those through the
 * high k faces, seen from the cells above them, in their place. */
INLINE void fv4_sums(const struct row *row, const real *u, const real *b, long count,
                     struct fluxes_lines *l, real *restrict k_flux, real *restrict sums)
{
    const real *i_low = line_cells(&l->i_low), *j_low = l->j_flux[l->here],
               *j_high = l->j_flux[1 - l->here];
    const real *di = l->di[l->here], *dj = line_cells(&l->dj[l->here]);
    const long sj = row->sj, sk = row->sk;
    const real *above = u + sk, *b1 = b + sk;
#pragma omp simd
    for (long i = 0; i < count; i++) {
        const real k_high = fv4_flux(b1[i], u[i - sk], u[i], above[i], u[i + 2 * sk],
                                     b1[i + 1] - b1[i - 1], di[i], above[i + 1] - above[i - 1],
                                     b1[i + sj] - b1[i - sj], dj[i], above[i + sj] - above[i - sj]);
        sums[i] = fv4_sum(i_low[i], -i_low[i + 1], j_low[i], -j_high[i], k_flux[i], -k_high);
        k_flux[i] = k_high;
    }
}

/* The sums of row `r` of plane k of the group. Rows must come in order. The flux through a high
 * face is the negative of the flux through the low face of the next cell. */
INLINE void fluxes_row_sums(const struct row *row, int r, int k, long start, long count,
                            struct fluxes_lines *l, real *restrict sums)
{
    const long at = start + r * row->sj + k * row->sk;
    const int here = l->here, next = 1 - here;
    const real *u = row->u + at;
    real *restrict k_low = l->k_rows + r * l->k_stride;
    fv4_i_fluxes(row, u, row->beta_i + at, count, l);
    fv4_differences(row, u + row->sj, count, l, next);
    if (l->k_stride == 0 || (k == 0 && !row->k_known))
        fv4_k_low_fluxes(row, u, row->beta_k + at, count, l, k_low);
    fv4_j_fluxes(row, u + row->sj, row->beta_j + at + row->sj, count, l, here, next,
                 l->j_flux[next]);
    fv4_sums(row, u, row->beta_k + at, count, l, k_low, sums);
    l->here = next;
}

/* Sums that need no preparation. */
struct cells_lines {
    int unused;
};

INLINE void cells_begin(const struct row *row, int k, long start, long count, struct cells_lines *l)
{
    (void)row, (void)k, (void)start, (void)count, (void)l;
}

INLINE void cells_row_sums(const struct row *row, int r, int k, long start, long count,
                           struct cells_lines *l, real *sums)
{
    (void)row, (void)r, (void)k, (void)start, (void)count, (void)l, (void)sums;
}

/* S of cell i of a row. */
#define cells_SUM(SUM) SUM(near_at(u + i, bi + i, bj + i, bk + i, sj, sk))
#define fluxes_SUM(SUM) sums[i]
/* Whether fluxes are worth keeping from plane to plane. */
enum { cells_KEEP = false, fluxes_KEEP = true };

/* Asks for `count` cells, so that they are in L2 when they are read. */
INLINE void prefetch_cells(const real *x, long count)
{
    for (long i = 0; i < count; i += LINE)
        __builtin_prefetch(x + i, 0, 2);
}

/* Asks for what the row one plane ahead reads and this one does not. */
INLINE void prefetch_row(const struct row *row, long at, long count)
{
    const long sk = row->sk, next = at + sk, reach = row->radius * sk;
    prefetch_cells(row->u + next + reach, count);
    prefetch_cells(row->f + next, count);
    prefetch_cells(row->dinv + next, count);
    if (row->beta_i == row->f) /* constant coefficients */
        return;
    prefetch_cells(row->beta_i + next + reach - sk, count);
    prefetch_cells(row->beta_j + next + reach - sk, count);
    prefetch_cells(row->beta_k + next + sk, count);
    if (row->alpha != row->f)
        prefetch_cells(row->alpha + next, count);
}

/* `value` may use `here` (the value of u), r_i (the residual), `updated` (by D⁻¹r) and the arrays
 * at i. A sweep in place writes to a scratch row first: a vector load that overlaps the vector just
 * stored would wait for the store. */
#define ROW_LOOP(ROWS, SUM, RHS, value)                                                            \
    const long sj = row->sj, sk = row->sk;                                                         \
    const real scale = row->scale, weight = row->weight, c1 = row->c1;                             \
    real sums[CHUNK], scratch[CHUNK];                                                              \
    struct ROWS##_lines lines;                                                                     \
    (void)sums, (void)sk, (void)weight, (void)c1;                                                  \
    for (long start = 0; start < n; start += CHUNK) {                                              \
        const long count = n - start < CHUNK ? n - start : CHUNK;                                  \
        for (int k = 0; k < row->planes; k++) {                                                    \
            ROWS##_begin(row, k, start, count, &lines);                                            \
            for (int r = 0; r < row->rows; r++) {                                                  \
                const long at = start + r * sj + k * sk;                                           \
                const long colour = (row->colour + start + r + k) & 1;                             \
                const real *const u = row->u + at, *const f = row->f + at;                         \
                const real *const alpha = row->alpha + at, *const dinv = row->dinv + at;           \
                const real *const bi = row->beta_i + at, *const bj = row->beta_j + at;             \
                const real *const bk = row->beta_k + at;                                           \
                real *const target = row->out + start + r * row->out_sj + k * row->out_sk;         \
                const real *const old = target;                                                    \
                real *const out = in_place ? scratch : target;                                     \
                (void)alpha, (void)dinv, (void)bi, (void)bj, (void)bk, (void)old, (void)colour;    \
                if (row->readers > 0 && row->reader == 0)                                          \
                    prefetch_row(row, at, count);                                                  \
                ROWS##_row_sums(row, r, k, start, count, &lines, sums);                            \
                _Pragma("omp simd") for (long i = 0; i < count; i++)                               \
                {                                                                                  \
                    const real here = u[i];                                                        \
                    const real r_i =                                                               \
                        residual_value(RHS(f[i], alpha[i], here), scale, ROWS##_SUM(SUM));         \
                    const real updated = update_weighted(here, dinv[i], r_i, weight);              \
                    (void)updated;                                                                 \
                    out[i] = (value);                                                              \
                }                                                                                  \
                for (long i = 0; in_place && i < count; i++)                                       \
                    target[i] = scratch[i];                                                        \
            }                                                                                      \
        }                                                                                          \
    }

/* One kind of update, as a function that may get length and stride of rows as constants. */
#define UPDATE_OF(name, ROWS, SUM, RHS, value)                                                     \
    INLINE void name##_of(const struct row *rows, const int n, const long stride,                  \
                          const bool in_place)                                                     \
    {                                                                                              \
        struct row copy = *rows, *const row = &copy;                                               \
        copy.n = n;                                                                                \
        copy.sj = stride;                                                                          \
        ROW_LOOP(ROWS, SUM, RHS, value)                                                            \
    }

/* Rows of any length, and those of small levels, with 3 or 4 ghost layers and rows aligned to 8
 * cells. */
#define UPDATE(name, ROWS, SUM, RHS, value)                                                        \
    UPDATE_OF(name, ROWS, SUM, RHS, value)                                                         \
    static void name(const struct row *row)                                                        \
    {                                                                                              \
        if (row->n == 16 && row->sj == 24)                                                         \
            name##_of(row, 16, 24, false);                                                         \
        else if (row->n == 8 && row->sj == 16)                                                     \
            name##_of(row, 8, 16, false);                                                          \
        else if (row->n == 4 && row->sj == 16)                                                     \
            name##_of(row, 4, 16, false);                                                          \
        else if (row->n == 2 && row->sj == 16)                                                     \
            name##_of(row, 2, 16, false);                                                          \
        else if (row->n == 2 && row->sj == 8)                                                      \
            name##_of(row, 2, 8, false);                                                           \
        else                                                                                       \
            name##_of(row, row->n, row->sj, false);                                                \
    }

/* Rows of any length. Fluxes need no scratch row: their loop reads no neighbour of u. */
#define COLOURED_UPDATE(name, ROWS, SUM, RHS, value)                                               \
    UPDATE_OF(name, ROWS, SUM, RHS, value)                                                         \
    static void name(const struct row *row)                                                        \
    {                                                                                              \
        name##_of(row, row->n, row->sj, !ROWS##_KEEP && row->out == row->u);                       \
    }

#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    UPDATE(name##_residual, ROWS, SUM, RHS, r_i)                                                   \
    UPDATE(name##_weighted, ROWS, SUM, RHS, updated)                                               \
    COLOURED_UPDATE(name##_coloured, ROWS, SUM, RHS, has_colour(i, colour) ? updated : here)       \
    UPDATE(name##_two_step, ROWS, SUM, RHS, update_two_step(here, old[i], dinv[i], r_i, weight, c1))
#include "operators/variants.def"
#undef OPERATOR

const struct row_functions *operator_rows(const struct operator_choice *choice)
{
    static const struct row_functions table[] = {
    /* by enum row_kind, then by enum update */
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    {{name##_residual, name##_coloured, name##_weighted, name##_two_step}, ROWS##_KEEP},
#include "operators/variants.def"
#undef OPERATOR
    };
    return &table[operator_index(choice)];
}
