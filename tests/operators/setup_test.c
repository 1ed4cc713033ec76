/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up of the operator: β beyond walls, restricted faces, the diagonal and its bounds do not
 * depend on boxes; HPGMG's diagonal around odd periodic grids; where the operator is symmetric, and
 * where it is not; constants under periodic operators (docs/NUMERICS.md, Identities). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <omp.h>
#include <string.h>
#include "level/build.h"
#include "level/plan.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/problem.h"
#include "operators/setup.h"
#include "operators/vectors.h"
#include "solvers/hierarchy.h"
#include "solvers/reduce.h"
#include "support/sides.h"
#include "support/cells.h"
#include "support/decompositions.h"
#include "support/run.h"

enum { GHOST_LAYERS = 2, MAX_THREADS = 4 };
static const enum field X = FIELD_KRYLOV, Y = FIELD_KRYLOV + 1, AX = FIELD_KRYLOV + 2,
                        AY = FIELD_KRYLOV + 3;

static struct level *make_level(const struct decomposition *cut, int factor,
                                const struct operator_choice *op)
{
    const struct decomposition d = refined_decomposition(cut, factor);
    struct level *l =
        level_create(0, d, op->sides, GHOST_LAYERS, &backend_cpu, backend_cpu.row_align);
    l->stencil = memory_alloc(sizeof *l->stencil, "stencil");
    *l->stencil = stencil_create(*op, l->n);
    level_allocate(l, FIELD_DINV);
    level_allocate(l, FIELD_ALPHA);
    for (int f = 0; f < 3; f++)
        level_allocate(l, FIELD_BETA_I + f);
    return l;
}

static void free_level(struct level *l)
{
    memory_free(l->stencil);
    level_destroy(l);
}

static void exchange(const struct level *l, enum field field, int centre)
{
    if (!l->connected)
        return;
    struct plan *halo = plan_create(l, l, TARGET_GHOSTS, GHOST_LAYERS, centre);
    plan_execute(halo, level_natural(l, field), level_natural(l, field), NULL);
    plan_destroy(halo);
}

/* β beyond the walls in tangential direction d, on one line of faces. */
static void extrapolate_line(const struct cells *s, double *b, long first, int d)
{
    const long stride = d == 0 ? 1 : d == 1 ? s->sj : s->sk;
    for (int side = 0; side < 2; side++) {
        const long in = side ? -stride : stride;
        double *x = b + first + (side ? (s->n[d] - 1) * stride : 0);
        if (s->n[d] >= 5)
            x[-in] = beta_extrapolate_5(x[0], x[in], x[2 * in], x[3 * in], x[4 * in]);
        else if (s->n[d] == 4)
            x[-in] = beta_extrapolate_4(x[0], x[in], x[2 * in], x[3 * in]);
        else
            x[-in] = beta_extrapolate_2(x[0], x[in]);
    }
}

static void extrapolate_cells(const struct cells *s, double *b, int normal)
{
    for (int d = 0; d < 3; d++) {
        const int e = 3 - normal - d;
        for (int along = 0; d != normal && along <= s->n[normal]; along++)
            for (int a = 0; a < s->n[e]; a++) {
                int at[3] = {0, 0, 0};
                at[normal] = along;
                at[e] = a;
                extrapolate_line(s, b, cells_at(s, at[0], at[1], at[2]), d);
            }
    }
}

/* Compares the faces of all boxes, and those next to them that fluxes read: one step tangentially.
 */
struct comparison {
    const double *field, *cells;
    int normal, steps;
    long differences;
};

static void visit_face(void *data, const struct patch *p, long in_field, long in_cells,
                       const int local[3])
{
    struct comparison *c = data;
    int outside = 0;
    for (int d = 0; d < 3; d++) {
        const int end = p->n[d] + (d == c->normal);
        if (local[d] >= 0 && local[d] < end)
            continue;
        if (d == c->normal)
            return;
        outside++;
    }
    if (outside <= c->steps)
        c->differences += memcmp(&c->field[in_field], &c->cells[in_cells], sizeof(double)) != 0;
}

