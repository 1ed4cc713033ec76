/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes against the formulas cell by cell (tests/support/cells.h), bit by bit: every operator,
 * smoother, boundary, start and finish; one box of any shape and domains of several; sweeps in one
 * pass or in many; tiled and plain; several threads, slabs and strips. Ghosts, padding and buffers
 * that nothing was written to are NaN before each pass, coefficients are NaN where no pass may read
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <omp.h>
#include <string.h>
#include "level/build.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "support/sides.h"
#include "support/cells.h"
#include "support/decompositions.h"
#include "support/run.h"

enum { MAX_THREADS = 4 };

/* The layout of the levels. */
static int ghost_layers = 2, row_align = 8;

/* A domain twice: as cells and as levels. */
struct twin {
    struct domain cells;
    struct level *level, *coarse; /* no coarse level where cells per side are odd */
    struct cells coarse_shape;
    double *coarse_u, *coarse_f, *residual;
};

static const struct backend *random_backend(void)
{
    return random_bool() ? &backend_cpu : &backend_cpu_plain;
}

static struct level *make_level(struct decomposition d, const struct operator_choice *op)
{
    struct level *l = level_create(0, d, op->sides, ghost_layers, &backend_cpu, row_align);
    l->stencil = memory_alloc(sizeof *l->stencil, "stencil");
    *l->stencil = stencil_create(*op, l->n);
    stencil_set_lambda_max(l->stencil, 1.9);
    return l;
}

static void free_level(struct level *l)
{
    if (!l)
        return;
    memory_free(l->stencil);
    level_destroy(l);
}

/* A level that is one box, between walls on all sides. */
static struct level *make_cuboid(const int n[3], const struct operator_choice *op)
{
    struct decomposition d = {.n = {n[0], n[1], n[2]}, .nboxes = 1};
    d.boxes = memory_alloc(sizeof *d.boxes, "boxes");
    d.owner = memory_alloc_zero(sizeof *d.owner, "owners");
    d.boxes[0] = (struct box){{0, 0, 0}, {n[0], n[1], n[2]}};
    return make_level(d, op);
}

static void allocate_fields(struct twin *t, const struct operator_choice *op)
{
    static const enum field always[] = {FIELD_U, FIELD_F, FIELD_TMP, FIELD_DINV, FIELD_KRYLOV};
    for (int f = 0; f < 5; f++)
        level_allocate(t->level, always[f]);
    for (int d = 0; d < 3 && op->variable; d++)
        level_allocate(t->level, FIELD_BETA_I + d);
    if (op->variable && op->equation)
        level_allocate(t->level, FIELD_ALPHA);
    if (t->coarse) {
        level_allocate(t->coarse, FIELD_U);
        level_allocate(t->coarse, FIELD_F);
    }
}

/* Relaxation weights of the right size, so that values stay in range. */
static void random_fields(struct twin *t, const struct operator_choice *op)
{
    struct domain *d = &t->cells;
    const struct level *l = t->level;
    const double weight = 1.0 / (l->stencil->scale * (op->order == 2 ? 6.0 : 90.0));
    d->buffer[0] = cells_random(&d->shape, -1.0, 1.0);
    d->buffer[1] = cells_random(&d->shape, -1.0, 1.0);
    d->f = cells_random(&d->shape, -l->stencil->scale, l->stencil->scale);
    d->dinv = cells_random(&d->shape, 0.5 * weight, weight);
    d->alpha = cells_random(&d->shape, 0.5, 2.0);
    t->residual = cells_random(&d->shape, -1.0, 1.0);
    field_write(l, FIELD_F, &d->shape, d->f, ghost_layers, CENTRE_CELL, false);
    field_write(l, FIELD_DINV, &d->shape, d->dinv, ghost_layers, CENTRE_CELL, false);
    if (level_natural(l, FIELD_ALPHA))
        field_write(l, FIELD_ALPHA, &d->shape, d->alpha, ghost_layers, CENTRE_CELL, false);
    for (int f = 0; f < 3; f++) {
        d->beta[f] = cells_random(&d->shape, 0.8, 1.2);
        if (op->variable)
            field_write(l, FIELD_BETA_I + f, &d->shape, d->beta[f], ghost_layers, f,
                        op->order == 4);
    }
    if (t->coarse) {
        t->coarse_u = cells_random(&t->coarse_shape, -1.0, 1.0);
        t->coarse_f = cells_random(&t->coarse_shape, -1.0, 1.0);
    }
}

