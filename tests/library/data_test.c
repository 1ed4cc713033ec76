/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of any distribution and strides arrives where it belongs; what is replaced is solved for as
 * if it had been there from the start; solvers do not disturb each other, and leave nothing behind.
 */
#include <math.h>
#include "support/library.h"

static const int CELLS[3] = {32, 16, 48};

/* A number for each cell or face, by its place. */
static double value_at(int field, int i, int j, int k)
{
    return 1.0 + field + 1e-3 * i + 1e-6 * j + 1e-9 * k;
}

/* Blocks that the test chose: `count` slabs across direction d, of which rank r has those whose
 * number is r modulo the ranks. Memory is wider than the block, reversed in k, and full of NaN. */
struct slabs {
    int count;
    struct hpgmg_block blocks[64];
    double *memory[64];
};

static void make_slabs(struct slabs *s, int d, int width, int centre)
{
    s->count = 0;
    for (int lo = 0, number = 0; lo < CELLS[d]; lo += width, number++) {
        if (number % comm_size() != comm_rank())
            continue;
        struct hpgmg_block *b = &s->blocks[s->count];
        int n[3];
        for (int e = 0; e < 3; e++) {
            b->box.lo[e] = e == d ? lo : 0;
            b->box.n[e] = e == d && lo + width > CELLS[e] ? CELLS[e] - lo
                          : e == d                        ? width
                                                          : CELLS[e];
            n[e] = b->box.n[e] + (e == centre);
        }
        const ptrdiff_t row = 2 * n[0] + 3, plane = row * (n[1] + 1), all = plane * n[2];
        double *memory = malloc((size_t)all * sizeof *memory);
        for (ptrdiff_t x = 0; x < all; x++)
            memory[x] = NAN;
        s->memory[s->count++] = memory;
        b->stride[0] = 2;
        b->stride[1] = row;
        b->stride[2] = -plane;
        b->data = memory + plane * (n[2] - 1);
    }
}

static void free_slabs(struct slabs *s)
{
    for (int b = 0; b < s->count; b++)
        free(s->memory[b]);
}

/* Calls visit for each value of the slabs. High faces count on the high wall only. */
static void each_value(const struct slabs *s, int field, int centre,
                       void (*visit)(double *at, double value, bool counts))
{
    for (int b = 0; b < s->count; b++) {
        const struct hpgmg_block *x = &s->blocks[b];
        int n[3] = {x->box.n[0], x->box.n[1], x->box.n[2]}, at[3];
        if (centre >= 0)
            n[centre]++;
        for (at[2] = 0; at[2] < n[2]; at[2]++)
            for (at[1] = 0; at[1] < n[1]; at[1]++)
                for (at[0] = 0; at[0] < n[0]; at[0]++) {
                    const int *lo = x->box.lo;
                    const bool counts = centre < 0 || at[centre] < x->box.n[centre] ||
                                        lo[centre] + at[centre] == CELLS[centre];
                    visit(x->data + at[0] * x->stride[0] + at[1] * x->stride[1] +
                              at[2] * x->stride[2],
                          value_at(field, lo[0] + at[0], lo[1] + at[1], lo[2] + at[2]), counts);
                }
    }
}

static void store(double *at, double value, bool counts)
{
    *at = counts ? value : NAN;
}

static void expect(double *at, double value, bool counts)
{
    EXPECT(counts ? *at == value : isnan(*at));
}

/* Boxes are as large as the direction with the least power of two allows, whichever it is. */
static void boxes_cover_the_domain(void)
{
    for (int d = 0; d < 3; d++) {
        int cells[3] = {16, 16, 32}, count;
        const struct hpgmg_box *boxes;
        double own = 0.0;
        cells[d] = 12;
        struct hpgmg *s = create_solver(cells, NULL);
        EXPECT(hpgmg_boxes(s, &count, &boxes) == HPGMG_OK);
        for (int b = 0; b < count; b++)
            own += extent_cells(boxes[b].n);
        comm_sum_f64(comm_world(), &own, 1);
        EXPECT(own == extent_cells(cells));
        EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    }
}

