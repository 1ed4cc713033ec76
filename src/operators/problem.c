/* SPDX-License-Identifier: BSD-3-Clause */
/* Every function of a model problem but the p problems' β is a product of functions of one
 * coordinate, so N values of each per direction are computed with the C library and multiplied up
 * per cell. The tables make the set-up cheap and, as products of equal doubles are equal doubles,
 * the same on every backend. The benchmark's own problem, fv, is multiplied up where the level is;
 * the others, which are made for small levels, on the host. */
#include "operators/problem.h"
#include <math.h>
#include "base/check.h"
#include "base/memory.h"
#include "level/backend.h"
#include "operators/passes.h"
#include "operators/problem_formula.h"

const struct problem problems[PROBLEM_COUNT] = {
    {"fv", false}, {"sine", true}, {"p4", true}, {"p6", true}};

enum { MAX_TERMS = 2 };

/* X(x) and its first two derivatives at one point. */
struct point {
    double value, d1, d2;
};

/* One term of the solution (or of fv's right-hand side) at the N cell centres of one direction. */
struct term {
    struct point *at;
};

/* (sin cx)^p */
static struct point sine_power(double c, int p, double x)
{
    const double s = sin(c * x), k = cos(c * x);
    const double s2 = pow(s, p - 2), s1 = s2 * s;
    return (struct point){s1 * s, c * p * k * s1, c * c * p * ((p - 1) * s2 * k * k - s1 * s)};
}

static struct point polynomial_4(double x, bool periodic)
{
    const double value = ((x - 2.0) * x + 1.0) * x * x;
    return (struct point){periodic ? value - 1.0 / 30.0 : value, ((4.0 * x - 6.0) * x + 2.0) * x,
                          (12.0 * x - 12.0) * x + 2.0};
}

static struct point polynomial_6(double x, bool periodic)
{
    const double value = (((2.0 * x - 6.0) * x + 5.0) * x * x - 1.0) * x * x;
    return (struct point){periodic ? value + 1.0 / 21.0 : value,
                          (((12.0 * x - 30.0) * x + 20.0) * x * x - 2.0) * x,
                          ((60.0 * x - 120.0) * x + 60.0) * x * x - 2.0};
}

static int term_count(int problem)
{
    return problem == 1 ? 2 : 1;
}

static struct point term_point(int problem, int term, double x, bool periodic)
{
    switch (problem) {
    case 0:
        return sine_power(2.0 * M_PI, 7, x);
    case 1:
        return sine_power(term == 0 ? 2.0 * M_PI : 6.0 * M_PI, 13, x);
    case 2:
        return polynomial_4(x, periodic);
    default:
        return polynomial_6(x, periodic);
    }
}

/* Tables over the N cell centres, the same in all directions. Freed by the caller. */
static void tables_create(const struct level *l, int problem, struct term terms[MAX_TERMS])
{
    for (int t = 0; t < term_count(problem); t++) {
        terms[t].at = memory_alloc((size_t)l->dim * sizeof *terms[t].at, "problem tables");
        for (int i = 0; i < l->dim; i++)
            terms[t].at[i] = term_point(problem, t, l->h * (i + 0.5), l->periodic);
    }
}

static void tables_destroy(int problem, struct term terms[MAX_TERMS])
{
    for (int t = 0; t < term_count(problem); t++)
        memory_free(terms[t].at);
}

/* β = c1 + c2·tanh(10(r − 1/4)) of the manufactured problems, and its gradient. */
static double beta_tanh(double x, double y, double z, double gradient[3])
{
    const double c1 = 5.5, c2 = 4.5, c3 = 10.0;
    const double d[3] = {x - 0.5, y - 0.5, z - 0.5};
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double t = tanh(c3 * (r - 0.25));
    for (int a = 0; a < 3; a++)
        gradient[a] = c2 * c3 * (d[a] / r) * (1.0 - t * t);
    return c1 + c2 * t;
}

/* The manufactured right-hand side aαu − b(∇β·∇u + β∇²u) at a point; the solution is a sum of
 * products. */
static double manufactured_rhs(const struct level *l, int problem, const struct term *terms, int i,
                               int j, int k)
{
    const struct operator_choice *choice = &l->stencil->choice;
    double gradient[3] = {0.0, 0.0, 0.0};
    const double beta =
        choice->variable ? beta_tanh(l->h * (i + 0.5), l->h * (j + 0.5), l->h * (k + 0.5), gradient)
                         : 1.0;
    double value = 0.0, slope = 0.0, laplacian = 0.0;
    for (int t = 0; t < term_count(problem); t++) {
        const struct point *x = &terms[t].at[i], *y = &terms[t].at[j], *z = &terms[t].at[k];
        value += x->value * y->value * z->value;
        slope += gradient[0] * (x->d1 * y->value * z->value) +
                 gradient[1] * (x->value * y->d1 * z->value) +
                 gradient[2] * (x->value * y->value * z->d1);
        laplacian +=
            x->d2 * y->value * z->value + x->value * y->d2 * z->value + x->value * y->value * z->d2;
    }
    return (choice->helmholtz ? value : 0.0) - (slope + beta * laplacian);
}