/* Completes a twin whose levels are there. */
static struct twin twin_of_levels(struct level *level, struct level *coarse, const int n[3])
{
    struct twin t = {.level = level, .coarse = coarse};
    const struct operator_choice *op = &level->stencil->choice;
    const int half[3] = {n[0] / 2, n[1] / 2, n[2] / 2};
    t.cells.shape = cells_create(n, sides_wrap(&op->sides, 0));
    t.cells.stencil = level->stencil;
    t.coarse_shape = cells_create(half, sides_wrap(&op->sides, 0));
    allocate_fields(&t, op);
    random_fields(&t, op);
    return t;
}

static struct twin twin_cuboid(const int n[3], const struct operator_choice *op)
{
    const int half[3] = {n[0] / 2, n[1] / 2, n[2] / 2};
    return twin_of_levels(make_cuboid(n, op), make_cuboid(half, op), n);
}

/* Boxes with at least 4 cells per side, like the program's. */
static struct twin twin_boxes(int quarter, int cuts, const struct operator_choice *op)
{
    struct decomposition d =
        random_decomposition((const int[3]){quarter, quarter, quarter}, cuts, 1);
    const int n[3] = {4 * quarter, 4 * quarter, 4 * quarter};
    struct level *level = make_level(refined_decomposition(&d, 4), op),
                 *coarse = make_level(refined_decomposition(&d, 2), op);
    decomposition_destroy(&d);
    return twin_of_levels(level, coarse, n);
}

/* Any number of periodic cells, in any boxes. */
static struct twin twin_periodic(int dim, int cuts, const struct operator_choice *op)
{
    const int n[3] = {dim, dim, dim};
    return twin_of_levels(make_level(random_decomposition(n, cuts, 1), op), NULL, n);
}

static void free_twin(struct twin *t)
{
    double *const fields[] = {t->cells.buffer[0], t->cells.buffer[1], t->cells.f,
                              t->cells.alpha,     t->cells.dinv,      t->cells.beta[0],
                              t->cells.beta[1],   t->cells.beta[2],   t->residual,
                              t->coarse_u,        t->coarse_f};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        memory_free(fields[f]);
    free_level(t->level);
    free_level(t->coarse);
}

/* The values of a buffer in the boxes, NaN around them, then ghosts from neighbours. */
static void write_with_halo(const struct level *l, enum field field, const struct cells *shape,
                            double *values)
{
    field_write(l, field, shape, values, 0, CENTRE_CELL, false);
    level_exchange_halo(l, field);
}

static enum field buffer_field(const struct twin *t, int sweep)
{
    return t->level->stencil->in_place || sweep % 2 == 0 ? FIELD_U : FIELD_TMP;
}

/* What a pass may find: the buffer that it reads, and nothing else. Only Chebyshev's steps need the
 * other buffer, which the passes before it left there. */
static void prepare(const struct twin *t, const struct pass *pass)
{
    const bool recurrence = t->level->stencil->choice.smoother == SMOOTHER_CHEBYSHEV;
    const enum field from = buffer_field(t, pass->first_sweep), other = FIELD_U + FIELD_TMP - from;
    if (!recurrence || pass->first_sweep == 0)
        field_poison(t->level, other);
    if (pass->start == START_ZERO || pass->start == START_PROLONG_SET)
        field_poison(t->level, from);
    else
        write_with_halo(t->level, from, &t->cells.shape,
                        cells_source(&t->cells, pass->first_sweep));
    if (pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD)
        write_with_halo(t->coarse, FIELD_U, &t->coarse_shape, t->coarse_u);
    field_poison(t->level, FIELD_KRYLOV);
    if (t->coarse)
        field_poison(t->coarse, FIELD_F);
}

/* The pass on the cells; returns the bits of the norm. */
static uint64_t run_on_cells(struct twin *t, const struct pass *pass)
{
    struct domain *d = &t->cells;
    if (pass->start == START_ZERO)
        for (long c = 0; c < d->shape.length; c++)
            d->buffer[0][c] = 0.0;
    if (pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD)
        cells_prolong(&d->shape, d->buffer[0], &t->coarse_shape, t->coarse_u, pass->prolongation,
                      pass->start == START_PROLONG_ADD);
    const int end = pass->first_sweep + pass->nsweeps;
    for (int sweep = pass->first_sweep; sweep < end; sweep++)
        cells_sweep(d, sweep);
    if (pass->finish == FINISH_NONE)
        return 0;
    const uint64_t norm = cells_residual(d, end, t->residual);
    if (pass->finish == FINISH_RESTRICT)
        cells_restrict(&d->shape, t->residual, &t->coarse_shape, t->coarse_f);
    return pass->finish == FINISH_NORM ? norm : 0;
}

