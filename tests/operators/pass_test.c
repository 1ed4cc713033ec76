/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes: tiled and plain traversals give the same bits for every operator, smoother and boundary,
 * every start, every finish, any sweeps and any number of threads, and read nothing but what they
 * may: ghosts behind walls and the second buffer hold NaN before each pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <omp.h>
#include <string.h>
#include "cpu/cpu.h"
#include "level/build.h"
#include "operators/pass.h"
#include "operators/sum.h"
#include "solvers/hierarchy.h"
#include "solvers/reduce.h"
#include "support/random.h"
#include "support/run.h"
#include "support/sides.h"

enum { CASES_PER_HIERARCHY = 12 };

/* The same two finest levels under both backends. */
struct twins {
    struct hierarchy *tiled, *plain;
};

static double random_value(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

static void fill(struct level *l, enum field field, double value)
{
    for (long c = 0; c < l->field_length && level_natural(l, field); c++)
        level_natural(l, field)[c] = value;
}

/* Random values inside the boxes, NaN in ghosts and padding; then ghosts from neighbours. */
static void fill_random(struct level *l, enum field field)
{
    fill(l, field, NAN);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++)
                    level_natural(l, field)[p->offset + i + j * p->sj + k * p->sk] = random_value();
    }
    level_exchange_halo(l, field);
}

static void copy_field(const struct level *from, struct level *to, enum field field)
{
    memcpy(level_natural(to, field), level_natural(from, field), level_field_bytes(from));
}

/* A pass that is allowed on the level. */
static struct pass random_pass(struct hierarchy *h, uint64_t *norm)
{
    struct level *l = h->levels[0];
    struct pass pass = {
        .level = l, .u = FIELD_U, .f = FIELD_F, .residual = FIELD_KRYLOV, .norm = norm};
    const int depth = l->connected ? l->ghosts / l->stencil->radius : SMOOTHER_SWEEPS + 1;
    pass.start = (enum pass_start)random_int(START_KEEP, START_PROLONG_ADD);
    pass.finish = (enum pass_finish)random_int(FINISH_NONE, FINISH_STORE);
    pass.prolongation = random_bool() ? 2 : 4;
    pass.coarse = h->nlevels > 1 ? h->transfers[0].coarse : NULL;
    if (!pass.coarse) {
        pass.start = random_bool() ? START_KEEP : START_ZERO;
        pass.finish = random_bool() ? FINISH_NORM : FINISH_STORE;
    }
    pass.coarse_u = FIELD_U;
    pass.coarse_f = FIELD_F;
    const int most = depth - (pass.finish != FINISH_NONE) < SMOOTHER_SWEEPS
                         ? depth - (pass.finish != FINISH_NONE)
                         : SMOOTHER_SWEEPS;
    pass.nsweeps = random_int(0, most);
    pass.first_sweep = l->stencil->in_place ? random_int(0, SMOOTHER_SWEEPS - pass.nsweeps) : 0;
    if (l->connected && pass.start > START_ZERO) {
        pass.nsweeps = 0;
        pass.finish = FINISH_NONE;
    }
    return pass;
}

/* Same values inside all boxes, and none of them NaN. */
static void expect_same(const struct level *a, const struct level *b, enum field field)
{
    for (int q = 0; q < a->npatches; q++) {
        const struct patch *p = &a->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++) {
                const long row = p->offset + j * p->sj + k * p->sk;
                EXPECT(memcmp(level_natural(a, field) + row, level_natural(b, field) + row,
                              (size_t)p->n[0] * sizeof(double)) == 0);
                for (int i = 0; i < p->n[0]; i++)
                    EXPECT(!isnan(level_natural(a, field)[row + i]));
            }
    }
}

static void prepare(const struct twins *t, int level, enum field field)
{
    fill_random(t->tiled->levels[level], field);
    copy_field(t->tiled->levels[level], t->plain->levels[level], field);
}

static void run_case(const struct twins *t)
{
    static const int threads[] = {1, 2, 3, 4, 6, 16};
    uint64_t norms[2] = {0, 0};
    struct level *a = t->tiled->levels[0], *b = t->plain->levels[0];
    struct pass pass = random_pass(t->tiled, &norms[0]);
    prepare(t, 0, FIELD_U);
    prepare(t, 0, FIELD_F);
    if (pass.coarse)
        prepare(t, 1, FIELD_U);
    fill(a, FIELD_TMP, NAN);
    fill(b, FIELD_TMP, NAN);
    omp_set_num_threads(threads[random_int(0, sizeof threads / sizeof *threads - 1)]);
    a->backend->passes->run(&pass);
    omp_set_num_threads(1);
    struct pass other = pass;
    other.level = b;
    other.coarse = pass.coarse ? t->plain->transfers[0].coarse : NULL;
    other.norm = &norms[1];
    b->backend->passes->run(&other);
    const bool in_u = a->stencil->in_place || (pass.first_sweep + pass.nsweeps) % 2 == 0;
    expect_same(a, b, in_u ? FIELD_U : FIELD_TMP);
    if (pass.finish == FINISH_STORE)
        expect_same(a, b, FIELD_KRYLOV);
    if (pass.finish == FINISH_RESTRICT)
        expect_same(t->tiled->levels[1], t->plain->levels[1], FIELD_F);
    EXPECT(norms[0] == norms[1] && norms[0] < 0x7ff0000000000000u);
}

