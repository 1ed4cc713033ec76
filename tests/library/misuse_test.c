/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing that a caller does wrong ends the program: a status and a line of text say what it was,
 * on all ranks alike, and the solver is as good as before. */
#include <limits.h>
#include <math.h>
#include "support/library.h"

static const int CELLS[3] = {16, 16, 16};
static const double LENGTHS[3] = {1.0, 1.0, 1.0};

/* The call failed so, with this in its message, which is one line. */
#define REFUSED(call, status, text)                                                                \
    do {                                                                                           \
        EXPECT((call) == (status));                                                                \
        EXPECT(strstr(hpgmg_message(), text) && !strchr(hpgmg_message(), '\n'));                   \
    } while (0)

static void refuse_create(const int *cells, const double *lengths, const char *const *options,
                          enum hpgmg_status status, const char *text)
{
    struct hpgmg *s = (struct hpgmg *)&failures; /* not NULL */
    REFUSED(hpgmg_create(&s, HPGMG_COMM_WORLD, cells, lengths, options), status, text);
    EXPECT(!s);
}

static void options_are_checked(void)
{
    static const struct {
        const char *words[8], *text;
    } cases[] = {
        {{"ordre", "4"}, "unknown key 'ordre'"},
        {{"order", "3"}, "legal: 2, 4"},
        {{"order"}, "missing value"},
        {{"order", ""}, "missing value"},
        {{"order", "2", "order", "4"}, "given twice"},
        {{"order", "2\n4"}, "legal: 2, 4"},
        {{""}, "unknown key"},
        {{"boundary", "periodic/neumann,dirichlet,dirichlet"}, "periodic on one side"},
        {{"boundary", "periodic,periodic"}, "legal:"},
        {{"rtol", "-1"}, "legal:"},
        {{"rtol", "nan"}, "legal:"},
        {{"max-cycles", "0"}, "legal:"},
        {{"rtol", "none", "max-cycles", "5"}, "needs --rtol"},
        {{"weight", "0.5", "smoother", "chebyshev"}, "chebyshev"},
        {{"sweeps", "3"}, "legal:"},
        {{"json", "file"}, "unknown key"},
        {{"problem", "p4"}, "unknown key"},
        {{"domain", "exact"}, "unknown key"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        refuse_create(CELLS, LENGTHS, cases[c].words, HPGMG_ARGUMENT, cases[c].text);
    struct hpgmg *s;
    const enum hpgmg_status on_gpu = hpgmg_create(&s, HPGMG_COMM_WORLD, CELLS, LENGTHS,
                                                  (const char *[]){"backend", "gpu", NULL});
    if (on_gpu == HPGMG_OK) /* this machine has one */
        EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    else
        EXPECT(on_gpu == HPGMG_ENVIRONMENT && strstr(hpgmg_message(), "--backend gpu"));
    if (comm_size() > 1)
        refuse_create(CELLS, LENGTHS, (const char *[]){"backend", "cpu", "transport", "peer", NULL},
                      HPGMG_ENVIRONMENT, "--transport peer");
}

static void sizes_are_checked(void)
{
    static const struct {
        int cells[3];
        double lengths[3];
        const char *text;
        enum hpgmg_status status;
    } cases[] = {
        {{0, 16, 16}, {1, 1, 1}, "cells[0] is 0", HPGMG_ARGUMENT},
        {{16, -16, 16}, {1, 1, 1}, "cells[1] is -16", HPGMG_ARGUMENT},
        {{16, 16, 2}, {1, 1, 1}, "cells[2] is 2", HPGMG_ARGUMENT},
        {{INT_MAX, 16, 16}, {1, 1, 1}, "legal: 4 to 1048576", HPGMG_ARGUMENT},
        {{INT_MIN, 16, 16}, {1, 1, 1}, "legal: 4 to 1048576", HPGMG_ARGUMENT},
        {{16, 16, 50}, {1, 1, 1}, "48 and 52", HPGMG_ARGUMENT},
        {{16, 16, 16}, {1, 0, 1}, "lengths[1] is 0", HPGMG_ARGUMENT},
        {{16, 16, 16}, {1, -1, 1}, "lengths[1] is -1", HPGMG_ARGUMENT},
        {{16, 16, 16}, {1, 1, NAN}, "must be positive and finite", HPGMG_ARGUMENT},
        {{16, 16, 16}, {1, 1, INFINITY}, "must be positive and finite", HPGMG_ARGUMENT},
        {{16, 16, 16}, {1, 1, 2e6}, "more than 1e+06 times", HPGMG_ARGUMENT},
        {{16, 16, 16}, {1e-200, 1, 1e200}, "more than 1e+06 times", HPGMG_ARGUMENT},
        {{1 << 20, 1 << 20, 1 << 20}, {1, 1, 1}, "bytes", HPGMG_MEMORY},
        {{1 << 15, 1 << 15, 1 << 15}, {1, 1, 1}, "bytes", HPGMG_MEMORY},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        refuse_create(cases[c].cells, cases[c].lengths, (const char *[]){"backend", "cpu", NULL},
                      cases[c].status, cases[c].text);
    const int few[3] = {4, 4, 4};
    if (comm_size() > 1)
        refuse_create(few, LENGTHS, NULL, HPGMG_ARGUMENT, "fewer than");
    refuse_create(NULL, LENGTHS, NULL, HPGMG_ARGUMENT, "cells is NULL");
    refuse_create(CELLS, NULL, NULL, HPGMG_ARGUMENT, "lengths is NULL");
    REFUSED(hpgmg_create(NULL, HPGMG_COMM_WORLD, CELLS, LENGTHS, NULL), HPGMG_ARGUMENT, "NULL");
    struct hpgmg *s;
    REFUSED(hpgmg_create(&s, MPI_COMM_NULL, CELLS, LENGTHS, NULL), HPGMG_ARGUMENT, "communicator");
}

/* Ranks with different arguments. */
static void ranks_are_compared(void)
{
    const bool last = comm_rank() == comm_size() - 1;
    const int cells[3] = {16, 16, last ? 32 : 16};
    const double lengths[3] = {1.0, 1.0, last ? 2.0 : 1.0}, wide[3] = {last ? 2.0 : 1.0, 2.0, 2.0};
    const double longer[3] = {1.0, 1.0, last ? nextafter(1.0, 2.0) : 1.0};
    const char *const order[] = {"order", last ? "4" : "2", NULL};
    const char *const wrong[] = {"order", last ? "5" : "2", NULL};
    if (comm_size() == 1)
        return;
    refuse_create(cells, lengths, NULL, HPGMG_MISMATCH, "cells[2]");
    refuse_create(CELLS, wide, NULL, HPGMG_MISMATCH, "lengths[0]");
    refuse_create(CELLS, (const double[3]){wide[0], wide[0], wide[0]}, NULL, HPGMG_MISMATCH,
                  "lengths[0]");
    refuse_create(CELLS, longer, NULL, HPGMG_MISMATCH, "lengths[2]");
    refuse_create(CELLS, LENGTHS, order, HPGMG_MISMATCH, "--order");
    refuse_create(CELLS, LENGTHS, wrong, HPGMG_ARGUMENT, "rank 1");
    refuse_create(last ? NULL : CELLS, LENGTHS, NULL, HPGMG_ARGUMENT, "rank 1");
}

static double *ones(long count)
{
    double *all = malloc((size_t)count * sizeof *all);
    for (long i = 0; i < count; i++)
        all[i] = 1.0;
    return all;
}

enum { VALUES = 17 * 17 * 17 };

/* The whole domain on rank 0. */
static enum hpgmg_status set_all(struct hpgmg *s, enum hpgmg_field field, double *data)
{
    const struct hpgmg_block all = {.box = {{0, 0, 0}, {16, 16, 16}}, .data = data};
    return hpgmg_set(s, field, comm_rank() == 0, &all);
}

static void refuse_block(struct hpgmg *s, struct hpgmg_block block, const char *text)
{
    REFUSED(hpgmg_set(s, HPGMG_F, comm_rank() == 0, &block), HPGMG_ARGUMENT, text);
}

static void blocks_are_checked(struct hpgmg *s)
{
    double *data = ones(VALUES);
    const struct hpgmg_box all = {{0, 0, 0}, {16, 16, 16}};
    refuse_block(s, (struct hpgmg_block){.box = all}, "data is NULL");
    refuse_block(s, (struct hpgmg_block){.box = {{0, 0, 0}, {16, 16, 15}}, .data = data},
                 "3840 cells");
    refuse_block(s, (struct hpgmg_block){.box = {{0, 0, 1}, {16, 16, 16}}, .data = data},
                 "direction 2");
    refuse_block(s, (struct hpgmg_block){.box = {{-1, 0, 0}, {16, 16, 16}}, .data = data},
                 "direction 0");
    refuse_block(s, (struct hpgmg_block){.box = {{0, INT_MAX, 0}, {16, 16, 16}}, .data = data},
                 "direction 1");
    refuse_block(s, (struct hpgmg_block){.box = {{0, 0, 0}, {16, INT_MIN, 16}}, .data = data},
                 "direction 1");
    refuse_block(s, (struct hpgmg_block){.box = {{0, 0, 0}, {16, 0, 16}}, .data = data},
                 "direction 1");
    refuse_block(s, (struct hpgmg_block){.box = all, .data = data, .stride = {1, 0, 256}},
                 "stride[1] is 0");
    for (int d = 0; d < 3; d++) { /* two cells need a stride already */
        struct hpgmg_block two = {.box = all, .data = data, .stride = {1, 16, 256}};
        char text[] = "stride[0] is 0";
        text[7] = (char)(text[7] + d);
        two.box.n[d] = 2;
        two.stride[d] = 0;
        refuse_block(s, two, text);
    }
    const struct hpgmg_block twice[] = {{.box = {{0, 0, 0}, {16, 16, 8}}, .data = data},
                                        {.box = {{0, 0, 4}, {16, 16, 8}}, .data = data}};
    REFUSED(hpgmg_set(s, HPGMG_F, comm_rank() == 0 ? 2 : 0, twice), HPGMG_ARGUMENT, "overlaps");
    /* The second rank's two, if there is one, and all after one that is right. */
    const struct hpgmg_block shared[] = {{.box = {{0, 0, 0}, {16, 16, 4}}, .data = data},
                                         {.box = {{0, 0, 4}, {16, 16, 4}}, .data = data},
                                         {.box = {{0, 0, 8}, {16, 16, 4}}, .data = data},
                                         {.box = {{0, 0, 8}, {16, 16, 4}}, .data = data}};
    const bool second = comm_rank() == 1;
    REFUSED(hpgmg_set(s, HPGMG_F, comm_size() == 1 ? 4 : 2, second ? shared + 2 : shared),
            HPGMG_ARGUMENT, comm_size() == 1 ? "of rank 0 overlaps" : "of rank 1 overlaps");
    struct hpgmg_block empty[] = {twice[0], twice[1]};
    empty[1].data = NULL;
    REFUSED(hpgmg_set(s, HPGMG_F, 2, empty), HPGMG_ARGUMENT, "block 1: data is NULL");
    REFUSED(hpgmg_set(s, HPGMG_F, 0, NULL), HPGMG_ARGUMENT, "0 cells");
    REFUSED(hpgmg_set(s, HPGMG_F, 1, NULL), HPGMG_ARGUMENT, "blocks is NULL");
    REFUSED(hpgmg_set(s, HPGMG_F, -1, twice), HPGMG_ARGUMENT, "is -1");
    REFUSED(set_all(s, (enum hpgmg_field)77, data), HPGMG_ARGUMENT, "no field 77");
    REFUSED(set_all(s, (enum hpgmg_field) - 1, data), HPGMG_ARGUMENT, "no field -1");
    REFUSED(set_all(s, HPGMG_ALPHA, data), HPGMG_ARGUMENT, "has no alpha");
    REFUSED(hpgmg_set_function(s, HPGMG_F, NULL, NULL), HPGMG_ARGUMENT, "function is NULL");
    REFUSED(hpgmg_get(s, HPGMG_U, 0, NULL), HPGMG_ORDER, "u was neither");
    REFUSED(hpgmg_get(s, HPGMG_F, 0, NULL), HPGMG_ORDER, "f was neither");
    free(data);
}

static void values_are_checked(struct hpgmg *s)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY, -1e-300};
    static const long places[] = {0, 5 + 17 * (7 + 16 * 9), 17 * 16 * 16 - 1};
    double *data = ones(VALUES);
    for (int w = 0; w < 4; w++)
        for (int p = 0; p < 3; p++) {
            const double before = data[places[p]];
            data[places[p]] = wrong[w];
            REFUSED(set_all(s, HPGMG_BETA_I, data), HPGMG_ARGUMENT,
                    w < 3 ? "not finite" : "negative");
            data[places[p]] = before;
        }
    data[100] = NAN;
    REFUSED(set_all(s, HPGMG_F, data), HPGMG_ARGUMENT, "f has a value that is not finite");
    REFUSED(set_all(s, HPGMG_U, data), HPGMG_ARGUMENT, "u has a value that is not finite");
    data[100] = -5.0;
    EXPECT(set_all(s, HPGMG_F, data) == HPGMG_OK);
    free(data);
}

/* Values are missing one by one. */
static void order_is_checked(struct hpgmg *s)
{
    double *data = ones(VALUES);
    static const struct {
        enum hpgmg_field field;
        const char *missing;
    } steps[] = {{HPGMG_F, "f must"},
                 {HPGMG_BETA_I, "beta i must"},
                 {HPGMG_BETA_J, "beta j must"},
                 {HPGMG_BETA_K, "beta k must"}};
    for (int x = 0; x < 4; x++) {
        REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_ORDER, steps[x].missing);
        EXPECT(set_all(s, steps[x].field, data) == HPGMG_OK);
    }
    REFUSED(hpgmg_solve(s, HPGMG_FROM_GUESS, NULL), HPGMG_ORDER, "u must be set");
    REFUSED(hpgmg_solve(s, (enum hpgmg_start)9, NULL), HPGMG_ARGUMENT, "no start 9");
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    /* a field that was refused counts as not set, whatever was there before */
    data[0] = NAN;
    REFUSED(set_all(s, HPGMG_F, data), HPGMG_ARGUMENT, "not finite");
    REFUSED(hpgmg_solve(s, HPGMG_FROM_GUESS, NULL), HPGMG_ORDER, "f must");
    data[0] = 1.0;
    EXPECT(set_all(s, HPGMG_F, data) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, NULL) == HPGMG_OK);
    free(data);
}