/* What a field is filled with: a value for every global index. */
struct filling {
    const struct level *level;
    int problem;
    const struct term *terms;
    int direction; /* of a face-centred field's normal */
};
typedef double value_fn(const struct filling *f, int i, int j, int k);

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
        l->backend->upload(l->fields[field] + p->offset + first * p->sk, staging, count);
    }
    memory_free(staging);
}

static double rhs_value(const struct filling *f, int i, int j, int k)
{
    return manufactured_rhs(f->level, f->problem, f->terms, i, j, k);
}

static void fill_rhs(const struct level *l, int problem)
{
    struct term terms[MAX_TERMS];
    const struct filling f = {.level = l, .problem = problem, .terms = terms};
    tables_create(l, problem, terms);
    for (int q = 0; q < l->npatches; q++)
        fill_patch(&f, &l->patches[q], FIELD_F, l->patches[q].n, rhs_value);
    tables_destroy(problem, terms);
}

/* β on the low face of a cell: the face's centre lies on the cell's edge in its normal's direction
 * and in the middle in the others. */
static double beta_value(const struct filling *f, int i, int j, int k)
{
    const int at[3] = {i, j, k};
    double x[3], unused[3];
    for (int e = 0; e < 3; e++)
        x[e] = f->level->h * (at[e] + (e == f->direction ? 0.0 : 0.5));
    return beta_tanh(x[0], x[1], x[2], unused);
}

static void fill_beta(const struct level *l, int problem)
{
    struct filling f = {.level = l, .problem = problem};
    for (int q = 0; q < l->npatches; q++)
        for (f.direction = 0; f.direction < 3; f.direction++) {
            const struct patch *p = &l->patches[q];
            int n[3] = {p->n[0], p->n[1], p->n[2]};
            n[f.direction] += p->wall[f.direction][1]; /* the faces on the wall */
            fill_patch(&f, p, FIELD_BETA_I + f.direction, n, beta_value);
        }
}

/* The fv problem: tables here, products by the level's backend. */
static void fill_fv(const struct level *l)
{
    const int n = l->dim;
    struct fv_point *points = memory_alloc((size_t)n * sizeof *points, "problem tables");
    double *centres = memory_alloc((size_t)(n + 1) * sizeof *centres, "problem tables");
    double *faces = memory_alloc((size_t)(n + 1) * sizeof *faces, "problem tables");
    for (int i = 0; i < n; i++) {
        const struct point x = term_point(0, 0, l->h * (i + 0.5), l->periodic);
        points[i] = (struct fv_point){x.value, x.d2};
    }
    for (int i = 0; i <= n; i++) {
        centres[i] = sin(2.0 * M_PI * (l->h * (i + 0.5)));
        faces[i] = sin(2.0 * M_PI * (l->h * i));
    }
    const struct fv_tables tables = {
        points, centres, faces, n, n + 1, l->h * l->h / 24.0, 2.0 * (4.0 * M_PI * M_PI)};
    l->backend->passes->fill_fv(l, &tables);
    memory_free(points);
    memory_free(centres);
    memory_free(faces);
}

static double one(const struct filling *f, int i, int j, int k)
{
    (void)f, (void)i, (void)j, (void)k;
    return 1.0;
}

static void fill_alpha(const struct level *l)
{
    const struct filling f = {.level = l};
    for (int q = 0; q < l->npatches; q++)
        fill_patch(&f, &l->patches[q], FIELD_ALPHA, l->patches[q].n, one);
}

static double solution_value(const struct filling *f, int i, int j, int k)
{
    double value = 0.0;
    for (int t = 0; t < term_count(f->problem); t++)
        value += f->terms[t].at[i].value * f->terms[t].at[j].value * f->terms[t].at[k].value;
    return value;
}

void problem_fill(const struct level *level, int problem)
{
    CHECK(problem >= 0 && problem < PROBLEM_COUNT);
    if (problem == 0) {
        fill_fv(level);
        return;
    }
    fill_rhs(level, problem);
    if (level->fields[FIELD_BETA_I])
        fill_beta(level, problem);
    if (level->fields[FIELD_ALPHA])
        fill_alpha(level);
}

void problem_solution(const struct level *level, int problem, enum field field)
{
    struct term terms[MAX_TERMS];
    const struct filling f = {.level = level, .problem = problem, .terms = terms};
    CHECK(problems[problem].exact);
    tables_create(level, problem, terms);
    for (int q = 0; q < level->npatches; q++)
        fill_patch(&f, &level->patches[q], field, level->patches[q].n, solution_value);
    tables_destroy(problem, terms);
}
