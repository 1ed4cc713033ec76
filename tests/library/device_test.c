/* SPDX-License-Identifier: BSD-3-Clause */
/* Data in GPU memory: it arrives as from the host, with any strides, in solvers whose finest level
 * is on the GPU or on the CPU beside it; solvers without a GPU refuse it. Skipped without a GPU. */
#include <math.h>
#include "support/library.h"

enum { N = 32, SKIPPED = 77 };
static const int CELLS[3] = {N, N, N};

/* The domain cut into slabs across k, one per rank: every rank has as many planes, or one more. */
static struct hpgmg_box slab(void)
{
    const int first = N * comm_rank() / comm_size(), end = N * (comm_rank() + 1) / comm_size();
    return (struct hpgmg_box){{0, 0, first}, {N, N, end - first}};
}

static double value_at(const struct hpgmg_block *b, enum hpgmg_field field, int i, int j, int k)
{
    return 2.0 + sin(0.1 * i + 0.2 * j + 0.3 * (b->box.lo[2] + k) + (double)field);
}

/* A block of values f(index), on the host or the GPU; i and j change places in memory if turned.
 * The memory is for cells or faces. */
static struct hpgmg_block make_block(bool on_gpu, bool turned, enum hpgmg_field field)
{
    struct hpgmg_block b = {.box = slab(), .stride = {1, N + 1, (N + 1) * (N + 1)}};
    const long count = (N + 1L) * (N + 1) * (N + 1);
    double *values = malloc((size_t)count * sizeof *values);
    if (turned) {
        b.stride[0] = N + 1;
        b.stride[1] = 1;
    }
    for (long x = 0; x < count; x++)
        values[x] = NAN;
    for (int k = 0; k <= b.box.n[2]; k++)
        for (int j = 0; j <= N; j++)
            for (int i = 0; i <= N; i++)
                values[i * b.stride[0] + j * b.stride[1] + k * b.stride[2]] =
                    value_at(&b, field, i, j, k);
    b.data = values;
    if (on_gpu) {
        b.data = backend_cuda.memory->allocate(count, "a test's block");
        backend_cuda.memory->upload(b.data, values, count);
        free(values);
    }
    return b;
}

static void free_block(struct hpgmg_block b, bool on_gpu)
{
    if (on_gpu)
        backend_cuda.memory->release(b.data);
    else
        free(b.data);
}

/* A field of a solver, by way of the host or of the GPU, turned or not. */
static double *field_of(struct hpgmg *s, enum hpgmg_field field, bool on_gpu, bool turned)
{
    const long count = (N + 1L) * (N + 1) * (N + 1);
    struct hpgmg_block b = make_block(on_gpu, turned, field);
    double *all = malloc((size_t)count * sizeof *all), *u = calloc(N * N * N, sizeof *u);
    EXPECT(hpgmg_get(s, field, 1, &b) == HPGMG_OK);
    if (on_gpu)
        backend_cuda.memory->download(b.data, all, count);
    else
        memcpy(all, b.data, (size_t)count * sizeof *all);
    for (int k = 0; k < b.box.n[2]; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                u[i + N * (j + N * k)] = all[i * b.stride[0] + j * b.stride[1] + k * b.stride[2]];
    free_block(b, on_gpu);
    free(all);
    return u;
}

static void set_all(struct hpgmg *s, bool on_gpu, bool turned)
{
    static const enum hpgmg_field fields[] = {HPGMG_F, HPGMG_BETA_I, HPGMG_BETA_J, HPGMG_BETA_K};
    for (int f = 0; f < 4; f++) {
        struct hpgmg_block b = make_block(on_gpu, turned, fields[f]);
        EXPECT(hpgmg_set(s, fields[f], 1, &b) == HPGMG_OK);
        free_block(b, on_gpu);
    }
}

/* The same blocks by turns in GPU memory and on the host, each with values of its own: what the
 * library keeps from one call to the next is in the other memory. */
static void alternate(struct hpgmg *s)
{
    for (int turn = 0; turn < 4; turn++) {
        const bool on_gpu = turn % 2 == 0;
        struct hpgmg_block b = make_block(on_gpu, false, HPGMG_F),
                           other = make_block(!on_gpu, false, HPGMG_ALPHA);
        EXPECT(hpgmg_set(s, HPGMG_F, 1, &other) == HPGMG_OK);
        double *first = field_of(s, HPGMG_F, on_gpu, false);
        EXPECT(hpgmg_set(s, HPGMG_F, 1, &b) == HPGMG_OK);
        double *second = field_of(s, HPGMG_F, !on_gpu, false);
        for (int k = 0; k < b.box.n[2]; k++)
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) {
                    const long x = i + N * (j + (long)N * k);
                    EXPECT(first[x] == value_at(&b, HPGMG_ALPHA, i, j, k));
                    EXPECT(second[x] == value_at(&b, HPGMG_F, i, j, k));
                }
        free(first);
        free(second);
        free_block(b, on_gpu);
        free_block(other, !on_gpu);
    }
}

