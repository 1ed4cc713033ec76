/* SPDX-License-Identifier: BSD-3-Clause */
/* Solutions and right-hand sides are sums of products X(x)X(y)X(z), so the C library computes N
 * values of each X and their products are taken per cell: set-up is cheap and bitwise identical on
 * every backend. The level's backend multiplies for fv; the host does for the manufactured
 * problems, which are meant for small levels. */
#include "operators/problem.h"
#include "operators/bodies.h"
#include <math.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "operators/pass.h"
#include "operators/setup.h"
#include "operators/vectors.h"

/* (sin cx)^p */
static struct factor sine_power(double c, int p, double x)
{
    const double s = sin(c * x), k = cos(c * x);
    const double s2 = pow(s, p - 2), s1 = s2 * s;
    return (struct factor){s1 * s, c * p * k * s1, c * c * p * ((p - 1) * s2 * k * k - s1 * s)};
}

static struct factor sine_7(double x, bool mean_free)
{
    (void)mean_free;
    return sine_power(2.0 * M_PI, 7, x);
}

static struct factor sine_13(double x, bool mean_free)
{
    (void)mean_free;
    return sine_power(2.0 * M_PI, 13, x);
}

static struct factor sine_13_third_harmonic(double x, bool mean_free)
{
    (void)mean_free;
    return sine_power(6.0 * M_PI, 13, x);
}

static struct factor polynomial_4(double x, bool mean_free)
{
    const double value = ((x - 2.0) * x + 1.0) * x * x;
    return (struct factor){mean_free ? value - 1.0 / 30.0 : value, ((4.0 * x - 6.0) * x + 2.0) * x,
                           (12.0 * x - 12.0) * x + 2.0};
}

static struct factor polynomial_6(double x, bool mean_free)
{
    const double value = (((2.0 * x - 6.0) * x + 5.0) * x * x - 1.0) * x * x;
    return (struct factor){mean_free ? value + 1.0 / 21.0 : value,
                           (((12.0 * x - 30.0) * x + 20.0) * x * x - 2.0) * x,
                           ((60.0 * x - 120.0) * x + 60.0) * x * x - 2.0};
}

const struct problem problems[PROBLEM_COUNT] = {
    [PROBLEM_FV] = {"fv", .exact = false, {sine_7}},
    [PROBLEM_SINE] = {"sine", .exact = true, {sine_13, sine_13_third_harmonic}},
    [PROBLEM_P4] = {"p4", .exact = true, {polynomial_4}},
    [PROBLEM_P6] = {"p6", .exact = true, {polynomial_6}},
};

/* What coordinates relative to the domain's sides follow from: ξ = x/L, 0 to 1 between the sides of
 * a direction. For a cube, ξ = x. */
struct relative {
    double step;           /* of ξ, from cell to cell */
    double inverse_length; /* dξ/dx = 1/L */
};

static struct relative relative_to(const struct level *l, int d)
{
    const double length = l->stencil->choice.lengths[d];
    return (struct relative){1.0 / l->n[d],
                             length > 0.0 ? 1.0 / length : (double)extent_longest(l->n) / l->n[d]};
}

/* β is that of the problem; else it is 1, whether it is stored or not. */
static bool has_own_beta(const struct level *l)
{
    return l->stencil->choice.variable && !l->stencil->choice.unit_beta;
}

/* The factors of all terms at the cell centres, by direction, with derivatives by x. */
struct tables {
    int count;
    struct factor *terms[MAX_TERMS][3];
};

static bool is_mean_free(const struct level *l, int d)
{
    return l->sides.of[d][0] != BOUNDARY_DIRICHLET && l->sides.of[d][1] != BOUNDARY_DIRICHLET;
}

static struct factor *make_table(const struct level *l, factor_fn *factor, int d)
{
    const struct relative to = relative_to(l, d);
    struct factor *at = memory_alloc((size_t)l->n[d] * sizeof *at, "problem tables");
    for (int i = 0; i < l->n[d]; i++) {
        at[i] = factor(to.step * (i + 0.5), is_mean_free(l, d));
        at[i].d1 *= to.inverse_length;
        at[i].d2 *= to.inverse_length * to.inverse_length;
    }
    return at;
}

static struct tables tables_create(const struct level *l, int problem)
{
    struct tables tables = {.count = 0};
    while (tables.count < MAX_TERMS && problems[problem].terms[tables.count]) {
        for (int d = 0; d < 3; d++)
            tables.terms[tables.count][d] = make_table(l, problems[problem].terms[tables.count], d);
        tables.count++;
    }
    return tables;
}

static void tables_destroy(struct tables *tables)
{
    for (int t = 0; t < tables->count; t++)
        for (int d = 0; d < 3; d++)
            memory_free(tables->terms[t][d]);
}

/* β = c1 + c2·tanh(10(r − 1/4)) of the manufactured problems, at the cell or face that is `shift`
 * cells from the low corner of cell `at`, and its gradient. r is the distance from the middle in
 * relative coordinates. */
