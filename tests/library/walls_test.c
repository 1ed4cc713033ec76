/* SPDX-License-Identifier: BSD-3-Clause */
/* Values on walls: polynomials that the scheme represents come out exactly, other solutions with
 * the order of the scheme, and any ranks give one answer. Values of 0 change no bit, and what is
 * replaced is as if it had been there from the start. */
#include <math.h>
#include "support/library.h"

enum { DIRICHLET, NEUMANN, PERIODIC };

/* A domain, its walls and an operator. */
struct problem {
    int cells[3];
    double length; /* of the longest side */
    int walls[3][2];
    const char *boundary; /* the same in words */
    const char *order, *equation, *coefficients;
    double stretch[3]; /* of the sides of cells; 0: 1 */
};

static bool is_singular(const struct problem *p)
{
    bool dirichlet = false;
    for (int wall = 0; wall < 6; wall++)
        dirichlet = dirichlet || p->walls[wall / 2][wall % 2] == DIRICHLET;
    return !dirichlet && strcmp(p->equation, "poisson") == 0;
}

static bool has_coefficients(const struct problem *p)
{
    return strcmp(p->coefficients, "variable") == 0;
}

static void cell_sides(const struct problem *p, double h[3])
{
    for (int d = 0; d < 3; d++)
        h[d] = p->length / extent_longest(p->cells) * (p->stretch[d] > 0.0 ? p->stretch[d] : 1.0);
}

/* rtol "none": one F-cycle. */
static struct hpgmg *create(const struct problem *p, hpgmg_comm comm, const char *rtol)
{
    const char *const options[] = {"order",
                                   p->order,
                                   "equation",
                                   p->equation,
                                   "coefficients",
                                   p->coefficients,
                                   "boundary",
                                   p->boundary,
                                   "rtol",
                                   rtol,
                                   strcmp(rtol, "none") ? "max-cycles" : NULL,
                                   "100",
                                   NULL};
    double lengths[3];
    cell_sides(p, lengths);
    for (int d = 0; d < 3; d++)
        lengths[d] *= p->cells[d];
    return create_with(comm, p->cells, lengths, options);
}

/* Calls visit for each wall. */
static void each_wall(const struct problem *p, void (*visit)(void *data, int d, int side),
                      void *data)
{
    for (int wall = 0; wall < 6; wall++)
        if (p->walls[wall / 2][wall % 2] != PERIODIC)
            visit(data, wall / 2, wall % 2);
}

/* Means of u over this rank's boxes, in turn; the caller frees them. */
static double *solution(struct hpgmg *s, int count, const struct hpgmg_box *boxes)
{
    struct hpgmg_block *blocks = calloc((size_t)count + 1, sizeof *blocks);
    size_t cells = 0;
    for (int b = 0; b < count; b++)
        cells += (size_t)extent_cells(boxes[b].n);
    double *u = calloc(cells + 1, sizeof *u), *next = u;
    for (int b = 0; b < count; b++) {
        blocks[b] = (struct hpgmg_block){.box = boxes[b], .data = next};
        next += (size_t)extent_cells(boxes[b].n);
    }
    EXPECT(hpgmg_get(s, HPGMG_U, count, blocks) == HPGMG_OK);
    free(blocks);
    return u;
}

/* max|u − exact|, exact being a cell's mean; the same on all ranks. */
static double error_of(struct hpgmg *s, double (*exact)(const void *data, const int cell[3]),
                       const void *data)
{
    const struct hpgmg_box *boxes;
    int count;
    double most = 0.0;
    REQUIRE(hpgmg_boxes(s, &count, &boxes) == HPGMG_OK);
    double *u = solution(s, count, boxes), *next = u;
    for (int b = 0; b < count; b++)
        for (int k = 0; k < boxes[b].n[2]; k++)
            for (int j = 0; j < boxes[b].n[1]; j++)
                for (int i = 0; i < boxes[b].n[0]; i++) {
                    const int *lo = boxes[b].lo;
                    const double e =
                        *next++ - exact(data, (const int[3]){lo[0] + i, lo[1] + j, lo[2] + k});
                    most = fabs(e) <= most ? most : fabs(e); /* keeps a NaN */
                }
    free(u);
    comm_max_f64(comm_world(), &most, 1);
    return most;
}