static long face_differences(const struct level *l, int normal, const struct cells *s,
                             const double *cells, int steps)
{
    struct comparison c = {level_natural(l, FIELD_BETA_I + normal), cells, normal, steps, 0};
    for (int q = 0; q < l->npatches; q++)
        patch_visit(s, &l->patches[q], 1, visit_face, &c);
    return c.differences;
}

/* Boxes of 4 cells and more, or one box of any size. */
static struct decomposition random_cut(int *factor)
{
    *factor = random_bool() ? 4 : 1;
    return *factor == 4 ? random_decomposition(random_extent(1, 5).n, random_int(0, 8), 1)
                        : random_decomposition(random_extent(2, 14).n, 0, 1);
}

/* Coefficients of a level, complete. */
struct coefficients {
    struct cells shape;
    double *alpha, *beta[3];
};

static struct coefficients random_coefficients(const struct operator_choice *op, const int n[3])
{
    struct coefficients c = {.shape = cells_create(n, sides_wrap(&op->sides, 0))};
    c.alpha = cells_random(&c.shape, 0.5, 2.0);
    for (int f = 0; f < 3; f++) {
        c.beta[f] = cells_random(&c.shape, 0.8, 1.2);
        if (op->order == 4 && !sides_wrap(&op->sides, 0))
            extrapolate_cells(&c.shape, c.beta[f], f);
    }
    return c;
}

static void free_coefficients(struct coefficients *c)
{
    memory_free(c->alpha);
    for (int f = 0; f < 3; f++)
        memory_free(c->beta[f]);
}

/* What the boxes themselves have; the rest is the program's work. */
static void write_coefficients(struct level *l, const struct coefficients *c)
{
    field_write(l, FIELD_ALPHA, &c->shape, c->alpha, 0, CENTRE_CELL, false);
    for (int f = 0; f < 3; f++) {
        /* A layer more, because of the faces on high walls; the exchange overwrites the rest. */
        field_write(l, FIELD_BETA_I + f, &c->shape, c->beta[f], 1, f, false);
        exchange(l, FIELD_BETA_I + f, f);
    }
    if (l->stencil->choice.order == 4)
        setup_extrapolate_beta(l);
}

static struct operator_choice choice_of(int number)
{
    return (struct operator_choice){.order = number & 1 ? 4 : 2,
                                    .equation = (number & 2) != 0,
                                    .variable = (number & 4) != 0,
                                    .sides = sides_if(number & 8),
                                    .smoother = (enum smoother)(number >> 4 & 3)};
}

static void beta_beyond_walls(void **state)
{
    (void)state;
    for (int number = 0; number < 1000; number++) {
        int factor;
        random_begin(number);
        const struct operator_choice op = {
            .order = 4, .variable = true, .sides = sides_if(number % 4 == 0)};
        struct decomposition cut = random_cut(&factor);
        struct level *l = make_level(&cut, factor, &op);
        struct coefficients c = random_coefficients(&op, l->n);
        omp_set_num_threads(random_int(1, MAX_THREADS));
        write_coefficients(l, &c);
        for (int f = 0; f < 3; f++)
            EXPECT(face_differences(l, f, &c.shape, c.beta[f], 1) == 0);
        free_coefficients(&c);
        free_level(l);
        decomposition_destroy(&cut);
    }
}

/* The mean of four faces, in the direction of smaller stride first. */
static double coarse_face(const struct cells *s, const double *b, int d, const int c[3])
{
    const long stride[3] = {1, s->sj, s->sk}, at = cells_at(s, 2 * c[0], 2 * c[1], 2 * c[2]);
    const long first = stride[d == 0 ? 1 : 0], second = stride[d == 2 ? 1 : 2];
    return restrict_face(b[at], b[at + first], b[at + second], b[at + first + second]);
}

