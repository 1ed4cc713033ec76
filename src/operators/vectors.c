/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/vectors.h"
#include "backend/backend.h"
#include "operators/bodies.h"
#include "base/check.h"
#include "operators/pass.h"

/* Calls the body for all cells; y may be NUM_FIELDS for none. */
static void visit(const struct level *l, enum body body, enum field z, double a, enum field x,
                  double b, enum field y)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const struct vector_arguments v = {
            patch_cells(l, p, z), patch_cells(l, p, x), patch_cells(l, p, y), p->sj, p->sk, a, b};
        l->backend->passes->visit(body, &v, p->n);
    }
}

void vector_set(const struct level *level, enum field z, double a)
{
    visit(level, BODY_set, z, a, z, 0.0, z);
}

void vector_set_random(const struct level *level, enum field z, int number)
{
    const uint64_t cells = (uint64_t)level->n[0] * (uint64_t)level->n[1] * (uint64_t)level->n[2];
    for (int q = 0; q < level->npatches; q++) {
        const struct patch *p = &level->patches[q];
        const struct terms at = vector_terms(level, p, z, NUM_FIELDS, 0.0);
        const struct random_arguments x = {.z = patch_cells(level, p, z),
                                           .sj = p->sj,
                                           .sk = p->sk,
                                           .first = at.first + (uint64_t)(number + 1) * cells,
                                           .index_sj = at.index_sj,
                                           .index_sk = at.index_sk};
        level->backend->passes->visit(BODY_set_random, &x, p->n);
    }
}

void vector_combine(struct level *level, enum field z, double a, enum field x, double b,
                    enum field y)
{
    visit(level, BODY_combine, z, a, x, b, y);
}

void vector_multiply(struct level *level, enum field z, enum field x, enum field y)
{
    visit(level, BODY_multiply, z, 0.0, x, 0.0, y);
}

void vector_add_constant(struct level *level, enum field x, double c)
{
    visit(level, BODY_add_constant, x, c, x, 0.0, x);
}

struct restriction_arguments restriction_between(const struct level *fine, enum field from,
                                                 const struct level *coarse, enum field to, int q)
{
    const struct patch *f = &fine->patches[q], *c = &coarse->patches[q];
    struct restriction_arguments x = {.fine = patch_cells(fine, f, from),
                                      .coarse = patch_cells(coarse, c, to),
                                      .sj = c->sj,
                                      .sk = c->sk};
    const long stride[3] = {1, f->sj, f->sk};
    int ratio[3];
    extent_ratio(fine->n, coarse->n, ratio);
    for (int d = 0; d < 3; d++) {
        x.step[d] = ratio[d] * stride[d];
        x.pair[d] = (ratio[d] - 1) * stride[d];
    }
    return x;
}

void vector_restrict(const struct level *fine, enum field from, struct level *coarse, enum field to)
{
    const struct passes *passes = fine->backend->passes;
    CHECK(fine->npatches == coarse->npatches);
    if (extent_halved(fine->n, coarse->n) && passes->restrict_field &&
        passes->restrict_field(fine, from, coarse, to))
        return;
    for (int q = 0; q < fine->npatches; q++) {
        const struct restriction_arguments x = restriction_between(fine, from, coarse, to, q);
        fine->backend->passes->visit(BODY_restrict_cells, &x, coarse->patches[q].n);
    }
}

void vector_prolong(const struct pass *pass, int q)
{
    const struct level *fine = pass->level, *coarse = pass->coarse;
    const struct patch *f = &fine->patches[q], *c = &coarse->patches[q];
    struct prolongation_arguments x = {.fine = patch_cells(fine, f, pass->u),
                                       .coarse = patch_cells(coarse, c, pass->coarse_u),
                                       .sj = f->sj,
                                       .sk = f->sk,
                                       .stride = {1, c->sj, c->sk},
                                       .reach = pass->prolongation / 2,
                                       .adds = pass->start == START_PROLONG_ADD};
    extent_ratio(fine->n, coarse->n, x.ratio);
    fine->backend->passes->visit(BODY_prolong, &x, f->n);
}

struct terms vector_terms(const struct level *level, const struct patch *p, enum field x,
                          enum field y, double scale)
{
    const uint64_t index_sj = (uint64_t)level->n[0], index_sk = index_sj * (uint64_t)level->n[1],
                   i = (uint64_t)p->box.lo[0], j = (uint64_t)p->box.lo[1],
                   k = (uint64_t)p->box.lo[2];
    return (struct terms){.x = patch_cells(level, p, x),
                          .y = y == NUM_FIELDS ? NULL : patch_cells(level, p, y),
                          .sj = p->sj,
                          .sk = p->sk,
                          .first = i + index_sj * j + index_sk * k,
                          .index_sj = index_sj,
                          .index_sk = index_sk,
                          .scale = scale};
}

/* The first word of a reduction. */
static uint64_t word_of(const struct level *level, enum reduction reduction, enum field x,
                        enum field y)
{
    uint64_t words[REDUCTION_WORDS] = {0};
    level->backend->passes->reduce(reduction, level, x, y, 0.0, words);
    return words[0];
}

uint64_t vector_product_norm(const struct level *level, enum field x, enum field y)
{
    return word_of(level, REDUCTION_magnitude, x, y);
}

uint64_t vector_norm(const struct level *level, enum field x)
{
    return word_of(level, REDUCTION_magnitude, x, NUM_FIELDS);
}

uint64_t vector_negative(const struct level *level, enum field x)
{
    return word_of(level, REDUCTION_negative, x, NUM_FIELDS);
}

uint64_t vector_checksum(const struct level *level, enum field x)
{
    return word_of(level, REDUCTION_checksum, x, NUM_FIELDS);
}

void vector_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                           int64_t digits[SUM_DIGITS])
{
    uint64_t words[REDUCTION_WORDS] = {0};
    level->backend->passes->reduce(REDUCTION_digits, level, x, y, sum_scale(exponent), words);
    for (int d = 0; d < SUM_DIGITS; d++)
        digits[d] += (int64_t)words[d];
}
