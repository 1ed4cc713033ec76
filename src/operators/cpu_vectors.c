/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-vector operations: the bottom solvers, MG-PCG, norms, means and the checksum. */
#include "operators/cpu.h"
#include "operators/hash.h"
#include "operators/sum.h"

/* Results of a reduction over rows. No member depends on the order of the rows. */
struct totals {
    uint64_t largest;
    int64_t digits[SUM_DIGITS];
    uint64_t hash;
};

/* Operands of an operation on rows; unused ones are NULL or 0. */
struct operands {
    const struct level *level;
    double *z;
    const double *x, *y;
    double a, b;
};

/* Works on the n cells from offset `row` of the fields: row (j,k) of patch p. */
typedef void vector_fn(const struct operands *o, const struct patch *p, long row, int j, int k,
                       struct totals *totals);

static void totals_add(struct totals *to, const struct totals *from)
{
    to->largest = from->largest > to->largest ? from->largest : to->largest;
    for (int d = 0; d < SUM_DIGITS; d++)
        to->digits[d] += from->digits[d];
    to->hash += from->hash;
}

static void patch_rows(vector_fn *fn, const struct operands *o, const struct patch *p, int k,
                       struct totals *totals)
{
    for (int j = 0; j < p->n[1]; j++)
        fn(o, p, p->offset + j * p->sj + k * p->sk, j, k, totals);
}

static struct totals for_rows(vector_fn *fn, const struct operands *o)
{
    struct totals totals = {0};
    for (int q = 0; q < o->level->npatches; q++) {
        const struct patch *p = &o->level->patches[q];
        const int threads = cpu_threads((long)p->n[0] * p->n[1] * p->n[2]);
        if (threads == 1) {
            for (int k = 0; k < p->n[2]; k++)
                patch_rows(fn, o, p, k, &totals);
            continue;
        }
#pragma omp parallel num_threads(threads)
        {
            struct totals mine = {0};
#pragma omp for schedule(static)
            for (int k = 0; k < p->n[2]; k++)
                patch_rows(fn, o, p, k, &mine);
#pragma omp critical
            totals_add(&totals, &mine);
        }
    }
    return totals;
}

static void combine_row(const struct operands *o, const struct patch *p, long row, int j, int k,
                        struct totals *totals)
{
    (void)j, (void)k, (void)totals;
    for (long c = row; c < row + p->n[0]; c++)
        o->z[c] = fma(o->a, o->x[c], o->b * o->y[c]);
}

void cpu_combine(struct level *level, enum field z, double a, enum field x, double b, enum field y)
{
    const struct operands o = {level, level->fields[z], level->fields[x], level->fields[y], a, b};
    for_rows(combine_row, &o);
}

static void multiply_row(const struct operands *o, const struct patch *p, long row, int j, int k,
                         struct totals *totals)
{
    (void)j, (void)k, (void)totals;
    for (long c = row; c < row + p->n[0]; c++)
        o->z[c] = o->x[c] * o->y[c];
}

void cpu_multiply(struct level *level, enum field z, enum field x, enum field y)
{
    const struct operands o = {level, level->fields[z], level->fields[x], level->fields[y], 0.0,
                               0.0};
    for_rows(multiply_row, &o);
}

static void add_constant_row(const struct operands *o, const struct patch *p, long row, int j,
                             int k, struct totals *totals)
{
    (void)j, (void)k, (void)totals;
    for (long c = row; c < row + p->n[0]; c++)
        o->z[c] += o->a;
}

void cpu_add_constant(struct level *level, enum field x, double c)
{
    const struct operands o = {level, level->fields[x], NULL, NULL, c, 0.0};
    for_rows(add_constant_row, &o);
}

static void product_norm_row(const struct operands *o, const struct patch *p, long row, int j,
                             int k, struct totals *totals)
{
    (void)j, (void)k;
    uint64_t largest = totals->largest;
    for (long c = row; c < row + p->n[0]; c++) {
        const uint64_t bits = magnitude_bits(o->y ? o->x[c] * o->y[c] : o->x[c]);
        largest = bits > largest ? bits : largest;
    }
    totals->largest = largest;
}

uint64_t cpu_product_norm(const struct level *level, enum field x, enum field y)
{
    const struct operands o = {
        level, NULL, level->fields[x], y == NUM_FIELDS ? NULL : level->fields[y], 0.0, 0.0};
    return for_rows(product_norm_row, &o).largest;
}

uint64_t cpu_norm(const struct level *level, enum field x)
{
    return cpu_product_norm(level, x, NUM_FIELDS);
}

static void digits_row(const struct operands *o, const struct patch *p, long row, int j, int k,
                       struct totals *totals)
{
    (void)j, (void)k;
    for (long c = row; c < row + p->n[0]; c++)
        sum_digits(o->y ? o->x[c] * o->y[c] : o->x[c], o->a, totals->digits);
}

void cpu_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                        int64_t digits[3])
{
    const double scale = sum_scale(exponent);
    const struct operands o = {
        level, NULL, level->fields[x], y == NUM_FIELDS ? NULL : level->fields[y], scale, 0.0};
    const struct totals totals = for_rows(digits_row, &o);
    for (int d = 0; d < SUM_DIGITS; d++)
        digits[d] += totals.digits[d];
}

static void checksum_row(const struct operands *o, const struct patch *p, long row, int j, int k,
                         struct totals *totals)
{
    const uint64_t dim = (uint64_t)o->level->dim, i = (uint64_t)p->box.lo[0];
    const uint64_t global_j = (uint64_t)(p->box.lo[1] + j), global_k = (uint64_t)(p->box.lo[2] + k);
    const uint64_t first = i + dim * (global_j + dim * global_k);
    for (int c = 0; c < p->n[0]; c++)
        totals->hash += hash_cell(first + (uint64_t)c, o->x[row + c]);
}

uint64_t cpu_checksum(const struct level *level, enum field x)
{
    const struct operands o = {level, NULL, level->fields[x], NULL, 0.0, 0.0};
    return for_rows(checksum_row, &o).hash;
}

/* A x = −(0 − A x): the residual's loop on f = 0, negated. */
static void apply_row(const struct operands *o, const struct patch *p, long row, int j, int k,
                      struct totals *totals)
{
    (void)j, (void)k, (void)totals;
    const struct level *l = o->level;
    const struct operator_choice *choice = &l->stencil->choice;
    double *out = o->z + row;
    struct row r = {.n = p->n[0],
                    .rows = 1,
                    .planes = 1,
                    .u = o->x + row,
                    .out = out,
                    .sj = p->sj,
                    .sk = p->sk,
                    .scale = l->stencil->scale};
    r.f = r.alpha = r.dinv = r.beta_i = r.beta_j = r.beta_k = out;
    if (choice->variable) {
        r.beta_i = l->fields[FIELD_BETA_I] + row;
        r.beta_j = l->fields[FIELD_BETA_J] + row;
        r.beta_k = l->fields[FIELD_BETA_K] + row;
        if (choice->helmholtz)
            r.alpha = l->fields[FIELD_ALPHA] + row;
    }
    for (int i = 0; i < r.n; i++)
        out[i] = 0.0;
    row_functions(choice)[ROW_RESIDUAL](&r);
    for (int i = 0; i < r.n; i++)
        out[i] = -out[i];
}

void cpu_apply(struct level *level, enum field out, enum field x)
{
    const struct operands o = {level, level->fields[out], level->fields[x], NULL, 0.0, 0.0};
    walls_fill(level, x, level->stencil->wall_rule, level->stencil->radius);
    for_rows(apply_row, &o);
}
