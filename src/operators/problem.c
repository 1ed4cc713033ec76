/* Every function of a model problem but the p problems' β is a product of functions of one
 * coordinate, so N values of each per direction are computed with the C library and multiplied up
 * per cell. The tables make the set-up cheap and, as products of equal doubles are equal doubles,
 * the same on every backend. */
#include "operators/problem.h"
#include <math.h>
#include "base/check.h"
#include "base/memory.h"

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

/* fv's right-hand side: the point value with the 4th-order correction that makes it a cell average.
 */
static double fv_rhs(const struct level *l, const struct point *x, const struct point *y,
                     const struct point *z)
{
    const double laplacian =
        x->d2 * y->value * z->value + x->value * y->d2 * z->value + x->value * y->value * z->d2;
    return x->value * y->value * z->value + l->h * l->h / 24.0 * laplacian;
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

static void fill_rhs(const struct level *l, int problem)
{
    struct term terms[MAX_TERMS];
    tables_create(l, problem, terms);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        double *f = l->fields[FIELD_F] + p->offset;
#pragma omp parallel for collapse(2) schedule(static)
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++) {
                    const int gi = p->box.lo[0] + i, gj = p->box.lo[1] + j, gk = p->box.lo[2] + k;
                    f[i + j * p->sj + k * p->sk] =
                        problem == 0
                            ? fv_rhs(l, &terms[0].at[gi], &terms[0].at[gj], &terms[0].at[gk])
                            : manufactured_rhs(l, problem, terms, gi, gj, gk);
                }
    }
    tables_destroy(problem, terms);
}

/* fv's β averaged over a face: 1 + ¼ s(x)s(y)s(z), s = sin 2π·, with the correction of the two
 * tangential directions; s holds the sines at the face's centre. s'' = −(2π)² s. */
static double fv_beta(const struct level *l, double sx, double sy, double sz)
{
    const double product = 0.25 * sx * sy * sz, c2 = 4.0 * M_PI * M_PI;
    return 1.0 + product - l->h * l->h / 24.0 * (2.0 * c2 * product);
}

/* β over the faces with normal d: `half` is 0 in direction d (the face sits on the low side) and ½
 * in the others. */
static void fill_beta_patch(const struct level *l, int problem, int d, const struct patch *p,
                            const double *centre, const double *face)
{
    double *beta = l->fields[FIELD_BETA_I + d] + p->offset;
    int n[3];
    for (int e = 0; e < 3; e++)
        n[e] = p->n[e] + (e == d && p->wall[e][1]);
    const double *sx = d == 0 ? face : centre, *sy = d == 1 ? face : centre,
                 *sz = d == 2 ? face : centre;
    const double ox = d == 0 ? 0.0 : 0.5, oy = d == 1 ? 0.0 : 0.5, oz = d == 2 ? 0.0 : 0.5;
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int gi = p->box.lo[0] + i, gj = p->box.lo[1] + j, gk = p->box.lo[2] + k;
                double unused[3];
                beta[i + j * p->sj + k * p->sk] =
                    problem == 0
                        ? fv_beta(l, sx[gi], sy[gj], sz[gk])
                        : beta_tanh(l->h * (gi + ox), l->h * (gj + oy), l->h * (gk + oz), unused);
            }
}

static void fill_beta(const struct level *l, int problem)
{
    double *centre = memory_alloc((size_t)(l->dim + 1) * sizeof *centre, "problem tables");
    double *face = memory_alloc((size_t)(l->dim + 1) * sizeof *face, "problem tables");
    for (int i = 0; i <= l->dim; i++) {
        centre[i] = sin(2.0 * M_PI * (l->h * (i + 0.5)));
        face[i] = sin(2.0 * M_PI * (l->h * i));
    }
    for (int q = 0; q < l->npatches; q++)
        for (int d = 0; d < 3; d++)
            fill_beta_patch(l, problem, d, &l->patches[q], centre, face);
    memory_free(centre);
    memory_free(face);
}

static void fill_alpha(const struct level *l)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        double *alpha = l->fields[FIELD_ALPHA] + p->offset;
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++)
                    alpha[i + j * p->sj + k * p->sk] = 1.0;
    }
}

void problem_fill(const struct level *level, int problem)
{
    CHECK(problem >= 0 && problem < PROBLEM_COUNT);
    fill_rhs(level, problem);
    if (level->fields[FIELD_BETA_I])
        fill_beta(level, problem);
    if (level->fields[FIELD_ALPHA])
        fill_alpha(level);
}

void problem_solution(const struct level *level, int problem, enum field field)
{
    struct term terms[MAX_TERMS];
    CHECK(problems[problem].exact);
    tables_create(level, problem, terms);
    for (int q = 0; q < level->npatches; q++) {
        const struct patch *p = &level->patches[q];
        double *u = level->fields[field] + p->offset;
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++) {
                    double value = 0.0;
                    for (int t = 0; t < term_count(problem); t++)
                        value += terms[t].at[p->box.lo[0] + i].value *
                                 terms[t].at[p->box.lo[1] + j].value *
                                 terms[t].at[p->box.lo[2] + k].value;
                    u[i + j * p->sj + k * p->sk] = value;
                }
    }
    tables_destroy(problem, terms);
}