/* Runs the pass both ways. */
static void check_pass(struct twin *t, struct pass pass)
{
    uint64_t norm = 0;
    const struct cells *shape = &t->cells.shape;
    const int end = pass.first_sweep + pass.nsweeps;
    pass.norm = &norm;
    prepare(t, &pass);
    omp_set_num_threads(random_int(1, MAX_THREADS));
    random_backend()->passes->run(&pass);
    EXPECT(norm == run_on_cells(t, &pass));
    EXPECT(field_differences(t->level, buffer_field(t, end), shape, cells_source(&t->cells, end)) ==
           0);
    if (pass.finish == FINISH_STORE)
        EXPECT(field_differences(t->level, FIELD_KRYLOV, shape, t->residual) == 0);
    if (pass.finish == FINISH_RESTRICT)
        EXPECT(field_differences(t->coarse, FIELD_F, &t->coarse_shape, t->coarse_f) == 0);
}

static bool prolongs(const struct pass *p)
{
    return p->start == START_PROLONG_SET || p->start == START_PROLONG_ADD;
}

/* Operations that the halo (or, without neighbours, the smoother) allows in one pass. */
static int max_operations(const struct level *l)
{
    return l->connected ? operations_per_halo(l) : SMOOTHER_SWEEPS + 1;
}

/* The next part of what is left, as long as is allowed, or shorter if `cut`. */
static struct pass take_part(const struct level *l, struct pass *rest, bool cut)
{
    struct pass part = *rest;
    int most = max_operations(l);
    if (l->connected && prolongs(rest))
        most = 0;
    part.nsweeps = rest->nsweeps < most ? rest->nsweeps : most;
    if (cut)
        part.nsweeps = random_int(part.nsweeps > 0, part.nsweeps);
    if (part.nsweeps < rest->nsweeps || part.nsweeps + 1 > most)
        part.finish = FINISH_NONE;
    else
        rest->finish = FINISH_NONE;
    rest->start = START_KEEP;
    rest->first_sweep += part.nsweeps;
    rest->nsweeps -= part.nsweeps;
    return part;
}

/* One application of the smoother, in one pass or in several. */
static void check_application(struct twin *t, struct pass whole, bool cut)
{
    do {
        const struct pass part = take_part(t->level, &whole, cut);
        check_pass(t, part);
    } while (whole.nsweeps > 0 || whole.finish != FINISH_NONE);
}

/* Start, finish and operator from the number, so that all combinations come up; the rest random. */
static struct operator_choice choice_of(int number, bool periodic)
{
    return (struct operator_choice){.order = number & 1 ? 4 : 2,
                                    .equation = (number & 2) != 0,
                                    .variable = (number & 4) != 0,
                                    .sides = sides_if(periodic),
                                    .smoother = (enum smoother)(number >> 3 & 3)};
}

static struct pass pass_of(const struct twin *t, int number)
{
    struct pass pass = {.level = t->level,
                        .u = FIELD_U,
                        .f = FIELD_F,
                        .residual = FIELD_KRYLOV,
                        .coarse = t->coarse,
                        .coarse_u = FIELD_U,
                        .coarse_f = FIELD_F};
    pass.start = (enum pass_start)(number >> 5 & 3);
    pass.finish = (enum pass_finish)(number >> 7 & 3);
    pass.prolongation = random_bool() ? 2 : 4;
    pass.nsweeps = random_int(0, SMOOTHER_SWEEPS);
    if (!t->coarse) {
        pass.start &= START_ZERO;
        pass.finish = pass.finish == FINISH_RESTRICT ? FINISH_NORM : pass.finish;
    }
    return pass;
}

enum {
    VARIANTS = 32,
    COMBINATIONS = 16 * VARIANTS
}; /* of operator and smoother; with start and finish */

static int random_side(void)
{
    return 2 * random_int(2, 10);
}

static void cuboids(void **state)
{
    (void)state;
    for (int number = 0; number < 2 * COMBINATIONS; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number, false);
        const int n[3] = {random_side(), random_side(), random_side()};
        struct twin t = twin_cuboid(n, &op);
        check_application(&t, pass_of(&t, number), random_bool());
        free_twin(&t);
    }
}

