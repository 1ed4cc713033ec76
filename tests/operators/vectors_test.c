/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-vector operations and reductions against simple loops over the domain, and the same bits
 * whatever the boxes and the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <omp.h>
#include <string.h>
#include "cpu/cpu.h"
#include "level/build.h"
#include "operators/hash.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "solvers/reduce.h"
#include "support/cells.h"
#include "support/decompositions.h"
#include "support/run.h"

enum { CASES = 1000, GHOST_LAYERS = 2, MAX_THREADS = 4 };
static const enum field X = FIELD_KRYLOV, Y = FIELD_KRYLOV + 1, Z = FIELD_KRYLOV + 2;

/* Two fields as cells, and on levels of one box and of random ones; ghosts and padding are NaN. */
struct vectors {
    struct cells shape;
    double *x, *y, *z;
    struct level *levels[2];
};

static void make_level(struct vectors *v, int which, struct decomposition d)
{
    struct level *l = level_create(0, d, sides_all(BOUNDARY_PERIODIC), GHOST_LAYERS, &backend_cpu,
                                   backend_cpu.row_align);
    for (enum field f = X; f <= Z; f++)
        level_allocate(l, f);
    field_write(l, X, &v->shape, v->x, 0, CENTRE_CELL, false);
    field_write(l, Y, &v->shape, v->y, 0, CENTRE_CELL, false);
    field_poison(l, Z);
    v->levels[which] = l;
}

/* Large enough for several threads now and then. */
static int random_dim(void)
{
    return random_int(0, 19) == 0 ? random_int(20, 28) : random_int(1, 12);
}

/* Values of very different magnitudes where `wild`. */
static struct vectors make_vectors(int dim, bool wild)
{
    const int n[3] = {dim, dim, dim};
    struct vectors v = {.shape = cells_create(n, false)};
    v.x = cells_random(&v.shape, -1.0, 1.0);
    v.y = cells_random(&v.shape, -1.0, 1.0);
    v.z = cells_random(&v.shape, -1.0, 1.0);
    for (long c = 0; wild && c < v.shape.length; c++) {
        v.x[c] = ldexp(v.x[c], random_int(-40, 40));
        v.y[c] = ldexp(v.y[c], random_int(-40, 40));
    }
    make_level(&v, 0, random_decomposition(n, 0, 1));
    make_level(&v, 1, random_decomposition(n, random_int(1, 20), 1));
    omp_set_num_threads(random_int(1, MAX_THREADS));
    return v;
}

static void free_vectors(struct vectors *v)
{
    memory_free(v->x);
    memory_free(v->y);
    memory_free(v->z);
    level_destroy(v->levels[0]);
    level_destroy(v->levels[1]);
}

static long count_cells(const struct vectors *v)
{
    return (long)v->shape.n[0] * v->shape.n[1] * v->shape.n[2];
}

/* Where cell number c lies. */
static long place(const struct vectors *v, long c)
{
    const int n = v->shape.n[0];
    return cells_at(&v->shape, (int)(c % n), (int)(c / n % n), (int)(c / n / n));
}

/* Both levels have in `field` what z has. */
static void expect_field(const struct vectors *v, enum field field)
{
    for (int which = 0; which < 2; which++)
        EXPECT(field_differences(v->levels[which], field, &v->shape, v->z) == 0);
}

static void elementwise_operations(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        random_begin(number);
        struct vectors v = make_vectors(random_dim(), true);
        const double a = random_value(), b = random_value();
        for (long c = 0; c < v.shape.length; c++)
            v.z[c] = fma(a, v.x[c], b * v.y[c]);
        for (int which = 0; which < 2; which++)
            vector_combine(v.levels[which], Z, a, X, b, Y);
        expect_field(&v, Z);
        for (long c = 0; c < v.shape.length; c++)
            v.z[c] = v.x[c] * v.y[c];
        for (int which = 0; which < 2; which++)
            vector_multiply(v.levels[which], Z, X, Y);
        expect_field(&v, Z);
        /* In place: y = y + a x, x = x·x, x = x + b. */
        for (long c = 0; c < v.shape.length; c++)
            v.z[c] = fma(1.0, v.y[c], a * v.x[c]);
        for (int which = 0; which < 2; which++)
            vector_combine(v.levels[which], Y, 1.0, Y, a, X);
        expect_field(&v, Y);
        for (long c = 0; c < v.shape.length; c++)
            v.z[c] = v.x[c] * v.x[c] + b;
        for (int which = 0; which < 2; which++) {
            vector_multiply(v.levels[which], X, X, X);
            vector_add_constant(v.levels[which], X, b);
        }
        expect_field(&v, X);
        free_vectors(&v);
    }
}