static double beta_tanh(const struct relative to[3], const int at[3], const double shift[3],
                        double gradient[3])
{
    const double c1 = 5.5, c2 = 4.5, c3 = 10.0;
    double d[3];
    for (int e = 0; e < 3; e++)
        d[e] = to[e].step * (at[e] + shift[e]) - 0.5;
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double t = tanh(c3 * (r - 0.25));
    for (int a = 0; a < 3; a++)
        gradient[a] = c2 * c3 * (d[a] / r) * (1.0 - t * t) * to[a].inverse_length;
    return c1 + c2 * t;
}

/* What value functions need in addition to the global index of a cell or face. */
struct filling {
    const struct level *level;
    struct relative to[3];
    struct tables tables;
    int direction; /* of a face-centred field's normal */
};

/* Without tables. */
static struct filling filling_of(const struct level *l)
{
    return (struct filling){.level = l,
                            .to = {relative_to(l, 0), relative_to(l, 1), relative_to(l, 2)}};
}

typedef double value_fn(const struct filling *f, int i, int j, int k);

/* The manufactured right-hand side aαu − b(∇β·∇u + β∇²u) at a cell's centre. */
static double rhs_value(const struct filling *f, int i, int j, int k)
{
    const struct operator_choice *choice = &f->level->stencil->choice;
    double gradient[3] = {0.0, 0.0, 0.0};
    const double beta =
        has_own_beta(f->level)
            ? beta_tanh(f->to, (const int[3]){i, j, k}, (const double[3]){0.5, 0.5, 0.5}, gradient)
            : 1.0;
    double value = 0.0, slope = 0.0, laplacian = 0.0;
    for (int t = 0; t < f->tables.count; t++) {
        const struct factor *x = &f->tables.terms[t][0][i], *y = &f->tables.terms[t][1][j],
                            *z = &f->tables.terms[t][2][k];
        value += x->value * y->value * z->value;
        slope += gradient[0] * (x->d1 * y->value * z->value) +
                 gradient[1] * (x->value * y->d1 * z->value) +
                 gradient[2] * (x->value * y->value * z->d1);
        laplacian +=
            x->d2 * y->value * z->value + x->value * y->d2 * z->value + x->value * y->value * z->d2;
    }
    return operator_diagonal_term(choice, value) - (slope + beta * laplacian);
}

enum { STAGING_BYTES = 32 * 1024 * 1024 };

/* Fills n[0]·n[1]·n[2] cells of a patch with value(global index). The values are made on the host,
 * some planes at a time, and handed to the level's backend, whose memory the host may not reach. */
static void fill_patch(const struct filling *f, const struct patch *p, enum field field,
                       const int n[3], value_fn *value)
{
    const struct level *l = f->level;
    const long fit = STAGING_BYTES / (long)sizeof(double) / p->sk + 1,
               most = fit < n[2] ? fit : n[2];
    double *staging =
        memory_alloc_zero((size_t)(most * p->sk) * sizeof *staging, "staging of a field");
    for (int first = 0; first < n[2]; first += (int)most) {
        const int planes = n[2] - first < most ? n[2] - first : (int)most;
#pragma omp parallel for collapse(2) schedule(static)
        for (int k = 0; k < planes; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++)
                    staging[i + j * p->sj + k * p->sk] =
                        value(f, p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + first + k);
        const long count = (planes - 1) * p->sk + (n[1] - 1) * p->sj + n[0];
        l->backend->memory->upload(level_natural(l, field) + p->offset + first * p->sk, staging,
                                   count);
    }
    memory_free(staging);
}

/* Fills a cell-centred field of all patches. */
static void fill_cells(const struct filling *f, enum field field, value_fn *value)
{
    for (int q = 0; q < f->level->npatches; q++)
        fill_patch(f, &f->level->patches[q], field, f->level->patches[q].n, value);
}

/* β on the low face of a cell: the face's centre lies on the cell's edge in its normal's direction
 * and in the middle in the others. */
static double beta_value(const struct filling *f, int i, int j, int k)
{
    double shift[3] = {0.5, 0.5, 0.5}, unused[3];
    shift[f->direction] = 0.0;
    return beta_tanh(f->to, (const int[3]){i, j, k}, shift, unused);
}

static void fill_beta(const struct level *l)
{
    struct filling f = filling_of(l);
    for (int q = 0; q < l->npatches; q++)
        for (f.direction = 0; f.direction < 3; f.direction++) {
            const struct patch *p = &l->patches[q];
            int n[3];
            setup_count_faces(p, f.direction, n);
            fill_patch(&f, p, FIELD_BETA_I + f.direction, n, beta_value);
        }
}

/* The fv problem's functions of one coordinate, by direction and global index: X and X'', and s at
 * cell centres and at faces (see problem_formula.h). Second derivatives are by a coordinate in
 * which the cell's side in each direction is the shortest one. */
struct fv_tables {
    const struct fv_point *points[3];
    const double *centres[3], *faces[3];
    double wave_number_2[3]; /* (2π/L)²: s'' = −(2π/L)² s */
};