static void several_boxes(void **state)
{
    (void)state;
    for (int number = 0; number < 2 * COMBINATIONS; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number, number >= COMBINATIONS);
        struct twin t = twin_boxes(random_int(1, 4), random_int(0, 8), &op);
        check_application(&t, pass_of(&t, number), random_bool());
        free_twin(&t);
    }
}

/* Odd numbers of periodic cells, where colours do not alternate, and fewer cells than the stencil
 * is wide. */
static void periodic_of_any_size(void **state)
{
    (void)state;
    for (int number = 0; number < 2 * COMBINATIONS; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number, true);
        struct twin t = twin_periodic(random_int(2, 11), random_int(0, 6), &op);
        check_application(&t, pass_of(&t, number), random_bool());
        free_twin(&t);
    }
}

/* One box of any size up to 16, in the layouts of the program's levels: between walls, or periodic
 * and its own neighbour. */
static void small_cubes(void **state)
{
    (void)state;
    for (int number = 0; number < 4 * 16 * VARIANTS; number++) {
        random_begin(number);
        const bool periodic = number & VARIANTS;
        const struct operator_choice op = choice_of(number, periodic);
        const int n = number / (4 * VARIANTS) + 1, sides[3] = {n, n, n};
        if (n < stencil_min_cells(&op).longest)
            continue;
        ghost_layers = stencil_ghosts(op.order);
        row_align = number & (2 * VARIANTS) ? 8 : 16;
        struct twin t = periodic ? twin_periodic(n, 0, &op)
                        : n % 2  ? twin_of_levels(make_cuboid(sides, &op), NULL, sides)
                                 : twin_cuboid(sides, &op);
        struct pass pass = pass_of(&t, random_int(0, COMBINATIONS - 1));
        pass.nsweeps = SMOOTHER_SWEEPS;
        check_application(&t, pass, false);
        free_twin(&t);
    }
    ghost_layers = 2;
    row_align = 8;
}

/* Enough planes for several slabs with whole applications in each, enough rows for several strips;
 * thin in the other directions to be quick. */
static void slabs_and_strips(void **state)
{
    (void)state;
    static const int shapes[][3] = {{12, 12, 112}, {8, 116, 112}, {40, 40, 40},
                                    {66, 70, 20},  {300, 10, 16}, {10, 60, 90}};
    for (int number = 0; number < 6 * VARIANTS; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number, false);
        struct twin t = twin_cuboid(shapes[number / VARIANTS], &op);
        struct pass pass = pass_of(&t, random_int(0, COMBINATIONS - 1));
        pass.nsweeps = random_int(4, SMOOTHER_SWEEPS);
        check_application(&t, pass, random_int(0, 3) == 0);
        free_twin(&t);
    }
}

/* apply() is the residual's operator, and restriction alone the one of a pass. */
static void operator_alone(void **state)
{
    (void)state;
    for (int number = 0; number < 2 * COMBINATIONS; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number, number >= COMBINATIONS);
        struct twin t = twin_boxes(random_int(1, 4), random_int(0, 8), &op);
        struct domain *d = &t.cells;
        omp_set_num_threads(random_int(1, MAX_THREADS));
        for (long c = 0; c < d->shape.length; c++)
            d->f[c] = 0.0;
        cells_residual(d, 0, t.residual);
        for (long c = 0; c < d->shape.length; c++)
            t.residual[c] = -t.residual[c];
        write_with_halo(t.level, FIELD_U, &d->shape, d->buffer[0]);
        field_poison(t.level, FIELD_KRYLOV);
        backend_cpu.passes->apply(t.level, FIELD_KRYLOV, FIELD_U);
        EXPECT(field_differences(t.level, FIELD_KRYLOV, &d->shape, t.residual) == 0);
        cells_restrict(&d->shape, t.residual, &t.coarse_shape, t.coarse_f);
        vector_restrict(t.level, FIELD_KRYLOV, t.coarse, FIELD_F);
        EXPECT(field_differences(t.coarse, FIELD_F, &t.coarse_shape, t.coarse_f) == 0);
        free_twin(&t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuboids),          cmocka_unit_test(several_boxes),
        cmocka_unit_test(operator_alone),   cmocka_unit_test(periodic_of_any_size),
        cmocka_unit_test(slabs_and_strips), cmocka_unit_test(small_cubes),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