static void compare(const char *const *options)
{
    struct hpgmg *host = create_solver(CELLS, options), *gpu = create_solver(CELLS, options);
    set_all(host, false, false);
    set_all(gpu, true, true);
    EXPECT(hpgmg_solve(host, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    EXPECT(hpgmg_solve(gpu, HPGMG_FROM_ZERO, NULL) == HPGMG_OK);
    double *a = field_of(host, HPGMG_U, true, true), *b = field_of(gpu, HPGMG_U, false, false);
    EXPECT(memcmp(a, b, N * N * N * sizeof *a) == 0);
    free(a);
    free(b);
    alternate(gpu);
    /* NaN in GPU memory is found too */
    struct hpgmg_block bad = make_block(true, false, HPGMG_F);
    const double nan = NAN;
    backend_cuda.memory->upload(bad.data, &nan, 1);
    EXPECT(hpgmg_set(gpu, HPGMG_F, 1, &bad) == HPGMG_ARGUMENT);
    /* one rank, two kinds of memory */
    struct hpgmg_block mixed[2] = {bad, bad};
    double here = 0.0;
    mixed[1].data = &here;
    EXPECT(hpgmg_set(gpu, HPGMG_F, 2, mixed) == HPGMG_ARGUMENT);
    const char *saved = backend;
    backend = "cpu";
    struct hpgmg *cpu = create_solver(CELLS, NULL);
    EXPECT(hpgmg_set(cpu, HPGMG_F, 1, &bad) == HPGMG_ARGUMENT);
    EXPECT(strstr(hpgmg_message(), "GPU memory"));
    EXPECT(hpgmg_destroy(&cpu) == HPGMG_OK);
    backend = saved;
    free_block(bad, true);
    EXPECT(hpgmg_destroy(&gpu) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&host) == HPGMG_OK);
}

int main(int argc, char **argv)
{
    static const char *const cases[][8] = {
        {"cpu-below", "never"},
        {"cpu-below", "never", "order", "4", "boundary", "periodic,dirichlet,neumann"},
        {"cpu-below", "1000000"}, /* all levels on the CPU, in memory that the GPU reaches */
    };
    struct hpgmg *s;
    const double lengths[3] = {1.0, 1.0, 1.0};
    test_begin(argc, argv);
    backend = "gpu";
    if (hpgmg_create(&s, HPGMG_COMM_WORLD, CELLS, lengths,
                     (const char *[]){"backend", "gpu", "cpu-below", "never", NULL}) ==
        HPGMG_ENVIRONMENT) {
        printf("skipped: %s\n", hpgmg_message());
        comm_finish();
        return SKIPPED;
    }
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    for (int c = 0; c < 3; c++)
        compare(cases[c]);
    return test_end();
}
