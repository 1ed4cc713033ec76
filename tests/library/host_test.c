/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program may do around the library: functions that call it or never return to it, a locale
 * with a decimal comma, too many threads, and processes forked between solves. */
#include <locale.h>
#include <math.h>
#include <omp.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/check.h"
#include "support/library.h"

enum { N = 16, CELLS = N * N * N, SECONDS = 20 };
static const int cells[3] = {N, N, N};
static const double lengths[3] = {1.0, 1.0, 1.0};
static const char *const options[] = {"coefficients", "constant", NULL};
static const struct hpgmg_block corner = {.box = {{0, 0, 0}, {1, 1, 1}}};

static double f(double x, double y, double z, void *data)
{
    (void)data;
    return 1.0 + x * y - sin(z);
}

/* u after a solve with this f. */
static void solve(struct hpgmg *s, double *u)
{
    const struct hpgmg_block all = {.box = {{0, 0, 0}, {N, N, N}}, .data = u};
    REQUIRE(hpgmg_set_function(s, HPGMG_F, f, NULL) == HPGMG_OK);
    REQUIRE(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    REQUIRE(hpgmg_get(s, HPGMG_U, 1, &all) == HPGMG_OK);
}

/* --- functions -----------------------------------------------------------------------------------
 */

static jmp_buf back;
static int calls;

static double jumps(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z;
    if (++calls == *(int *)data)
        longjmp(back, 1);
    return 1.0;
}

/* The call that was left has set nothing. */
static void jump_out_of(struct hpgmg *s, bool wall)
{
    int last = 5;
    calls = 0;
    if (setjmp(back) == 0) {
        if (wall)
            hpgmg_set_wall_function(s, 1, 1, jumps, &last);
        else
            hpgmg_set_function(s, HPGMG_F, jumps, &last);
        EXPECT(!"back from a function that jumped");
    }
    EXPECT(calls == 5 && comm_world() == MPI_COMM_WORLD);
}

static void functions_may_jump(struct hpgmg *s, const double *expected)
{
    static double u[CELLS];
    const struct hpgmg_block all = {.box = {{0, 0, 0}, {N, N, N}}, .data = u};
    jump_out_of(s, false);
    jump_out_of(s, true);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) == HPGMG_OK); /* f is as it was */
    EXPECT(hpgmg_get(s, HPGMG_U, 1, &all) == HPGMG_OK);
    EXPECT(memcmp(u, expected, sizeof u) == 0);
    solve(s, u);
    EXPECT(memcmp(u, expected, sizeof u) == 0);
}

/* The middle of the cell at x, y, z of another solver. */
static double asks(double x, double y, double z, void *data)
{
    double value = NAN, sides[3] = {NAN, NAN, NAN};
    struct hpgmg_block one = corner;
    EXPECT(hpgmg_cell_sizes(data, sides) == HPGMG_OK && sides[2] == 1.0 / N);
    one.box.lo[0] = (int)(x / sides[0]);
    one.box.lo[1] = (int)(y / sides[1]);
    one.box.lo[2] = (int)(z / sides[2]);
    one.data = &value;
    EXPECT(hpgmg_get(data, HPGMG_U, 1, &one) == HPGMG_OK);
    return value;
}

static void functions_may_call(struct hpgmg *s, const double *expected)
{
    static double values[CELLS];
    const struct hpgmg_block all = {.box = {{0, 0, 0}, {N, N, N}}, .data = values};
    EXPECT(hpgmg_set_function(s, HPGMG_F, asks, s) == HPGMG_OK);
    EXPECT(hpgmg_get(s, HPGMG_F, 1, &all) == HPGMG_OK);
    EXPECT(memcmp(values, expected, sizeof values) == 0);
}

static double destroys(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z;
    EXPECT(hpgmg_destroy(data) == HPGMG_OK); /* the second time it is NULL already */
    return 1.0;
}

static void functions_may_destroy(void)
{
    for (int call = 0; call < 2; call++) {
        struct hpgmg *s = create_solver(cells, options), *copy = s;
        EXPECT((call == 0 ? hpgmg_set_function(s, HPGMG_F, destroys, &copy)
                          : hpgmg_set_wall_function(s, 0, 0, destroys, &copy)) == HPGMG_ARGUMENT);
        EXPECT(strstr(hpgmg_message(), "destroyed") && !copy);
    }
    EXPECT(comm_world() == MPI_COMM_WORLD);
}

/* --- a decimal comma -----------------------------------------------------------------------------
 */

/* LC_NUMERIC of de_DE.UTF-8 as glibc's localedef writes it, so that no locale need be installed. */
static const unsigned char comma[] = {
    0x14, 0x11, 0x03, 0x20, 6, 0,    0,   0, 0x20, 0,    0,   0,   0x22, 0,   0,   0,   0x24, 0, 0,
    0,    0x28, 0,    0,    0, 0x2c, 0,   0, 0,    0x30, 0,   0,   0,    ',', 0,   '.', 0,    3, 3,
    0,    0,    ',',  0,    0, 0,    '.', 0, 0,    0,    'U', 'T', 'F',  '-', '8', 0,   0,    0};