/* Out of slabs across one direction into slabs across another one. */
static void fields_arrive(void)
{
    static const char *const options[] = {"equation", "helmholtz", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    for (int field = HPGMG_U; field <= HPGMG_BETA_K; field++)
        for (int d = 0; d < 3; d++) {
            const int centre = field >= HPGMG_BETA_I ? field - HPGMG_BETA_I : CENTRE_CELL;
            struct slabs in, out;
            make_slabs(&in, d, 5, centre);
            make_slabs(&out, (d + 1) % 3, 7, centre);
            each_value(&in, field, centre, store);
            EXPECT(hpgmg_set(s, (enum hpgmg_field)field, in.count, in.blocks) == HPGMG_OK);
            EXPECT(hpgmg_get(s, (enum hpgmg_field)field, out.count, out.blocks) == HPGMG_OK);
            each_value(&out, field, centre, expect);
            free_slabs(&in);
            free_slabs(&out);
        }
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK && s == NULL);
}

/* Calls with the blocks of the call before take its plans, and calls with others do not: neither
 * where the blocks of one rank differ only, nor where their order, a size or the centring does. */
static void plans_are_kept(void)
{
    static const char *const options[] = {"equation", "helmholtz", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    struct slabs in, out, faces, other_faces;
    size_t blocks = 0;
    make_slabs(&in, 1, 3, CENTRE_CELL);
    make_slabs(&out, 1, 3, CENTRE_CELL);
    make_slabs(&faces, 1, 3, 1);
    make_slabs(&other_faces, 1, 3, 1);
    for (int call = 0; call < 3; call++) {
        for (int field = HPGMG_U; field <= HPGMG_F; field++) {
            each_value(&in, 10 * call + field, CENTRE_CELL, store);
            EXPECT(hpgmg_set(s, (enum hpgmg_field)field, in.count, in.blocks) == HPGMG_OK);
            EXPECT(hpgmg_get(s, (enum hpgmg_field)field, out.count, out.blocks) == HPGMG_OK);
            each_value(&out, 10 * call + field, CENTRE_CELL, expect);
        }
        EXPECT(call == 0 || memory_live_blocks() == blocks);
        blocks = memory_live_blocks();
    }
    each_value(&faces, HPGMG_BETA_J, 1, store);
    EXPECT(hpgmg_set(s, HPGMG_BETA_J, faces.count, faces.blocks) == HPGMG_OK);
    EXPECT(hpgmg_get(s, HPGMG_BETA_J, other_faces.count, other_faces.blocks) == HPGMG_OK);
    each_value(&other_faces, HPGMG_BETA_J, 1, expect);
    EXPECT(hpgmg_get(s, HPGMG_F, out.count, out.blocks) == HPGMG_OK);
    if (comm_rank() == 0) {
        const struct hpgmg_block first = out.blocks[0];
        out.blocks[0] = out.blocks[1];
        out.blocks[1] = first;
    }
    EXPECT(hpgmg_get(s, HPGMG_F, out.count, out.blocks) == HPGMG_OK);
    each_value(&out, 20 + HPGMG_F, CENTRE_CELL, expect);
    double *last = out.blocks[0].data + (--out.blocks[0].box.n[0]) * out.blocks[0].stride[0];
    *last = NAN;
    EXPECT(hpgmg_get(s, HPGMG_F, out.count, out.blocks) == HPGMG_OK && isnan(*last));
    EXPECT(hpgmg_get(s, HPGMG_F, comm_rank() == 0 ? 1 : out.count, out.blocks) == HPGMG_OK);
    EXPECT(hpgmg_set(s, HPGMG_F, comm_rank() == 0 ? 1 : out.count, out.blocks) == HPGMG_ARGUMENT);
    free_slabs(&in);
    free_slabs(&out);
    free_slabs(&faces);
    free_slabs(&other_faces);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* Parts of u, in boxes that overlap, on one rank only. */
static void parts_are_got(void)
{
    struct hpgmg *s = create_solver(CELLS, NULL);
    struct slabs in;
    double point[2] = {0.0}, plane[32 * 16];
    struct hpgmg_block parts[] = {{.box = {{31, 15, 47}, {1, 1, 1}}, .data = &point[0]},
                                  {.box = {{0, 0, 20}, {32, 16, 1}}, .data = plane},
                                  {.box = {{3, 4, 20}, {1, 1, 1}}, .data = &point[1]}};
    make_slabs(&in, 2, 10, CENTRE_CELL);
    each_value(&in, HPGMG_U, CENTRE_CELL, store);
    EXPECT(hpgmg_set(s, HPGMG_U, in.count, in.blocks) == HPGMG_OK);
    const bool mine = comm_rank() == comm_size() - 1;
    EXPECT(hpgmg_get(s, HPGMG_U, mine ? 3 : 0, mine ? parts : NULL) == HPGMG_OK);
    if (mine) {
        EXPECT(point[0] == value_at(HPGMG_U, 31, 15, 47) &&
               point[1] == value_at(HPGMG_U, 3, 4, 20));
        for (int j = 0; j < 16; j++)
            for (int i = 0; i < 32; i++)
                EXPECT(plane[i + 32 * j] == value_at(HPGMG_U, i, j, 20));
    }
    free_slabs(&in);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* A block of one cell or face in direction d needs no stride there, whatever the others are. */
static void thin_blocks_arrive(int d)
{
    struct hpgmg *s = create_solver(CELLS, NULL);
    struct hpgmg_block *thin = calloc((size_t)CELLS[d], sizeof *thin);
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    const long layer = (long)CELLS[e] * CELLS[f];
    double *values = malloc((size_t)(layer * CELLS[d]) * sizeof *values), point;
    struct hpgmg_block one = {.box.n = {1, 1, 1}, .data = &point};
    for (int x = 0; x < CELLS[d]; x++) {
        thin[x].data = values + x * layer;
        thin[x].box.lo[d] = x;
        thin[x].box.n[d] = 1;
        thin[x].box.n[e] = CELLS[e];
        thin[x].box.n[f] = CELLS[f];
        thin[x].stride[e] = CELLS[f]; /* packed, the other way round for two d */
        thin[x].stride[f] = 1;
    }
    for (long v = 0; v < layer * CELLS[d]; v++)
        values[v] = (double)v;
    EXPECT(hpgmg_set(s, HPGMG_F, comm_rank() == 0 ? CELLS[d] : 0, thin) == HPGMG_OK);
    for (int c = 0; c < 5; c++) {
        one.box.lo[d] = c * (CELLS[d] - 1) / 4;
        one.box.lo[e] = CELLS[e] - 1 - c;
        one.box.lo[f] = 2 * c;
        EXPECT(hpgmg_get(s, HPGMG_F, 1, &one) == HPGMG_OK);
        EXPECT(point == (double)(one.box.lo[d] * layer + one.box.lo[e] * CELLS[f] + one.box.lo[f]));
    }
    free(values);
    free(thin);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* --- functions -----------------------------------------------------------------------------------
 */

static double wavy(double x, double y, double z, void *data)
{
    return sin(3.0 * x + 1.0) * cos(2.0 * y) * (1.0 + z) * *(double *)data;
}

static double positive(double x, double y, double z, void *data)
{
    return 1.5 + 0.5 * sin(x + 2.0 * y + 3.0 * z) + *(double *)data;
}

static void set_function(struct hpgmg *s, enum hpgmg_field field, hpgmg_function *f, double factor)
{
    EXPECT(hpgmg_set_function(s, field, f, &factor) == HPGMG_OK);
}

static void set_beta(struct hpgmg *s, double shift)
{
    for (int d = 0; d < 3; d++)
        set_function(s, (enum hpgmg_field)(HPGMG_BETA_I + d), positive, shift);
}

/* This rank's part of u, and how many values it has. */
static double *solution(struct hpgmg *s, long *count)
{
    const struct hpgmg_box *boxes;
    int nboxes;
    EXPECT(hpgmg_boxes(s, &nboxes, &boxes) == HPGMG_OK);
    struct hpgmg_block *blocks = calloc((size_t)nboxes, sizeof *blocks);
    *count = 0;
    for (int b = 0; b < nboxes; b++)
        *count += (long)extent_cells(boxes[b].n);
    double *all = malloc((size_t)*count * sizeof *all), *next = all;
    for (int b = 0; b < nboxes; b++) {
        blocks[b] = (struct hpgmg_block){.box = boxes[b], .data = next};
        next += (long)extent_cells(boxes[b].n);
    }
    EXPECT(hpgmg_get(s, HPGMG_U, nboxes, blocks) == HPGMG_OK);
    free(blocks);
    return all;
}

/* max|a·x − y| of the solutions of two solvers, over this rank; 0 only if a·x equals y bitwise. */
static double difference(struct hpgmg *a, double factor, struct hpgmg *b)
{
    long count, other;
    double *x = solution(a, &count), *y = solution(b, &other), most = 0.0;
    EXPECT(count == other);
    for (long i = 0; i < count; i++)
        most = fmax(most, fabs(factor * x[i] - y[i]));
    free(x);
    free(y);
    return most;
}

static void solve(struct hpgmg *s)
{
    struct hpgmg_result r;
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    EXPECT(r.cycles > 0 && r.residual == r.history[r.cycles - 1]);
}

static const char *const configurations[][12] = {
    {"order", "2"},
    {"order", "4", "boundary", "periodic,neumann,dirichlet"},
    {"smoother", "chebyshev", "boundary", "periodic"},
    {"solver", "idr"},
    {"bottom", "smooth", "levels", "3"},
};
enum { CONFIGURATIONS = sizeof configurations / sizeof configurations[0] };

/* Solves with other data first. */
static void data_is_replaced(const char *const *options)
{
    struct hpgmg *used = create_solver(CELLS, options), *fresh = create_solver(CELLS, options);
    set_function(used, HPGMG_F, wavy, 2.0);
    set_beta(used, 0.0);
    solve(used);
    set_function(used, HPGMG_F, wavy, 3.0); /* f alone */
    set_function(fresh, HPGMG_F, wavy, 3.0);
    set_beta(fresh, 0.0);
    solve(used);
    solve(fresh);
    EXPECT(difference(used, 1.0, fresh) == 0.0);
    set_beta(used, 1.0); /* β alone */
    EXPECT(hpgmg_destroy(&fresh) == HPGMG_OK);
    fresh = create_solver(CELLS, options);
    set_function(fresh, HPGMG_F, wavy, 3.0);
    set_beta(fresh, 1.0);
    solve(used);
    solve(fresh);
    EXPECT(difference(used, 1.0, fresh) == 0.0);
    EXPECT(hpgmg_destroy(&used) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&fresh) == HPGMG_OK);
}

/* One coefficient after the other, the rest as it was. */
static void coefficients_are_replaced_one_by_one(void)
{
    static const char *const options[] = {"equation", "helmholtz", NULL};
    struct hpgmg *used = create_solver(CELLS, options);
    for (int field = HPGMG_F; field <= HPGMG_BETA_K; field++)
        set_function(used, (enum hpgmg_field)field, positive, 0.0);
    solve(used);
    for (int last = HPGMG_ALPHA; last <= HPGMG_BETA_K; last++) {
        struct hpgmg *fresh = create_solver(CELLS, options);
        set_function(used, (enum hpgmg_field)last, positive, 1.0);
        for (int field = HPGMG_F; field <= HPGMG_BETA_K; field++)
            set_function(fresh, (enum hpgmg_field)field, positive,
                         field >= HPGMG_ALPHA && field <= last ? 1.0 : 0.0);
        solve(used);
        solve(fresh);
        EXPECT(difference(used, 1.0, fresh) == 0.0);
        EXPECT(hpgmg_destroy(&fresh) == HPGMG_OK);
    }
    EXPECT(hpgmg_destroy(&used) == HPGMG_OK);
}

/* Without options a solver is one with these. */
static void defaults_are_documented(void)
{
    static const char *const options[] = {"rtol", "1e-8", "solver", "auto", NULL};
    struct hpgmg *s[2] = {create_solver(CELLS, NULL), create_solver(CELLS, options)};
    for (int x = 0; x < 2; x++) {
        set_beta(s[x], 0.0);
        set_function(s[x], HPGMG_F, wavy, 1.0);
        solve(s[x]);
    }
    EXPECT(difference(s[0], 1.0, s[1]) == 0.0);
    for (int x = 0; x < 2; x++)
        EXPECT(hpgmg_destroy(&s[x]) == HPGMG_OK);
}

/* From its own solution a solve has nothing to do, and a guess of a nearby problem saves cycles. */
static void guesses_help(const char *const *options)
{
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result cold, warm;
    double far = 3.0;
    set_beta(s, 0.0);
    set_function(s, HPGMG_F, wavy, 1.0);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &cold) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &warm) == HPGMG_OK);
    EXPECT(warm.cycles == 0 && warm.residual < 1e-8);
    EXPECT(cold.setup_seconds > 0.0 && warm.setup_seconds == 0.0);
    EXPECT(cold.seconds > 0.0 && warm.seconds > 0.0);
    set_function(s, HPGMG_F, wavy, 1.0001);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &cold) == HPGMG_OK);
    set_function(s, HPGMG_F, wavy, 1.0);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &warm) == HPGMG_OK);
    EXPECT(warm.cycles < cold.cycles);
    EXPECT(hpgmg_set_function(s, HPGMG_U, wavy, &far) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &warm) == HPGMG_OK);
    EXPECT(warm.residual < 1e-8 && warm.cycles > 1);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