static void restrict_on_cells(const struct coefficients *fine, struct coefficients *coarse, int d)
{
    const struct cells *s = &coarse->shape;
    for (int k = 0; k < s->n[2] + (d == 2); k++)
        for (int j = 0; j < s->n[1] + (d == 1); j++)
            for (int i = 0; i < s->n[0] + (d == 0); i++)
                coarse->beta[d][cells_at(s, i, j, k)] =
                    s->periodic && s->n[d] == 1 /* the cell is its own neighbour */
                        ? 0.0
                        : coarse_face(&fine->shape, fine->beta[d], d, (const int[]){i, j, k});
    if (s->periodic)
        cells_images(s, coarse->beta[d]);
}

static void restricted_faces(void **state)
{
    (void)state;
    for (int number = 0; number < 1000; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number | 4);
        struct decomposition cut = random_decomposition(random_extent(1, 8).n, random_int(0, 8), 1);
        struct level *fine = make_level(&cut, 2, &op), *coarse = make_level(&cut, 1, &op);
        struct coefficients f = random_coefficients(&op, fine->n),
                            c = random_coefficients(&op, coarse->n);
        for (int d = 0; d < 3; d++) {
            field_write(fine, FIELD_BETA_I + d, &f.shape, f.beta[d], 1, d, false);
            field_poison(coarse, FIELD_BETA_I + d);
            setup_restrict_faces(fine, coarse, d);
            exchange(coarse, FIELD_BETA_I + d, d);
            restrict_on_cells(&f, &c, d);
            EXPECT(face_differences(coarse, d, &c.shape, c.beta[d], 0) == 0);
        }
        free_coefficients(&f);
        free_coefficients(&c);
        free_level(fine);
        free_level(coarse);
        decomposition_destroy(&cut);
    }
}

/* Sets the relaxation weights of the level; returns the eigenvalue bound's bits. */
static uint64_t diagonal_of(struct level *l, const struct coefficients *c)
{
    uint64_t bound = 0;
    write_coefficients(l, c);
    field_poison(l, FIELD_DINV);
    omp_set_num_threads(random_int(1, MAX_THREADS));
    setup_diagonal(l, &bound);
    return bound;
}

static void read_field(const struct level *l, enum field field, const struct cells *s, double *x)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++)
                    x[cells_at(s, p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k)] =
                        level_natural(l, field)[p->offset + i + j * p->sj + k * p->sk];
    }
}

static void diagonals_ignore_boxes(void **state)
{
    (void)state;
    for (int number = 0; number < 256; number++) {
        random_begin(number);
        const struct operator_choice op = choice_of(number);
        struct decomposition cut = random_decomposition(random_extent(1, 3).n, random_int(1, 8), 1),
                             whole = random_decomposition(cut.n, 0, 1);
        struct level *boxes = make_level(&cut, 4, &op), *one = make_level(&whole, 4, &op);
        struct coefficients c = random_coefficients(&op, one->n);
        double *weights = cells_random(&c.shape, 0.0, 1.0);
        const uint64_t bound = diagonal_of(one, &c);
        read_field(one, FIELD_DINV, &c.shape, weights);
        EXPECT(diagonal_of(boxes, &c) == bound);
        EXPECT(field_differences(boxes, FIELD_DINV, &c.shape, weights) == 0);
        memory_free(weights);
        free_coefficients(&c);
        free_level(boxes);
        free_level(one);
        decomposition_destroy(&cut);
        decomposition_destroy(&whole);
    }
}

/* What colour vectors take for the diagonal: entry i of A applied to all cells of i's colour; every
 * stride-th cell of each direction has the same one. */
static void probe_colours(struct domain *d, int stride, double *diagonal)
{
    const struct cells *s = &d->shape;
    double *r = cells_random(s, 0.0, 1.0);
    for (long c = 0; c < s->length; c++)
        d->f[c] = 0.0;
    for (int colour = 0; colour < stride * stride * stride; colour++) {
        const int of[3] = {colour % stride, colour / stride % stride, colour / stride / stride};
        for (int round = 0; round < 2; round++) {
            for (int k = 0; k < s->n[2]; k++)
                for (int j = 0; j < s->n[1]; j++)
                    for (int i = 0; i < s->n[0]; i++) {
                        const bool in =
                            i % stride == of[0] && j % stride == of[1] && k % stride == of[2];
                        const long c = cells_at(s, i, j, k);
                        if (round == 0)
                            d->buffer[0][c] = in ? 1.0 : 0.0;
                        else if (in)
                            diagonal[c] = -r[c];
                    }
            if (round == 0)
                cells_residual(d, 0, r);
        }
    }
    memory_free(r);
}