/* Norm, dot product and checksum of both levels, bit by bit; returns the dot product. */
static double expect_reductions(const struct vectors *v)
{
    double norm = 0.0, dots[2];
    uint64_t hash = 0;
    for (long c = 0; c < count_cells(v); c++) {
        norm = fmax(norm, fabs(v->x[place(v, c)]));
        hash += hash_cell((uint64_t)c, v->x[place(v, c)]);
    }
    for (int which = 0; which < 2; which++) {
        const struct level *l = v->levels[which];
        EXPECT(reduce_norm(l, X) == norm);
        EXPECT(reduce_checksum(l, X) == hash);
        dots[which] = reduce_dot(l, X, Y);
    }
    EXPECT(memcmp(&dots[0], &dots[1], sizeof *dots) == 0);
    return dots[0];
}

/* The reference is the sum in long double: it rounds at 2^-64 of what it adds up, the digits are
 * cut at 2^-84 of the largest product. */
static void reductions_ignore_boxes(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        random_begin(number);
        struct vectors v = make_vectors(random_dim(), random_bool());
        long double exact = 0.0L, size = 0.0L;
        for (long c = 0; c < count_cells(&v); c++) {
            const double product = v.x[place(&v, c)] * v.y[place(&v, c)];
            exact += product;
            size += fabsl((long double)product);
        }
        const long double cells = (long double)count_cells(&v);
        EXPECT(fabsl(expect_reductions(&v) - exact) <=
               fabsl(exact) * 0x1p-52L + size * cells * 0x1p-63L);
        /* Mean: the same with 1 in place of y. */
        const double mean = reduce_mean(v.levels[0], X);
        EXPECT(reduce_mean(v.levels[1], X) == mean);
        reduce_subtract_mean(v.levels[0], X);
        EXPECT(fabs(reduce_mean(v.levels[0], X)) <= 0x1p-50 * reduce_norm(v.levels[0], X));
        free_vectors(&v);
    }
}

static void set_one(struct vectors *v, long cell, double value)
{
    v->x[place(v, cell)] = value;
    for (int which = 0; which < 2; which++)
        field_write(v->levels[which], X, &v->shape, v->x, 0, CENTRE_CELL, false);
}

/* One NaN or infinity anywhere comes through, and is not made up from ghosts, which are NaN. */
static void no_nan_is_lost(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        random_begin(number);
        struct vectors v = make_vectors(random_int(1, 12), false);
        const long cell = (long)(random_bits() % (uint64_t)count_cells(&v));
        const bool nan = random_bool();
        set_one(&v, cell, nan ? NAN : random_bool() ? INFINITY : -INFINITY);
        for (int which = 0; which < 2; which++) {
            const struct level *l = v.levels[which];
            EXPECT(isfinite(reduce_norm(l, Y)));
            EXPECT(nan ? isnan(reduce_norm(l, X)) : isinf(reduce_norm(l, X)));
            EXPECT(isnan(reduce_dot(l, X, Y)));
            EXPECT(isnan(reduce_mean(l, X)));
        }
        /* The largest differs from the others in its last bit. */
        for (long c = 0; c < count_cells(&v); c++)
            v.x[place(&v, c)] = c % 2 ? 1.0 : -1.0;
        set_one(&v, cell, nan ? nextafter(1.0, 2.0) : 0.0);
        expect_reductions(&v);
        free_vectors(&v);
    }
}

/* Products that overflow are no number; those that underflow are what doubles make of them. */
static void extreme_products(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        random_begin(number);
        struct vectors v = make_vectors(random_int(1, 8), false);
        const int power = number % 3 == 0 ? 600 : number % 3 == 1 ? -600 : -500;
        for (int which = 0; which < 2; which++)
            vector_combine(v.levels[which], X, ldexp(1.0, power), X, 0.0, X);
        const double dots[2] = {reduce_dot(v.levels[0], X, X), reduce_dot(v.levels[1], X, X)};
        EXPECT(memcmp(&dots[0], &dots[1], sizeof *dots) == 0);
        EXPECT(power == 600 ? isnan(dots[0]) : power == -600 ? dots[0] == 0.0 : dots[0] > 0.0);
        free_vectors(&v);
    }
}

/* Cells that swap values change the checksum. */
static void checksums_see_swaps(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++) {
        random_begin(number);
        struct vectors v = make_vectors(random_int(2, 8), false);
        const uint64_t before = reduce_checksum(v.levels[1], X);
        const long a = random_int(0, (int)count_cells(&v) - 2),
                   b = random_int((int)a + 1, (int)count_cells(&v) - 1);
        const double first = v.x[place(&v, a)], second = v.x[place(&v, b)];
        set_one(&v, a, second);
        set_one(&v, b, first);
        EXPECT(reduce_checksum(v.levels[1], X) != before);
        set_one(&v, a, first);
        set_one(&v, b, second);
        EXPECT(reduce_checksum(v.levels[0], X) == before);
        free_vectors(&v);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementwise_operations), cmocka_unit_test(reductions_ignore_boxes),
        cmocka_unit_test(no_nan_is_lost),         cmocka_unit_test(extreme_products),
        cmocka_unit_test(checksums_see_swaps),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