/* --- polynomials ---------------------------------------------------------------------------------
 */

/* Sums of c·x^a·y^b·z^c, until c is 0. */
struct monomial {
    double c;
    int power[3];
};

struct polynomials {
    const struct problem *problem;
    const struct monomial *u, *beta;
    double alpha;
};

/* The mean of x^power over the cell from `at` on, or its value there. */
static double power_mean(int power, double h, int at, bool point)
{
    const double low = h * at, high = h * (at + 1);
    return point ? pow(low, power) : (pow(high, power + 1) - pow(low, power + 1)) / (power + 1) / h;
}

/* The mean over a cell, or over its low face in direction `centre`. */
static double monomial_mean(const struct monomial *m, const double h[3], const int at[3],
                            int centre)
{
    double product = m->c;
    for (int d = 0; d < 3; d++)
        product *= power_mean(m->power[d], h[d], at[d], d == centre);
    return product;
}

static double mean_of(const struct monomial *m, const double h[3], const int at[3], int centre)
{
    double sum = 0.0;
    for (; m->c != 0.0; m++)
        sum += monomial_mean(m, h, at, centre);
    return sum;
}

/* The mean of β ∂u/∂x_d over a low face in direction d. */
static double flux_mean(const struct monomial *beta, const struct monomial *u, const double h[3],
                        const int at[3], int d)
{
    double sum = 0.0;
    for (; u->c != 0.0; u++)
        for (const struct monomial *b = beta; b->c != 0.0 && u->power[d] > 0; b++) {
            struct monomial m = {b->c * u->c * u->power[d], {0}};
            for (int e = 0; e < 3; e++)
                m.power[e] = b->power[e] + u->power[e] - (e == d);
            sum += monomial_mean(&m, h, at, d);
        }
    return sum;
}

static const struct monomial one[] = {{1.0, {0}}, {0.0, {0}}};

static double polynomial_value(const struct polynomials *x, int centre, const int at[3], bool is_f)
{
    double h[3];
    cell_sides(x->problem, h);
    if (!is_f)
        return mean_of(x->beta, h, at, centre);
    double f = x->alpha * mean_of(x->u, h, at, CENTRE_CELL);
    for (int d = 0; d < 3; d++) {
        int next[3] = {at[0], at[1], at[2]};
        next[d]++;
        f -= (flux_mean(x->beta, x->u, h, next, d) - flux_mean(x->beta, x->u, h, at, d)) / h[d];
    }
    return f;
}

static double polynomial_exact(const void *data, const int cell[3])
{
    const struct polynomials *x = data;
    double h[3];
    cell_sides(x->problem, h);
    return mean_of(x->u, h, cell, CENTRE_CELL);
}

/* f, or β in direction `centre`, from arrays of this rank's boxes. */
static void set_polynomial(struct hpgmg *s, const struct polynomials *x, int centre, bool is_f)
{
    const struct hpgmg_box *boxes;
    struct hpgmg_block blocks[64] = {{{{0}, {0}}, NULL, {0}}};
    int count;
    REQUIRE(hpgmg_boxes(s, &count, &boxes) == HPGMG_OK && count <= 64);
    for (int b = 0; b < count; b++) {
        int n[3] = {boxes[b].n[0], boxes[b].n[1], boxes[b].n[2]};
        if (!is_f)
            n[centre]++;
        blocks[b].box = boxes[b];
        double *next = blocks[b].data = malloc((size_t)extent_cells(n) * sizeof(double));
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    const int *lo = boxes[b].lo;
                    *next++ = polynomial_value(
                        x, centre, (const int[3]){lo[0] + i, lo[1] + j, lo[2] + k}, is_f);
                }
    }
    EXPECT(hpgmg_set(s, is_f ? HPGMG_F : (enum hpgmg_field)(HPGMG_BETA_I + centre), count,
                     blocks) == HPGMG_OK);
    for (int b = 0; b < count; b++)
        free(blocks[b].data);
}