/* Largest relative difference of 1/weight from the diagonal that this many colours give. */
static double colour_error(struct level *l, const struct coefficients *c, int stride)
{
    struct domain d = {.shape = c->shape, .stencil = l->stencil, .alpha = c->alpha};
    double *weights = cells_random(&c->shape, 0.0, 1.0),
           *diagonal = cells_random(&c->shape, 0.0, 1.0);
    double most = 0.0;
    d.buffer[0] = d.buffer[1] = cells_random(&c->shape, 0.0, 1.0);
    d.f = cells_random(&c->shape, 0.0, 1.0);
    for (int f = 0; f < 3; f++)
        d.beta[f] = c->beta[f];
    probe_colours(&d, stride, diagonal);
    read_field(l, FIELD_DINV, &c->shape, weights);
    const int n = l->n[0];
    for (int cell = 0; cell < n * n * n; cell++) {
        const long at = cells_at(&c->shape, cell % n, cell / n % n, cell / n / n);
        most = fmax(most, fabs(weights[at] * diagonal[at] - 1.0));
    }
    memory_free(weights);
    memory_free(diagonal);
    memory_free(d.buffer[0]);
    memory_free(d.f);
    return most;
}

/* One colour a cell gives the true diagonal. HPGMG's two colours do so too, but not around odd
 * periodic grids; there the program's is HPGMG's if it is told so, and the true one if not. */
static void diagonals_by_colours(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 7; dim++)
        for (int number = 0; number < 16; number++)
            for (int as_hpgmg = 0; as_hpgmg < 2; as_hpgmg++) {
                random_begin(100L * dim + number);
                const struct operator_choice op = choice_of(number);
                const bool odd = sides_wrap(&op.sides, 0) && op.order == 2 && dim % 2 == 1;
                struct decomposition cut =
                    random_decomposition((const int[3]){dim, dim, dim}, 0, 1);
                struct level *l = make_level(&cut, 1, &op);
                struct coefficients c = random_coefficients(&op, l->n);
                l->stencil->hpgmg_diagonal = as_hpgmg && odd;
                diagonal_of(l, &c);
                const double by_cell = colour_error(l, &c, dim);
                EXPECT(as_hpgmg && odd ? by_cell >= 1e-2 : by_cell <= 1e-13);
                if (op.order == 2) {
                    const double by_two = colour_error(l, &c, 2);
                    EXPECT(odd && !as_hpgmg ? by_two >= 1e-2 : by_two <= 1e-13);
                }
                free_coefficients(&c);
                free_level(l);
                decomposition_destroy(&cut);
            }
}

/* --- the model problem's operator ------------------------------------------------------------- */

static struct hierarchy *make_hierarchy(const struct operator_choice *op, int log2_dim)
{
    const struct hierarchy_choice choice = {.log2_box_dim = log2_dim,
                                            .boxes_per_rank = 1,
                                            .op = *op,
                                            .placement = {.backend = &backend_cpu}};
    struct hierarchy *h = hierarchy_create(&choice);
    for (enum field f = X; f <= AY; f++)
        level_allocate(h->levels[0], f);
    return h;
}

static void apply(struct level *l, enum field out, enum field x)
{
    level_exchange_halo(l, x);
    l->backend->passes->apply(l, out, x);
}

static void randomise(struct level *l, enum field field)
{
    const struct cells s = cells_create(l->n, sides_wrap(&l->sides, 0));
    double *x = cells_random(&s, -1.0, 1.0);
    field_write(l, field, &s, x, 0, CENTRE_CELL, false);
    memory_free(x);
}