static void choose_comma(void)
{
    char folder[] = "/tmp/host_test.XXXXXX", path[64];
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/comma", folder);
    REQUIRE(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(comma, sizeof comma, 1, file) == 1 && fclose(file) == 0);
    setenv("LOCPATH", folder, 1);
    REQUIRE(setlocale(LC_NUMERIC, "comma"));
    unsetenv("LOCPATH");
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
}

static bool has_comma(void)
{
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return strcmp(text, "0,5") == 0;
}

static double reads_comma(double x, double y, double z, void *data)
{
    (void)data;
    return has_comma() ? f(x, y, z, NULL) : NAN;
}

/* Options have a point, and so have messages. The program and its functions have their comma. */
static void numbers_have_points(const double *expected)
{
    static double u[CELLS];
    const char *const words[] = {"coefficients", "constant", "backend", backend,
                                 "weight",       "0.75",     "rtol",    "1.5e-15",
                                 "max-cycles",   "2",        NULL};
    const char *const wrong[] = {"weight", "2.5", NULL}, *const with_comma[] = {"rtol", "0,5",
                                                                                NULL};
    struct hpgmg *s = NULL;
    choose_comma();
    EXPECT(hpgmg_create(&s, HPGMG_COMM_WORLD, cells, lengths, words) == HPGMG_OK && has_comma());
    REQUIRE(s && hpgmg_set_function(s, HPGMG_F, reads_comma, NULL) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL) == HPGMG_NOT_CONVERGED);
    EXPECT(strchr(hpgmg_message(), '.') && !strchr(hpgmg_message(), ',') && has_comma());
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK && has_comma());
    EXPECT(hpgmg_create(&s, HPGMG_COMM_WORLD, cells, lengths, wrong) == HPGMG_ARGUMENT);
    EXPECT(strstr(hpgmg_message(), "'2.5'") && has_comma());
    EXPECT(hpgmg_create(&s, HPGMG_COMM_WORLD, cells, lengths, with_comma) == HPGMG_ARGUMENT);
    EXPECT(strstr(hpgmg_message(), "wrong value '0,5'"));
    s = create_solver(cells, options); /* the default rtol */
    solve(s, u);
    EXPECT(memcmp(u, expected, sizeof u) == 0);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    setlocale(LC_NUMERIC, "C");
}

/* --- threads -------------------------------------------------------------------------------------
 */

static void threads_are_limited(void)
{
    struct hpgmg *s;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(8193);
    EXPECT(hpgmg_create(&s, HPGMG_COMM_WORLD, cells, lengths, options) == HPGMG_ENVIRONMENT);
    EXPECT(strstr(hpgmg_message(), "8193 threads"));
    omp_set_num_threads(threads);
}

/* --- forks ---------------------------------------------------------------------------------------
 */

#define REFUSED(call)                                                                              \
    EXPECT((call) == HPGMG_ENVIRONMENT && strstr(hpgmg_message(), "was forked") &&                 \
           !strchr(hpgmg_message(), '\n'))

/* In the child, which must not end the parent's job. */
static void all_calls_are_refused(struct hpgmg *s)
{
    struct hpgmg *other = s, *copy = s;
    struct hpgmg_block one = corner;
    const struct hpgmg_box *boxes;
    double value = 0.0, sides[3];
    const double *values = &value;
    int count;
    one.data = &value;
    REFUSED(hpgmg_create(&other, HPGMG_COMM_WORLD, cells, lengths, options));
    EXPECT(!other);
    REFUSED(hpgmg_boxes(s, &count, &boxes));
    REFUSED(hpgmg_cell_sizes(s, sides));
    REFUSED(hpgmg_set(s, HPGMG_F, 1, &one));
    REFUSED(hpgmg_set_function(s, HPGMG_F, f, NULL));
    REFUSED(hpgmg_set_wall(s, 0, 0, 1, &values));
    REFUSED(hpgmg_set_wall_function(s, 0, 0, f, NULL));
    REFUSED(hpgmg_get(s, HPGMG_U, 1, &one));
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL));
    REFUSED(hpgmg_destroy(&copy));
    EXPECT(copy == s);
    fflush(stdout);
    hpgmg_check(failures > 0 ? HPGMG_MEMORY : HPGMG_ENVIRONMENT);
}

static void forks_are_refused(struct hpgmg *s, const double *expected)
{
    static double u[CELLS];
    char text[512] = "";
    int status = 0, ends[2];
    REQUIRE(pipe(ends) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        alarm(SECONDS); /* ends a child that hangs */
        all_calls_are_refused(s);
        _exit(0);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == HPGMG_ENVIRONMENT);
    close(ends[1]);
    EXPECT(read(ends[0], text, sizeof text - 1) > 0);
    EXPECT(strncmp(text, "hpgmg: error: ", 14) == 0 && strchr(text, '\n') == strrchr(text, '\n'));
    close(ends[0]);
    solve(s, u);
    EXPECT(memcmp(u, expected, sizeof u) == 0);
}

int main(int argc, char **argv)
{
    static double expected[CELLS];
    test_begin(argc, argv);
    omp_set_num_threads(3); /* whose threads a child has not */
    struct hpgmg *s = create_solver(cells, options);
    EXPECT(!check_warns); /* stderr is the program's */
    solve(s, expected);
    functions_may_jump(s, expected);
    functions_may_call(s, expected);
    functions_may_destroy();
    numbers_have_points(expected);
    threads_are_limited();
    forks_are_refused(s, expected);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    return test_end();
}