static void set_polynomial_wall(struct hpgmg *s, const struct polynomials *x, int d, int side)
{
    const struct problem *p = x->problem;
    const int t[2] = {d == 0, d == 2 ? 1 : 2};
    const struct hpgmg_box *boxes;
    double *values[64] = {NULL}, h[3];
    int count;
    cell_sides(p, h);
    REQUIRE(hpgmg_boxes(s, &count, &boxes) == HPGMG_OK && count <= 64);
    for (int b = 0; b < count; b++) {
        const int *lo = boxes[b].lo, *n = boxes[b].n;
        int at[3];
        at[d] = side ? p->cells[d] : 0;
        if (side ? lo[d] + n[d] != p->cells[d] : lo[d] != 0)
            continue;
        double *next = values[b] = malloc((size_t)n[t[0]] * (size_t)n[t[1]] * sizeof(double));
        for (at[t[1]] = lo[t[1]]; at[t[1]] < lo[t[1]] + n[t[1]]; at[t[1]]++)
            for (at[t[0]] = lo[t[0]]; at[t[0]] < lo[t[0]] + n[t[0]]; at[t[0]]++)
                *next++ = p->walls[d][side] == DIRICHLET
                              ? mean_of(x->u, h, at, d)
                              : (side ? 1.0 : -1.0) * flux_mean(one, x->u, h, at, d);
    }
    EXPECT(hpgmg_set_wall(s, d, side, count, (const double *const *)values) == HPGMG_OK);
    for (int b = 0; b < count; b++)
        free(values[b]);
}

static double constant(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z;
    return *(double *)data;
}