/* Of three random pairs the largest |(x, A y) − (y, A x)|, relative to |x| |A y|. */
static double asymmetry(struct level *l)
{
    double most = 0.0;
    for (int pair = 0; pair < 3; pair++) {
        randomise(l, X);
        randomise(l, Y);
        apply(l, AX, X);
        apply(l, AY, Y);
        const double difference = reduce_dot(l, X, AY) - reduce_dot(l, Y, AX);
        most = fmax(most, fabs(difference) / sqrt(reduce_dot(l, X, X) * reduce_dot(l, AY, AY)));
    }
    return most;
}

/* Neumann and Dirichlet walls by side; Neumann walls beside periodic sides. */
#define NEUMANN_AND_DIRICHLET                                                                      \
    {                                                                                              \
        {                                                                                          \
            {BOUNDARY_NEUMANN, BOUNDARY_DIRICHLET}, {BOUNDARY_NEUMANN, BOUNDARY_NEUMANN},          \
            {                                                                                      \
                BOUNDARY_DIRICHLET, BOUNDARY_DIRICHLET                                             \
            }                                                                                      \
        }                                                                                          \
    }
#define NEUMANN_AND_PERIODIC                                                                       \
    {                                                                                              \
        {                                                                                          \
            {BOUNDARY_NEUMANN, BOUNDARY_NEUMANN}, {BOUNDARY_PERIODIC, BOUNDARY_PERIODIC},          \
            {                                                                                      \
                BOUNDARY_NEUMANN, BOUNDARY_NEUMANN                                                 \
            }                                                                                      \
        }                                                                                          \
    }

