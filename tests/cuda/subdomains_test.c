/* SPDX-License-Identifier: BSD-3-Clause */
/* Subdomains of the tail kernel: they cover the level, and each fits into a block's tiles, as its
 * ghosts do into the lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include "cuda/coarse/subdomains.h"

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Combinations that blocks have room for (src/cuda/coarse/tail.cu), with so many subdomains. */
static struct subdomain_limits limits_of(int room, int count)
{
    static const int rooms[][2] = {{SINGLE_BLOCK_DIM, SUBDOMAIN_SIDE},
                                   {SINGLE_BLOCK_DIM, SMALL_SIDE},
                                   {LEAST_SINGLE_BLOCK_DIM, SMALL_SIDE}};
    return (struct subdomain_limits){rooms[room][0], rooms[room][1], count};
}
enum { ROOMS = 3 };

static void check_cut(int n, const struct subdomain_limits *limits)
{
    const struct subdomains b = subdomains_of(n, limits);
    if (b.count == 0)
        return;
    assert_true(b.count <= larger(limits->count, 1));
    assert_int_equal(n / b.side * (n / b.side) * (n / b.depth), b.count);
    assert_int_equal(n % b.side, 0);
    assert_int_equal(n % b.depth, 0);
    assert_true(b.side <= larger(limits->side, limits->single_block_dim) &&
                b.depth <= SUBDOMAIN_DEPTH);
    if (b.count == 1) {
        assert_true(n <= limits->single_block_dim);
        return;
    }
    /* Colours, restriction and wall rules need an even number of cells, and at least four. */
    assert_true(b.side % 2 == 0 && b.side >= LEAST_SIDE);
    assert_true(b.depth % 2 == 0 && b.depth >= LEAST_SIDE);
}

static void subdomains_make_up_levels(void **state)
{
    (void)state;
    for (int n = 1; n <= TAIL_DIM; n++)
        for (int most = 1; most <= TAIL_BLOCKS; most++)
            for (int room = 0; room < ROOMS; room++) {
                const struct subdomain_limits limits = limits_of(room, most);
                check_cut(n, &limits);
            }
}

static int count_of(int n, int room, int most)
{
    const struct subdomain_limits limits = limits_of(room, most);
    return subdomains_of(n, &limits).count;
}

static void levels_that_cycles_have_are_cut(void **state)
{
    static const int cut[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64};
    static const int left[] = {9, 10, 11, 13, 14, 15};
    (void)state;
    for (size_t c = 0; c < sizeof cut / sizeof cut[0]; c++)
        assert_true(count_of(cut[c], 0, TAIL_BLOCKS) > 0);
    for (size_t c = 0; c < sizeof left / sizeof left[0]; c++)
        assert_int_equal(count_of(left[c], 0, TAIL_BLOCKS), 0);
    /* With few multiprocessors the larger ones are left to other kernels. */
    assert_int_equal(count_of(64, 0, 127), 0);
    assert_true(count_of(32, 0, 108) > 0);
    /* With little shared memory, too, but single-block levels are divided. */
    assert_int_equal(count_of(64, ROOMS - 1, TAIL_BLOCKS), 0);
    assert_int_equal(count_of(32, ROOMS - 1, 83), 64);
    assert_int_equal(count_of(8, ROOMS - 1, 83), 8);
    assert_int_equal(count_of(4, ROOMS - 1, 83), 1);
}

/* How far index `at` is out of n cells, and whether a wall is on that side of the subdomain. */
static int layers_out(int at, int n)
{
    return at < 0 ? -at : at >= n ? at - n + 1 : 0;
}

/* One direction of a subdomain: cells, and walls at its low and high end. */
struct extent {
    int n;
    bool wall[2];
};

/* Counts the ghosts that order 4 reads around a subdomain, by what they follow from. */
static struct subdomain_ghosts count_ghosts(const struct extent e[3])
{
    struct subdomain_ghosts g = {0, 0, 0};
    for (int k = -2; k < e[2].n + 2; k++)
        for (int j = -2; j < e[1].n + 2; j++)
            for (int i = -2; i < e[0].n + 2; i++) {
                const int at[3] = {i, j, k};
                int out = 0, layer = 0, walls = 0;
                for (int d = 0; d < 3; d++) {
                    const int layers = layers_out(at[d], e[d].n);
                    out += layers > 0;
                    layer = larger(layer, layers);
                    walls += layers > 0 && e[d].wall[at[d] > 0];
                }
                if (out == 0 || out > 2 || (out == 2 && layer > 1))
                    continue;
                g.halo += walls == 0;
                g.sides += walls == 1 && layer == 1;
                g.edges += walls == 2;
            }
    return g;
}

static void each_subdomain_has_as_many_ghosts_as_said(void **state)
{
    (void)state;
    for (int n = SINGLE_BLOCK_DIM + 1; n <= TAIL_DIM; n++) {
        const struct subdomain_limits limits = limits_of(0, TAIL_BLOCKS);
        const struct subdomains b = subdomains_of(n, &limits);
        const int size[3] = {b.side, b.side, b.depth};
        const struct subdomain_ghosts most = subdomains_ghosts(&b);
        /* The first, a middle and the last subdomain of each direction. */
        for (int place = 0; place < 27 && b.count > 0; place++) {
            const int where[3] = {place % 3, place / 3 % 3, place / 9};
            struct extent e[3];
            for (int d = 0; d < 3; d++) {
                e[d].n = size[d];
                e[d].wall[0] = where[d] == 0;
                e[d].wall[1] = where[d] == 2;
            }
            const struct subdomain_ghosts g = count_ghosts(e);
            assert_true(g.sides <= most.sides);
            assert_true(g.edges <= most.edges);
            assert_true(g.halo <= most.halo);
        }
    }
}

/* Levels of n cells per side, n/2, …, as far as they have subdomains. */
static void check_lists(int n, const struct subdomain_limits *limits)
{
    struct subdomain_ghosts all = {0, 0, 0};
    for (int m = n; m > limits->single_block_dim; m = m % 2 ? 0 : m / 2) {
        const struct subdomains b = subdomains_of(m, limits);
        const struct subdomain_ghosts g = subdomains_ghosts(&b);
        if (b.count == 0)
            break;
        all.sides += g.sides;
        all.edges += g.edges;
        all.halo += g.halo;
    }
    assert_true(all.sides <= ALL_SIDES);
    assert_true(all.edges <= ALL_EDGES);
    assert_true(all.halo <= ALL_HALO);
}

static void lists_hold_all_levels(void **state)
{
    (void)state;
    for (int n = LEAST_SINGLE_BLOCK_DIM + 1; n <= TAIL_DIM; n++)
        for (int most = 1; most <= TAIL_BLOCKS; most++)
            for (int room = 0; room < ROOMS; room++) {
                const struct subdomain_limits limits = limits_of(room, most);
                check_lists(n, &limits);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subdomains_make_up_levels),
        cmocka_unit_test(levels_that_cycles_have_are_cut),
        cmocka_unit_test(each_subdomain_has_as_many_ghosts_as_said),
        cmocka_unit_test(lists_hold_all_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