static void fill_fv_patch(const struct level *l, const struct patch *p, const struct fv_tables *t)
{
    const double h = l->stencil->spacing.shortest, correction = h * h / 24.0;
    struct fv_rhs_arguments rhs = {patch_cells(l, p, FIELD_F), p->sj, p->sk,
                                   .correction = correction};
    for (int d = 0; d < 3; d++)
        rhs.points[d] = t->points[d] + p->box.lo[d];
    l->backend->passes->visit(BODY_fill_rhs, &rhs, p->n);
    for (int direction = 0; direction < 3 && has_own_beta(l); direction++) {
        const int e = (direction + 1) % 3, f = (direction + 2) % 3;
        struct fv_beta_arguments beta = {patch_cells(l, p, FIELD_BETA_I + direction), p->sj, p->sk,
                                         .correction = correction,
                                         .curvature = t->wave_number_2[e] + t->wave_number_2[f]};
        int n[3];
        setup_count_faces(p, direction, n);
        for (int d = 0; d < 3; d++)
            beta.sines[d] = (d == direction ? t->faces[d] : t->centres[d]) + p->box.lo[d];
        l->backend->passes->visit(BODY_fill_beta, &beta, n);
    }
}

/* The tables of one direction. */
static long fv_table_length(int n)
{
    return 2 * (long)n + 2 * (n + 1);
}

static void fill_fv_table(const struct level *l, int d, double *host)
{
    const int n = l->n[d];
    const struct relative to = relative_to(l, d);
    double *centres = host + 2 * n, *faces = centres + n + 1;
    for (int i = 0; i < n; i++) {
        const struct factor x = sine_7(to.step * (i + 0.5), true);
        host[2 * i] = x.value;
        host[2 * i + 1] =
            x.d2 * (to.inverse_length * to.inverse_length) / l->stencil->spacing.weight[d];
    }
    for (int i = 0; i <= n; i++) {
        centres[i] = sin(2.0 * M_PI * (to.step * (i + 0.5)));
        faces[i] = sin(2.0 * M_PI * (to.step * i));
    }
}

/* Where the tables of one direction lie in the backend's memory. */
static void place_fv_table(struct fv_tables *t, const struct level *l, int d, const double *at)
{
    const double inverse = relative_to(l, d).inverse_length;
    t->points[d] = (const struct fv_point *)at;
    t->centres[d] = at + 2 * l->n[d];
    t->faces[d] = t->centres[d] + l->n[d] + 1;
    t->wave_number_2[d] = 4.0 * M_PI * M_PI * (inverse * inverse) / l->stencil->spacing.weight[d];
}

/* The tables are made here and multiplied by the level's backend, in its memory. */
static void fill_fv(const struct level *l)
{
    long start[4] = {0};
    for (int d = 0; d < 3; d++)
        start[d + 1] = start[d] + fv_table_length(l->n[d]);
    double *host = memory_alloc((size_t)start[3] * sizeof *host, "problem tables");
    double *tables = l->backend->memory->allocate(start[3], "problem tables");
    struct fv_tables t;
    for (int d = 0; d < 3; d++) {
        fill_fv_table(l, d, host + start[d]);
        place_fv_table(&t, l, d, tables + start[d]);
    }
    l->backend->memory->upload(tables, host, start[3]);
    for (int q = 0; q < l->npatches; q++)
        fill_fv_patch(l, &l->patches[q], &t);
    if (l->fields[FIELD_ALPHA])
        vector_set(l, FIELD_ALPHA, 1.0);
    l->backend->memory->release(tables);
    memory_free(host);
}

static double one(const struct filling *f, int i, int j, int k)
{
    (void)f, (void)i, (void)j, (void)k;
    return 1.0;
}

static double solution_value(const struct filling *f, int i, int j, int k)
{
    double value = 0.0;
    for (int t = 0; t < f->tables.count; t++) {
        struct factor *const *x = f->tables.terms[t];
        value += x[0][i].value * x[1][j].value * x[2][k].value;
    }
    return value;
}

static void fill_manufactured(struct level *level, int problem)
{
    struct filling f = filling_of(level);
    f.tables = tables_create(level, problem);
    fill_cells(&f, FIELD_F, rhs_value);
    if (has_own_beta(level))
        fill_beta(level);
    if (level->fields[FIELD_ALPHA])
        fill_cells(&f, FIELD_ALPHA, one);
    tables_destroy(&f.tables);
}

void problem_fill(struct level *level, int problem)
{
    CHECK(problem >= 0 && problem < PROBLEM_COUNT);
    if (problem == PROBLEM_FV)
        fill_fv(level);
    else
        fill_manufactured(level, problem);
    if (level->stencil->choice.unit_beta)
        setup_unit_beta(level);
    else if (level->fields[FIELD_BETA_I])
        setup_weigh_beta(level);
}

void problem_solution(const struct level *level, int problem, enum field field)
{
    CHECK(problems[problem].exact);
    struct filling f = filling_of(level);
    f.tables = tables_create(level, problem);
    fill_cells(&f, field, solution_value);
    tables_destroy(&f.tables);
}