static double constant(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z;
    return *(double *)data;
}

/* The same f in relative coordinates, whatever the longest side. */
static double sines(double x, double y, double z, void *data)
{
    const double scale = 2.0 * M_PI / *(double *)data;
    return sin(scale * x) * sin(scale * y) * sin(scale * z);
}

/* On a domain L times as long u is L² times as large: bit for bit if L is a power of 2, otherwise
 * to rounding. */
static void lengths_scale(void)
{
    static const char *const options[] = {
        "order", "4", "boundary", "neumann,dirichlet,periodic", "smoother", "chebyshev", NULL};
    static const double lengths[] = {1.0, 4.0, 0.3};
    struct hpgmg *s[3];
    for (int x = 0; x < 3; x++) {
        double sides[3], length = lengths[x];
        s[x] = create_on(HPGMG_COMM_WORLD, CELLS, length, options);
        EXPECT(hpgmg_cell_sizes(s[x], sides) == HPGMG_OK &&
               fabs(48 * sides[1] / length - 1.0) < 1e-14);
        for (int d = 0; d < 3; d++)
            set_function(s[x], (enum hpgmg_field)(HPGMG_BETA_I + d), constant, 2.0);
        set_function(s[x], HPGMG_F, sines, length);
        solve(s[x]);
    }
    EXPECT(difference(s[0], 16.0, s[1]) == 0.0);
    EXPECT(difference(s[0], 0.3 * 0.3, s[2]) < 1e-12);
    for (int x = 0; x < 3; x++)
        EXPECT(hpgmg_destroy(&s[x]) == HPGMG_OK);
}