/* A β of zero around a cell leaves an equation without its unknown. */
static void diagonal_is_checked(struct hpgmg *s)
{
    double *data = calloc(VALUES, sizeof *data), *good = ones(VALUES);
    for (int field = HPGMG_BETA_I; field <= HPGMG_BETA_K; field++)
        EXPECT(set_all(s, (enum hpgmg_field)field, data) == HPGMG_OK);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_ARGUMENT, "beta is 0");
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_ARGUMENT, "beta is 0");
    for (int field = HPGMG_BETA_I; field <= HPGMG_BETA_K; field++)
        EXPECT(set_all(s, (enum hpgmg_field)field, good) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    free(data);
    free(good);
}

static double nowhere(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)data;
    return z > 0.5 ? NAN : 1.0;
}

static double everywhere(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z, (void)data;
    return 1.0;
}

/* Walls that do not exist, and values that no wall can have; and ranks with different walls. */
static void walls_are_checked(void)
{
    static const char *const options[] = {"boundary", "dirichlet,neumann,periodic", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    const struct hpgmg_box *boxes;
    const double *values[64] = {NULL};
    double *wrong = ones(VALUES);
    int count;
    REQUIRE(hpgmg_boxes(s, &count, &boxes) == HPGMG_OK && count <= 64);
    REFUSED(hpgmg_set_wall(s, 3, 0, count, values), HPGMG_ARGUMENT, "no direction 3");
    REFUSED(hpgmg_set_wall(s, -1, 0, count, values), HPGMG_ARGUMENT, "no direction -1");
    REFUSED(hpgmg_set_wall(s, 0, 2, count, values), HPGMG_ARGUMENT, "no side 2");
    REFUSED(hpgmg_set_wall(s, 0, -1, count, values), HPGMG_ARGUMENT, "no side -1");
    REFUSED(hpgmg_set_wall(s, 2, 1, count, values), HPGMG_ARGUMENT, "direction 2 is periodic");
    REFUSED(hpgmg_set_wall(s, 1, 0, count + 1, values), HPGMG_ARGUMENT, "boxes");
    REFUSED(hpgmg_set_wall(s, 1, 0, count, NULL), HPGMG_ARGUMENT, "values is NULL");
    REFUSED(hpgmg_set_wall(s, 1, 0, count, values), HPGMG_ARGUMENT, "values is NULL");
    for (int b = 0; b < count; b++)
        values[b] = wrong;
    wrong[15] = INFINITY;
    REFUSED(hpgmg_set_wall(s, 1, 0, count, values), HPGMG_ARGUMENT, "not finite");
    wrong[15] = 1.0;
    EXPECT(hpgmg_set_wall(s, 1, 0, count, values) == HPGMG_OK);
    REFUSED(hpgmg_set_wall_function(s, 0, 1, NULL, NULL), HPGMG_ARGUMENT, "function is NULL");
    REFUSED(hpgmg_set_wall_function(s, 2, 0, everywhere, NULL), HPGMG_ARGUMENT, "periodic");
    REFUSED(hpgmg_set_wall_function(s, 0, 1, nowhere, NULL), HPGMG_ARGUMENT, "not finite");
    if (comm_size() > 1)
        REFUSED(hpgmg_set_wall_function(s, 0, comm_rank() == 0, everywhere, NULL), HPGMG_MISMATCH,
                "different");
    free(wrong);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

static void tolerance_is_missed(void)
{
    static const char *const options[] = {"rtol", "1e-15", "max-cycles", "3", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result r;
    double *data = ones(VALUES);
    EXPECT(set_all(s, HPGMG_F, data) == HPGMG_OK);
    for (int field = HPGMG_BETA_I; field <= HPGMG_BETA_K; field++)
        EXPECT(set_all(s, (enum hpgmg_field)field, data) == HPGMG_OK);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_NOT_CONVERGED, "max-cycles reached");
    EXPECT(r.cycles == 4 && r.history[3] == r.residual && r.residual < r.history[0]);
    free(data);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* A solution that is not finite is none. */
static void overflow_is_noticed(void)
{
    static const char *const options[] = {"coefficients", "constant", NULL};
    struct hpgmg *s = create_on(HPGMG_COMM_WORLD, CELLS, 1e12, options);
    double *data = ones(VALUES);
    EXPECT(set_all(s, HPGMG_U, data) == HPGMG_OK);
    for (long i = 0; i < VALUES; i++)
        data[i] = 1e300;
    EXPECT(set_all(s, HPGMG_F, data) == HPGMG_OK);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_NOT_CONVERGED, "residual not finite");
    REFUSED(hpgmg_get(s, HPGMG_U, 0, NULL), HPGMG_ORDER, "u was neither set nor solved for");
    REFUSED(hpgmg_solve(s, HPGMG_FROM_GUESS, NULL), HPGMG_ORDER, "u must be set");
    free(data);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* Ranks that do different things. */
static void calls_are_compared(struct hpgmg *s)
{
    const bool last = comm_rank() == comm_size() - 1;
    double *data = ones(VALUES);
    if (comm_size() == 1) {
        free(data);
        return;
    }
    REFUSED(last ? hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) : set_all(s, HPGMG_F, data),
            HPGMG_MISMATCH, "different functions");
    REFUSED(set_all(s, last ? HPGMG_F : HPGMG_U, data), HPGMG_MISMATCH, "different fields");
    struct hpgmg *copy = s;
    REFUSED(last ? hpgmg_destroy(&copy) : hpgmg_get(s, HPGMG_U, 0, NULL), HPGMG_MISMATCH,
            "different functions");
    EXPECT(copy == s);
    free(data);
}

static void dead_solvers_are_known(void)
{
    struct hpgmg *s = create_solver(CELLS, NULL), *copy = s, *never = (struct hpgmg *)&failures;
    int count;
    const struct hpgmg_box *boxes;
    double sizes[3];
    REFUSED(hpgmg_boxes(s, NULL, &boxes), HPGMG_ARGUMENT, "count is NULL");
    REFUSED(hpgmg_boxes(s, &count, NULL), HPGMG_ARGUMENT, "boxes is NULL");
    REFUSED(hpgmg_cell_sizes(s, NULL), HPGMG_ARGUMENT, "sizes is NULL");
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK && !s);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    REFUSED(hpgmg_destroy(NULL), HPGMG_ARGUMENT, "NULL");
    REFUSED(hpgmg_destroy(&copy), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_destroy(&never), HPGMG_ARGUMENT, "never created");
    REFUSED(hpgmg_boxes(copy, &count, &boxes), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_cell_sizes(copy, sizes), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_set(copy, HPGMG_F, 0, NULL), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_set_function(copy, HPGMG_F, NULL, NULL), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_set_wall(copy, 0, 0, 0, NULL), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_set_wall_function(copy, 0, 0, NULL, NULL), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_get(copy, HPGMG_F, 0, NULL), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_solve(copy, HPGMG_FROM_ZERO, NULL), HPGMG_ARGUMENT, "destroyed");
    REFUSED(hpgmg_solve(NULL, HPGMG_FROM_ZERO, NULL), HPGMG_ARGUMENT, "NULL");
}

int main(int argc, char **argv)
{
    struct hpgmg *s;
    const bool needs_mpi = !comm_is_running(); /* builds without MPI do not */
    if (needs_mpi)
        REFUSED(hpgmg_create(&s, HPGMG_COMM_WORLD, CELLS, LENGTHS, NULL), HPGMG_ORDER,
                "not running");
    EXPECT(needs_mpi || hpgmg_message()[0] == '\0');
    test_begin(argc, argv);
    const size_t blocks = memory_live_blocks();
    options_are_checked();
    sizes_are_checked();
    ranks_are_compared();
    EXPECT(memory_live_blocks() == blocks);
    s = create_solver(CELLS, NULL);
    blocks_are_checked(s);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    s = create_solver(CELLS, NULL);
    order_is_checked(s);
    values_are_checked(s);
    diagonal_is_checked(s);
    calls_are_compared(s);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    walls_are_checked();
    tolerance_is_missed();
    overflow_is_noticed();
    dead_solvers_are_known();
    EXPECT(memory_live_blocks() == blocks);
    s = create_solver(CELLS, NULL);
    comm_finish();
    if (needs_mpi) {
        REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_ORDER, "MPI was finalised");
        REFUSED(hpgmg_create(&s, HPGMG_COMM_WORLD, CELLS, LENGTHS, NULL), HPGMG_ORDER,
                "not running");
    }
    return failures > 0;
}