static void polynomial_is_exact(struct polynomials x)
{
    const struct problem *p = x.problem;
    struct hpgmg *s = create(p, HPGMG_COMM_WORLD, "1e-13");
    for (int d = 0; d < 3 && has_coefficients(p); d++)
        set_polynomial(s, &x, d, false);
    if (has_coefficients(p) && x.alpha != 0.0)
        EXPECT(hpgmg_set_function(s, HPGMG_ALPHA, constant, &x.alpha) == HPGMG_OK);
    set_polynomial(s, &x, CENTRE_CELL, true);
    for (int wall = 0; wall < 6; wall++)
        set_polynomial_wall(s, &x, wall / 2, wall % 2);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    const double error = error_of(s, polynomial_exact, &x);
    if (!(error < 2e-11))
        printf("order %s, %s, %s: error %g of a polynomial\n", p->order, p->boundary,
               p->coefficients, error);
    EXPECT(error < 2e-11);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* Order 2: quadratic along each line. Order 4: quartic for constant β; for a linear one such that
 * products along walls and faces are quadratic. */
static void polynomials_are_exact(void)
{
    static const struct monomial quadratic[] = {
        {0.3, {0, 0, 0}},  {0.5, {1, 0, 0}},  {-0.7, {0, 1, 0}}, {0.4, {0, 0, 1}},
        {0.6, {2, 0, 0}},  {-0.2, {0, 2, 0}}, {0.8, {0, 0, 2}},  {0.9, {1, 1, 0}},
        {-0.5, {0, 1, 1}}, {0.25, {2, 1, 0}}, {0.35, {2, 0, 2}}, {0.0, {0, 0, 0}}};
    static const struct monomial quartic[] = {
        {0.3, {0, 0, 0}},  {0.5, {1, 0, 0}}, {-0.7, {0, 3, 0}}, {0.4, {0, 0, 4}}, {0.6, {4, 0, 0}},
        {-0.2, {0, 4, 1}}, {0.8, {3, 0, 2}}, {0.9, {1, 1, 1}},  {0.3, {2, 2, 0}}, {0.0, {0, 0, 0}}};
    static const struct monomial linear[] = {
        {2.0, {0, 0, 0}}, {0.3, {1, 0, 0}}, {-0.2, {0, 1, 0}}, {0.4, {0, 0, 1}}, {0.0, {0, 0, 0}}};
    static const struct {
        const char *boundary;
        int walls[3][2];
    } kinds[] = {
        {"dirichlet", {{0}}},
        {"neumann,dirichlet,neumann", {{NEUMANN, NEUMANN}, {0}, {NEUMANN, NEUMANN}}},
        {"dirichlet/neumann,neumann/dirichlet,neumann",
         {{DIRICHLET, NEUMANN}, {NEUMANN, DIRICHLET}, {NEUMANN, NEUMANN}}},
    };
    static const double stretches[2][3] = {{0}, {1.0, 0.5, 0.25}};
    for (size_t k = 0; k < 2 * sizeof kinds / sizeof kinds[0]; k++)
        for (int helmholtz = 0; helmholtz < 2; helmholtz++) {
            struct problem p = {{8, 16, 12}, 1.5,
                                {{0}},       kinds[k / 2].boundary,
                                "2",         helmholtz ? "helmholtz" : "poisson",
                                "constant",  {0}};
            memcpy(p.walls, kinds[k / 2].walls, sizeof p.walls);
            memcpy(p.stretch, stretches[k % 2], sizeof p.stretch);
            polynomial_is_exact((struct polynomials){&p, quadratic, one, helmholtz});
            p.order = "4";
            polynomial_is_exact((struct polynomials){&p, quartic, one, helmholtz});
            p.coefficients = "variable";
            polynomial_is_exact((struct polynomials){&p, quadratic, linear, 1.5 * helmholtz});
        }
}

/* --- waves ---------------------------------------------------------------------------------------
 */

/* u = cos(p·x + 0.4), β = 2 + ½ cos(q·x + 1), α = 1.5. */
struct wave {
    const struct problem *problem;
    double p[3], q[3], h[3];
    struct hpgmg *solver;
};

enum { WAVE_U, WAVE_F, WAVE_BETA, WAVE_WALL };

struct wave_part {
    const struct wave *wave;
    int what, d, side; /* d and side of a wall */
};

static double wave_value(double x, double y, double z, void *data)
{
    const struct wave_part *part = data;
    const struct wave *w = part->wave;
    const bool variable = has_coefficients(w->problem);
    const double p = w->p[0] * x + w->p[1] * y + w->p[2] * z + 0.4,
                 q = w->q[0] * x + w->q[1] * y + w->q[2] * z + 1.0;
    const double beta = variable ? 2.0 + 0.5 * cos(q) : 1.0;
    double pp = 0.0, pq = 0.0;
    for (int d = 0; d < 3; d++) {
        pp += w->p[d] * w->p[d];
        pq += w->p[d] * w->q[d];
    }
    if (part->what == WAVE_WALL && w->problem->walls[part->d][part->side] == NEUMANN)
        return (part->side ? -1.0 : 1.0) * sin(p) * w->p[part->d];
    if (part->what == WAVE_BETA)
        return beta;
    if (part->what != WAVE_F)
        return cos(p);
    const double alpha = strcmp(w->problem->equation, "helmholtz") ? 0.0 : variable ? 1.5 : 1.0;
    return (alpha + beta * pp) * cos(p) - (variable ? 0.5 * sin(p) * sin(q) * pq : 0.0);
}

static double sinc(double x)
{
    return x == 0.0 ? 1.0 : sin(x) / x;
}

/* The mean of u over the box of so many cells, from a corner on. */
static double wave_mean(const struct wave *w, const int lo[3], const int n[3])
{
    double phase = 0.4, product = 1.0;
    for (int d = 0; d < 3; d++) {
        phase += w->p[d] * w->h[d] * (lo[d] + 0.5 * n[d]);
        product *= sinc(0.5 * w->p[d] * w->h[d] * n[d]);
    }
    return cos(phase) * product;
}

static double wave_exact(const void *data, const int cell[3])
{
    static const int unit[3] = {1, 1, 1}, origin[3] = {0};
    const struct wave *w = data;
    return wave_mean(w, cell, unit) -
           (is_singular(w->problem) ? wave_mean(w, origin, w->problem->cells) : 0.0);
}

static void set_wave_wall(void *data, int d, int side)
{
    const struct wave *w = data;
    struct wave_part part = {w, WAVE_WALL, d, side};
    EXPECT(hpgmg_set_wall_function(w->solver, d, side, wave_value, &part) == HPGMG_OK);
}

static void set_wave(struct wave *w, enum hpgmg_field field, int what)
{
    struct wave_part part = {w, what, 0, 0};
    EXPECT(hpgmg_set_function(w->solver, field, wave_value, &part) == HPGMG_OK);
}

static void set_wave_coefficients(struct wave *w)
{
    double alpha = 1.5;
    for (int d = 0; d < 3; d++)
        set_wave(w, (enum hpgmg_field)(HPGMG_BETA_I + d), WAVE_BETA);
    if (strcmp(w->problem->equation, "helmholtz") == 0)
        EXPECT(hpgmg_set_function(w->solver, HPGMG_ALPHA, constant, &alpha) == HPGMG_OK);
}

/* A wave that fits the periodic directions, and a solver with its f, β and α. */
static struct wave wave_create(const struct problem *p, hpgmg_comm comm, const char *rtol)
{
    struct wave w = {.problem = p, .solver = create(p, comm, rtol)};
    cell_sides(p, w.h);
    for (int d = 0; d < 3; d++) {
        const double period = 2.0 * M_PI / (w.h[d] * p->cells[d]);
        const bool periodic = p->walls[d][0] == PERIODIC;
        w.p[d] = periodic ? period : (1.3 + 0.5 * d) / p->length;
        w.q[d] = periodic ? (d == 1 ? 0.0 : period) : (2.1 - 0.9 * d) / p->length;
    }
    if (has_coefficients(p))
        set_wave_coefficients(&w);
    set_wave(&w, HPGMG_F, WAVE_F);
    return w;
}

static double wave_error(const struct problem *p, const char *rtol)
{
    struct wave w = wave_create(p, HPGMG_COMM_WORLD, rtol);
    each_wall(p, set_wave_wall, &w);
    EXPECT(hpgmg_solve(w.solver, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    const double error = error_of(w.solver, wave_exact, &w);
    EXPECT(hpgmg_destroy(&w.solver) == HPGMG_OK);
    return error;
}

static const struct problem problems[] = {
    {{16, 16, 16}, 1.0, {{0}}, "dirichlet", "", "poisson", "variable", {0}},
    {{16, 16, 16}, 3.0, {{1, 1}, {1, 1}, {1, 1}}, "neumann", "", "poisson", "variable", {0}},
    {{16, 16, 16}, 0.5, {{1, 1}, {1, 1}, {1, 1}}, "neumann", "", "helmholtz", "constant", {0}},
    {{16, 32, 16},
     2.0,
     {{0, 1}, {1, 0}, {2, 2}},
     "dirichlet/neumann,neumann/dirichlet,periodic",
     "",
     "helmholtz",
     "variable",
     {0}},
    {{32, 16, 16},
     1.5,
     {{2, 2}, {0, 0}, {1, 1}},
     "periodic,dirichlet,neumann",
     "",
     "poisson",
     "variable",
     {0}},
    {{16, 16, 32},
     1.0,
     {{1, 0}, {0, 0}, {1, 1}},
     "neumann/dirichlet,dirichlet,neumann",
     "",
     "poisson",
     "constant",
     {0}},
    {{16, 16, 16},
     2.0,
     {{2, 2}, {2, 2}, {1, 1}},
     "periodic,periodic,neumann",
     "",
     "poisson",
     "variable",
     {0}},
    {{16, 16, 16}, 2.0, {{0}}, "dirichlet", "", "poisson", "variable", {1.0, 0.5, 0.25}},
    {{16, 16, 16},
     1.0,
     {{1, 1}, {1, 1}, {1, 1}},
     "neumann",
     "",
     "poisson",
     "constant",
     {0.25, 1.0, 0.5}},
    {{32, 16, 16},
     3.0,
     {{2, 2}, {0, 1}, {1, 1}},
     "periodic,dirichlet/neumann,neumann",
     "",
     "helmholtz",
     "variable",
     {0.5, 0.25, 1.0}},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0], OF_CUBES = PROBLEMS - 3 };

/* From 16 to 32 cells along the shortest side; the first two also to 64. */
static void orders_are_observed(void)
{
    static const char *const orders[] = {"2", "4"};
    for (int number = 0; number < PROBLEMS; number++)
        for (int o = 0; o < 2; o++) {
            struct problem p = problems[number];
            p.order = orders[o];
            double coarse = wave_error(&p, "1e-12");
            for (int grid = 1; grid < (number < 2 ? 3 : 2); grid++) {
                for (int d = 0; d < 3; d++)
                    p.cells[d] *= 2;
                const double fine = wave_error(&p, "1e-12"), observed = log2(coarse / fine);
                if (comm_rank() == 0)
                    printf("order %s, %s, %s, %s, %d cells: error %.2e, order %.2f\n", p.order,
                           p.equation, p.coefficients, p.boundary, p.cells[0], fine, observed);
                EXPECT(fabs(observed - atoi(p.order)) < 0.1 * atoi(p.order));
                coarse = fine;
            }
        }
}

/* One F-cycle reaches the order of the scheme, as it does between walls without values, and an
 * error near that of more cycles. From 16 to 32 cells along the shortest side. */
static void one_cycle_suffices(void)
{
    static const char *const orders[] = {"2", "4"};
    for (int number = 0; number < OF_CUBES; number++)
        for (int o = 0; o < 2; o++) {
            struct problem p = problems[number];
            double error[2][2]; /* by grid; after one cycle, and after all */
            p.order = orders[o];
            for (int grid = 0; grid < 2; grid++) {
                for (int d = 0; d < 3; d++)
                    p.cells[d] = problems[number].cells[d] << grid;
                error[grid][0] = wave_error(&p, "none");
                error[grid][1] = wave_error(&p, "1e-12");
            }
            const double observed = log2(error[0][0] / error[1][0]);
            if (comm_rank() == 0)
                printf("one F-cycle, order %s, %s, %s, %s, %d cells: error %.2e, %.2f of that "
                       "after more, order %.2f\n",
                       p.order, p.equation, p.coefficients, p.boundary, p.cells[0], error[1][0],
                       error[1][0] / error[1][1], observed);
            EXPECT(observed > 0.9 * atoi(p.order) && error[1][0] < 1.5 * error[1][1]);
        }
}

/* --- bits ----------------------------------------------------------------------------------------
 */

/* Whether two solvers have the same u in the boxes of the first one. */
static bool same_solution(struct hpgmg *a, struct hpgmg *b)
{
    const struct hpgmg_box *boxes;
    int count;
    size_t cells = 0;
    REQUIRE(hpgmg_boxes(a, &count, &boxes) == HPGMG_OK);
    for (int box = 0; box < count; box++)
        cells += (size_t)extent_cells(boxes[box].n);
    double *x = solution(a, count, boxes), *y = solution(b, count, boxes);
    const bool same = memcmp(x, y, cells * sizeof *x) == 0;
    free(x);
    free(y);
    return same;
}

static void set_zero_wall(void *data, int d, int side)
{
    double zero = 0.0;
    const struct wave *w = data;
    EXPECT(hpgmg_set_wall_function(w->solver, d, side, constant, &zero) == HPGMG_OK);
}

static void solve(struct wave *w)
{
    EXPECT(hpgmg_solve(w->solver, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
}

static void zeros_change_no_bit(const struct problem *p)
{
    struct wave plain = wave_create(p, HPGMG_COMM_WORLD, "1e-8"),
                zeros = wave_create(p, HPGMG_COMM_WORLD, "1e-8");
    each_wall(p, set_zero_wall, &zeros);
    solve(&plain);
    solve(&zeros);
    EXPECT(same_solution(plain.solver, zeros.solver));
    EXPECT(hpgmg_destroy(&zeros.solver) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&plain.solver) == HPGMG_OK);
}

/* A communicator of this rank. */
static hpgmg_comm self(void)
{
    hpgmg_comm own = MPI_COMM_NULL;
    for (int rank = 0; rank < comm_size(); rank++) {
        const hpgmg_comm part = comm_split(comm_rank() == rank);
        own = comm_rank() == rank ? part : own;
    }
    return own;
}

/* Solves of the same data on all ranks and on this one alone. */
static void ranks_agree(const struct problem *p)
{
    hpgmg_comm own = self();
    struct wave all = wave_create(p, HPGMG_COMM_WORLD, "1e-8"), alone = wave_create(p, own, "1e-8");
    each_wall(p, set_wave_wall, &all);
    each_wall(p, set_wave_wall, &alone);
    solve(&all);
    solve(&alone);
    EXPECT(same_solution(all.solver, alone.solver));
    EXPECT(hpgmg_destroy(&all.solver) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&alone.solver) == HPGMG_OK);
    comm_free(&own);
}

/* Walls, then β, then f replaced alone, against a new solver. */
static void data_is_replaced(const struct problem *p)
{
    struct wave used = wave_create(p, HPGMG_COMM_WORLD, "1e-8"),
                fresh = wave_create(p, HPGMG_COMM_WORLD, "1e-8");
    double two = 2.0;
    each_wall(p, set_wave_wall, &fresh);
    solve(&fresh);
    solve(&used);
    each_wall(p, set_wave_wall, &used);
    solve(&used);
    EXPECT(same_solution(used.solver, fresh.solver));
    struct wave plain = wave_create(p, HPGMG_COMM_WORLD, "1e-8");
    each_wall(p, set_zero_wall, &used);
    solve(&used);
    solve(&plain);
    EXPECT(same_solution(used.solver, plain.solver));
    EXPECT(hpgmg_destroy(&plain.solver) == HPGMG_OK);
    each_wall(p, set_wave_wall, &used);
    solve(&used);
    EXPECT(same_solution(used.solver, fresh.solver));
    EXPECT(hpgmg_set_function(used.solver, HPGMG_BETA_I, constant, &two) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&fresh.solver) == HPGMG_OK);
    fresh = wave_create(p, HPGMG_COMM_WORLD, "1e-8");
    EXPECT(hpgmg_set_function(fresh.solver, HPGMG_BETA_I, constant, &two) == HPGMG_OK);
    each_wall(p, set_wave_wall, &fresh);
    solve(&used);
    solve(&fresh);
    EXPECT(same_solution(used.solver, fresh.solver));
    EXPECT(hpgmg_set_function(used.solver, HPGMG_F, constant, &two) == HPGMG_OK);
    solve(&used);
    EXPECT(!same_solution(used.solver, fresh.solver));
    set_wave(&used, HPGMG_F, WAVE_F);
    solve(&used);
    EXPECT(same_solution(used.solver, fresh.solver));
    EXPECT(hpgmg_destroy(&used.solver) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&fresh.solver) == HPGMG_OK);
}