/* αu is not scaled by lengths: with β = 0.5 and constant f and α, u = f/α. */
static void alpha_keeps_its_scale(void)
{
    static const char *const options[] = {"equation", "helmholtz", "boundary", "neumann", NULL};
    struct hpgmg *s = create_on(HPGMG_COMM_WORLD, CELLS, 7.0, options);
    long count;
    for (int d = 0; d < 3; d++)
        set_function(s, (enum hpgmg_field)(HPGMG_BETA_I + d), constant, 0.5);
    set_function(s, HPGMG_ALPHA, constant, 4.0);
    set_function(s, HPGMG_F, constant, 8.0);
    solve(s);
    double *u = solution(s, &count);
    for (long i = 0; i < count; i++)
        EXPECT(fabs(u[i] - 2.0) < 1e-6);
    free(u);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* Where solutions differ by a constant, f loses its mean and a constant f its all. */
static void means_are_subtracted(void)
{
    static const char *const options[] = {"boundary", "periodic", "coefficients", "constant", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result r;
    set_function(s, HPGMG_F, constant, 0.7);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    EXPECT(r.cycles == 0 && fabs(r.rhs_mean - 0.7) < 1e-14);
    set_function(s, HPGMG_F, wavy, 1.0);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &r) == HPGMG_OK && r.residual < 1e-8);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* f = 0 has the solution 0, by every method and from any guess. */
static void zero_is_solved(const char *const *options)
{
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result r;
    long count;
    set_beta(s, 0.0);
    set_function(s, HPGMG_U, wavy, 1.0);
    set_function(s, HPGMG_F, constant, 0.0);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &r) == HPGMG_OK && r.residual == 0.0);
    double *u = solution(s, &count);
    for (long i = 0; i < count; i++)
        EXPECT(u[i] == 0.0);
    free(u);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* Two at once, of different operators, on parts of the ranks and on all of them: as alone. */