static void symmetric_or_not(void **state)
{
    (void)state;
    enum { OWN_RULE = 0, LINEAR = 1 };
    static const struct {
        int order;
        bool variable;
        struct sides sides;
        int rule; /* of the walls */
        bool symmetric;
    } cases[] = {
        {2, true, SIDES_ALL(BOUNDARY_PERIODIC), OWN_RULE, true},
        {2, false, SIDES_ALL(BOUNDARY_PERIODIC), OWN_RULE, true},
        {2, true, SIDES_ALL(BOUNDARY_NEUMANN), OWN_RULE, true},
        {2, false, SIDES_ALL(BOUNDARY_NEUMANN), OWN_RULE, true},
        {2, true, SIDES_ALL(BOUNDARY_DIRICHLET), LINEAR, true},
        {2, false, SIDES_ALL(BOUNDARY_DIRICHLET), LINEAR, true},
        {2, true, NEUMANN_AND_DIRICHLET, LINEAR, true},
        {2, false, NEUMANN_AND_DIRICHLET, LINEAR, true},
        {2, true, NEUMANN_AND_DIRICHLET, OWN_RULE, false},
        {2, false, NEUMANN_AND_DIRICHLET, OWN_RULE, false},
        {2, true, NEUMANN_AND_PERIODIC, OWN_RULE, true},
        {2, false, NEUMANN_AND_PERIODIC, OWN_RULE, true},
        {2, true, SIDES_ALL(BOUNDARY_DIRICHLET), OWN_RULE, false},
        {2, false, SIDES_ALL(BOUNDARY_DIRICHLET), OWN_RULE, false},
        {4, false, SIDES_ALL(BOUNDARY_PERIODIC), OWN_RULE, true},
        {4, true, SIDES_ALL(BOUNDARY_PERIODIC), OWN_RULE, false},
        {4, false, SIDES_ALL(BOUNDARY_NEUMANN), OWN_RULE, false},
        {4, true, SIDES_ALL(BOUNDARY_NEUMANN), OWN_RULE, false},
        {4, false, SIDES_ALL(BOUNDARY_DIRICHLET), OWN_RULE, false},
        {4, true, SIDES_ALL(BOUNDARY_DIRICHLET), OWN_RULE, false},
        {4, false, NEUMANN_AND_DIRICHLET, OWN_RULE, false},
        {4, true, NEUMANN_AND_DIRICHLET, OWN_RULE, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int helmholtz = 0; helmholtz < 2; helmholtz++)
            for (int log2_dim = 2; log2_dim <= 3; log2_dim++) {
                const struct operator_choice op = {.order = cases[c].order,
                                                   .equation = (enum equation)helmholtz,
                                                   .variable = cases[c].variable,
                                                   .sides = cases[c].sides};
                random_begin((long)c);
                struct hierarchy *h = make_hierarchy(&op, log2_dim);
                if (cases[c].rule == LINEAR)
                    h->levels[0]->stencil->walls[op.order / 2 - 1] =
                        wall_weights_of(&op.sides, WALL_LINEAR);
                const double measured = asymmetry(h->levels[0]);
                if (cases[c].symmetric ? measured > 1e-13 : measured < 1e-5)
                    print_error("case %zu, log2 dim %d: asymmetry %g\n", c, log2_dim, measured);
                EXPECT(cases[c].symmetric ? measured <= 1e-13 : measured >= 1e-5);
                hierarchy_destroy(h);
            }
}

/* Poisson without Dirichlet walls: A 1 = 0, to the last bit where β varies and ghosts are copies,
 * and Σ A u = 0 to rounding. */
static void constants_and_sums_vanish(void **state)
{
    (void)state;
    for (int number = 0; number < 32; number++) {
        random_begin(number);
        const bool variable = number & 1;
        const struct operator_choice op = {
            .order = number & 2 ? 4 : 2,
            .variable = variable,
            .sides = sides_all(number & 4 ? BOUNDARY_NEUMANN : BOUNDARY_PERIODIC)};
        struct hierarchy *h = make_hierarchy(&op, random_int(2, 4));
        struct level *l = h->levels[0];
        randomise(l, X);
        vector_combine(l, Y, 0.0, X, 0.0, X);
        vector_add_constant(l, Y, random_value());
        apply(l, AY, Y);
        const bool exact = variable && !(op.order == 4 && (number & 4));
        EXPECT(reduce_norm(l, AY) <= (exact ? 0.0 : 1e-14 * l->stencil->scale * 12));
        apply(l, AX, X);
        EXPECT(fabs(reduce_mean(l, AX)) <= 1e-15 * reduce_norm(l, AX));
        hierarchy_destroy(h);
    }
}

/* Fills f of a level whose planes are so far apart that few at a time fit into the staging buffer.
 */
static double *fill_in_pieces(const struct level *small, long plane)
{
    static double *fields[NUM_FIELDS];
    struct patch p = small->patches[0];
    struct level l = *small;
    p.offset = 0;
    p.sk = plane;
    l.patches = &p;
    l.fields = fields;
    fields[FIELD_F] = backend_cpu.memory->allocate(p.n[2] * plane, "a field of few planes");
    problem_fill(&l, PROBLEM_P4);
    return fields[FIELD_F];
}

/* A field that is filled in pieces has the values of one that is filled at once. */
static void large_fields(void **state)
{
    enum { PLANE = 3 << 19 }; /* 12 MiB; the buffer has three and the level eight */
    const struct operator_choice op = {.order = 2};
    (void)state;
    struct hierarchy *h = make_hierarchy(&op, 3);
    struct level *l = h->levels[0];
    const struct patch *p = &l->patches[0];
    double *in_pieces = fill_in_pieces(l, PLANE);
    problem_fill(l, PROBLEM_P4);
    for (int k = 0; k < p->n[2]; k++)
        for (int j = 0; j < p->n[1]; j++)
            assert_memory_equal(in_pieces + j * p->sj + k * (long)PLANE,
                                level_natural(l, FIELD_F) + p->offset + j * p->sj + k * p->sk,
                                (size_t)p->n[0] * sizeof(double));
    backend_cpu.memory->release(in_pieces);
    hierarchy_destroy(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beta_beyond_walls),
        cmocka_unit_test(restricted_faces),
        cmocka_unit_test(diagonals_ignore_boxes),
        cmocka_unit_test(diagonals_by_colours),
        cmocka_unit_test(large_fields),
        cmocka_unit_test(symmetric_or_not),
        cmocka_unit_test(constants_and_sums_vanish),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