/* Of u = 0 the residual is f. The norm is of the one cell whose magnitude is larger than the
 * others' in its last bit, or of the NaN among infinities, which sweeps keep. */
static void check_norm(struct level *l)
{
    const double largest = nextafter(1.0, 2.0), value[] = {largest, -largest, NAN, -NAN};
    const int which = random_int(0, 3);
    const struct patch *p = &l->patches[random_int(0, l->npatches - 1)];
    uint64_t norm = 0;
    const struct pass pass = {.level = l,
                              .u = FIELD_U,
                              .f = FIELD_F,
                              .nsweeps = which < 2 || l->connected ? 0 : 2,
                              .finish = FINISH_NORM,
                              .norm = &norm};
    fill(l, FIELD_U, 0.0);
    fill(l, FIELD_F, which < 2 ? -1.0 : INFINITY);
    level_natural(
        l, FIELD_F)[p->offset + random_int(0, p->n[0] - 1) + random_int(0, p->n[1] - 1) * p->sj +
                    random_int(0, p->n[2] - 1) * p->sk] = value[which];
    l->backend->passes->run(&pass);
    EXPECT(which < 2 ? bits_to_double(norm) == largest : isnan(bits_to_double(norm)));
}

static void run_hierarchy(struct hierarchy_choice choice)
{
    struct twins t;
    choice.placement.backend = &backend_cpu;
    t.tiled = hierarchy_create(&choice);
    choice.placement.backend = &backend_cpu_plain;
    t.plain = hierarchy_create(&choice);
    const struct level *l = t.tiled->levels[0];
    const bool small = l->n[0] == 2 || l->n[0] == 4 || l->n[0] == 8 || l->n[0] == 16;
    EXPECT((l->prepared != NULL) == (l->stencil->coloured && !l->connected && small &&
                                     sides_are(&l->sides, BOUNDARY_DIRICHLET)));
    EXPECT(t.plain->levels[0]->prepared == NULL);
    level_allocate(t.tiled->levels[0], FIELD_KRYLOV);
    level_allocate(t.plain->levels[0], FIELD_KRYLOV);
    for (int c = 0; c < CASES_PER_HIERARCHY; c++)
        run_case(&t);
    check_norm(t.tiled->levels[0]);
    check_norm(t.plain->levels[0]);
    hierarchy_destroy(t.tiled);
    hierarchy_destroy(t.plain);
}

static void test_traversals(void **state)
{
    (void)state;
    static const struct {
        int log2_box_dim;
        long boxes;
    } sizes[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {2, 27}, {5, 1}};
    long number = 0;
    for (int size = 0; size < 6; size++)
        for (int variant = 0; variant < 64; variant++) {
            random_begin(number++);
            const struct hierarchy_choice choice = {
                .log2_box_dim = sizes[size].log2_box_dim,
                .boxes_per_rank = sizes[size].boxes,
                .op = {.order = variant & 1 ? 4 : 2,
                       .equation = (variant & 2) != 0,
                       .variable = (variant & 4) != 0,
                       .sides = variant & 8 ? random_sides() : sides_if(false),
                       .smoother = (enum smoother)(variant >> 4)},
            };
            run_hierarchy(choice);
        }
}

/* Large enough for several slabs and several strips. */
static void test_slabs(void **state)
{
    static const struct domain_choice domains[] = {{{2, 2, 2}}, {{2, 4, 1}}};
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        random_begin(1000 + variant);
        const struct hierarchy_choice choice = {
            .log2_box_dim = 5,
            .boxes_per_rank = 8,
            .domain = domains[variant / 8],
            .op = {.order = variant & 1 ? 4 : 2,
                   .variable = true,
                   .sides = random_sides(),
                   .smoother = (enum smoother)(variant % 8 / 2)},
        };
        run_hierarchy(choice);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_traversals),
                                       cmocka_unit_test(test_slabs)};
    return RUN_WITH_MPI(tests, argc, argv);
}