static void solvers_do_not_meet(void)
{
    MPI_Comm half = comm_split(comm_rank() % 2 == 0);
    if (half == MPI_COMM_NULL)
        half = comm_split(true);
    else
        comm_split(false);
    struct hpgmg *all = create_on(HPGMG_COMM_WORLD, CELLS, 1.0, configurations[2]),
                 *own = create_on(half, CELLS, 2.0, configurations[1]);
    set_beta(all, 0.0);
    set_beta(own, 1.0);
    set_function(own, HPGMG_F, wavy, 1.0);
    set_function(all, HPGMG_F, wavy, 2.0);
    solve(own);
    solve(all);
    solve(own);
    struct hpgmg *alone = create_on(HPGMG_COMM_WORLD, CELLS, 1.0, configurations[2]);
    set_beta(alone, 0.0);
    set_function(alone, HPGMG_F, wavy, 2.0);
    solve(alone);
    EXPECT(difference(alone, 1.0, all) == 0.0);
    EXPECT(hpgmg_destroy(&all) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&alone) == HPGMG_OK);
    alone = create_on(half, CELLS, 2.0, configurations[1]);
    set_beta(alone, 1.0);
    set_function(alone, HPGMG_F, wavy, 1.0);
    solve(alone);
    EXPECT(difference(alone, 1.0, own) == 0.0);
    EXPECT(hpgmg_destroy(&own) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&alone) == HPGMG_OK);
    comm_free(&half);
}