/* Where solutions differ by a constant, the mean that is subtracted is that of f and the fluxes. */
static void fluxes_count_for_the_mean(void)
{
    static const char *const options[] = {"boundary", "neumann", NULL};
    static const int cells[3] = {16, 32, 16};
    struct hpgmg *s = create_on(HPGMG_COMM_WORLD, cells, 3.0, options);
    double beta = 2.0, f = 0.5, fluxes[] = {0.25, -0.75};
    struct hpgmg_result r;
    for (int d = 0; d < 3; d++)
        EXPECT(hpgmg_set_function(s, (enum hpgmg_field)(HPGMG_BETA_I + d), constant, &beta) ==
               HPGMG_OK);
    EXPECT(hpgmg_set_function(s, HPGMG_F, constant, &f) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles == 0);
    for (int change = 0; change < 2; change++) {
        EXPECT(hpgmg_set_wall_function(s, 1, 1, constant, &fluxes[change]) == HPGMG_OK);
        EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles > 0);
        EXPECT(fabs(r.rhs_mean - (f + beta * fluxes[change] / 3.0)) < 1e-13);
    }
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    const size_t blocks = memory_live_blocks();
    polynomials_are_exact();
    if (comm_size() == 1)
        orders_are_observed();
    one_cycle_suffices();
    for (int number = 0; number < PROBLEMS; number++) {
        struct problem p = problems[number];
        p.order = number % 2 ? "4" : "2";
        zeros_change_no_bit(&p);
        ranks_agree(&p);
        if (has_coefficients(&p) && !is_singular(&p))
            data_is_replaced(&p);
    }
    fluxes_count_for_the_mean();
    EXPECT(memory_live_blocks() == blocks);
    return test_end();
}