/* Memory after many lives is as before. Ranks that share cores make new communicators slowly. */
static void nothing_is_left(void)
{
    const int lives = comm_size() == 1 ? 1000 : 20;
    const int cells[3] = {8, 8, 8};
    const size_t blocks = memory_live_blocks(), bytes = memory_live_bytes();
    for (int life = 0; life < lives; life++) {
        struct hpgmg *s = create_solver(cells, configurations[life % 2]);
        if (life % 10 == 0) {
            set_beta(s, 0.0);
            set_function(s, HPGMG_F, wavy, 1.0);
            solve(s);
        }
        EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    }
    EXPECT(memory_live_blocks() == blocks && memory_live_bytes() == bytes);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    boxes_cover_the_domain();
    fields_arrive();
    plans_are_kept();
    parts_are_got();
    for (int d = 0; d < 3; d++)
        thin_blocks_arrive(d);
    coefficients_are_replaced_one_by_one();
    for (int c = 0; c < CONFIGURATIONS; c++) {
        data_is_replaced(configurations[c]);
        guesses_help(configurations[c]);
        zero_is_solved(configurations[c]);
    }
    defaults_are_documented();
    lengths_scale();
    alpha_keeps_its_scale();
    means_are_subtracted();
    solvers_do_not_meet();
    nothing_is_left();
    return test_end();
}
