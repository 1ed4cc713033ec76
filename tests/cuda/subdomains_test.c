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
                                   {MIN_SINGLE_BLOCK_DIM, SMALL_SIDE}};
    return (struct subdomain_limits){rooms[room][0], rooms[room][1], count};
}
enum { ROOMS = 3 };

/* Levels of at most this many cells by direction, and of at most TAIL_CELLS in all. */
static bool next_level(int n[3], int most)
{
    for (int d = 0; d < 3; d++) {
        if (n[d] < most && (n[d] + 1) * n[(d + 1) % 3] * n[(d + 2) % 3] <= TAIL_CELLS) {
            n[d]++;
            return true;
        }
        n[d] = 1;
    }
    return false;
}

static int longest(const int n[3])
{
    return larger(larger(n[0], n[1]), n[2]);
}

static void check_cut(const int n[3], const struct subdomain_limits *limits)
{
    const struct subdomains b = subdomains_of(n, limits);
    if (b.count == 0)
        return;
    assert_true(b.count <= larger(limits->count, 1));
    assert_int_equal(b.along[0] * b.along[1] * b.along[2], b.count);
    for (int d = 0; d < 3; d++)
        assert_int_equal(b.along[d] * b.cells[d], n[d]);
    if (b.count == 1) {
        assert_true(longest(n) <= limits->single_block_dim);
        return;
    }
    assert_true(b.cells[0] <= limits->side && b.cells[1] <= limits->side &&
                b.cells[2] <= SUBDOMAIN_DEPTH);
    /* Colours, restriction and wall rules need an even number of cells, and at least four. */
    for (int d = 0; d < 3; d++)
        assert_true(b.cells[d] % 2 == 0 && b.cells[d] >= MIN_SIDE);
    assert_true(n[0] != n[1] || b.cells[0] == b.cells[1]);
}

static void subdomains_make_up_levels(void **state)
{
    static const int counts[] = {1, 2, 7, 13, 27, 45, 83, 107, 113, TAIL_BLOCKS};
    (void)state;
    for (int n[3] = {1, 1, 1}; next_level(n, 68);)
        for (int room = 0; room < ROOMS; room++) {
            const struct subdomain_limits limits = limits_of(room, TAIL_BLOCKS);
            check_cut(n, &limits);
        }
    for (int n[3] = {1, 1, 1}; next_level(n, 24);)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (int room = 0; room < ROOMS; room++) {
                const struct subdomain_limits limits = limits_of(room, counts[c]);
                check_cut(n, &limits);
            }
}

static struct subdomains cut(int i, int j, int k, int room, int most)
{
    const struct subdomain_limits limits = limits_of(room, most);
    const int n[3] = {i, j, k};
    return subdomains_of(n, &limits);
}

static int count_of(int n, int room, int most)
{
    return cut(n, n, n, room, most).count;
}

static void levels_that_cycles_have_are_cut(void **state)
{
    static const int divided[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64};
    static const int left[] = {9, 10, 11, 13, 14, 15};
    (void)state;
    for (size_t c = 0; c < sizeof divided / sizeof divided[0]; c++)
        assert_true(count_of(divided[c], 0, TAIL_BLOCKS) > 0);
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

static void check_cells(struct subdomains s, int i, int j, int k)
{
    assert_int_equal(s.cells[0], i);
    assert_int_equal(s.cells[1], j);
    assert_int_equal(s.cells[2], k);
}

static void cuboids_are_cut(void **state)
{
    (void)state;
    /* The levels of a domain of 4x2x1 boxes. */
    check_cells(cut(128, 64, 32, 0, TAIL_BLOCKS), 16, 16, 8);
    check_cells(cut(64, 32, 16, 0, TAIL_BLOCKS), 8, 8, 4);
    check_cells(cut(32, 16, 8, 0, TAIL_BLOCKS), 4, 4, 4);
    check_cells(cut(16, 8, 4, 0, TAIL_BLOCKS), 4, 4, 4);
    assert_int_equal(cut(8, 4, 2, 0, TAIL_BLOCKS).count, 1);
    assert_int_equal(cut(4, 2, 1, 0, TAIL_BLOCKS).count, 1);
    /* Too long for a single block, and too thin for a subdomain. */
    assert_int_equal(cut(16, 4, 2, 0, TAIL_BLOCKS).count, 0);
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

/* Where the subdomain is in its direction: 0 the first one, 1 in the middle, 2 the last one, unless
 * there are fewer; its ends there may also be no walls. */
static struct extent extent_at(int cells, int along, int where)
{
    return (struct extent){cells, {where == 0, where == 2 || (where == 0 && along == 1)}};
}

static void check_ghosts(const struct subdomains *b)
{
    const struct subdomain_ghosts most = subdomains_ghosts(b);
    for (int place = 0; place < 27; place++) {
        const struct extent e[3] = {
            extent_at(b->cells[0], b->along[0], place % 3),
            extent_at(b->cells[1], b->along[1], place / 3 % 3),
            extent_at(b->cells[2], b->along[2], place / 9),
        };
        const struct subdomain_ghosts g = count_ghosts(e);
        assert_true(g.sides <= most.sides);
        assert_true(g.edges <= most.edges);
        assert_true(g.halo <= most.halo);
    }
    assert_true(most.sides <= ALL_SIDES && most.edges <= ALL_EDGES && most.halo <= ALL_HALO);
    /* A thread keeps one of them, and two of large subdomains. */
    enum { THREADS = 512 };
    const bool small = b->cells[0] <= SMALL_SIDE && b->cells[1] <= SMALL_SIDE;
    assert_true(most.sides + most.edges <= (small ? 1 : 2) * THREADS);
}

/* Of any size, and alone in no direction, one or two. */
static void each_subdomain_has_as_many_ghosts_as_said(void **state)
{
    (void)state;
    for (int n[3] = {1, 1, 1}; next_level(n, 32);) {
        const struct subdomain_limits two = limits_of(0, 2), eight = limits_of(0, 8);
        const struct subdomains large = subdomains_of(n, &two), small = subdomains_of(n, &eight);
        if (large.count > 1)
            check_ghosts(&large);
        if (small.count > 1)
            check_ghosts(&small);
    }
}

/* Levels of n cells, n/2, …, as far as they have subdomains. */
static void check_lists(const int n[3], const struct subdomain_limits *limits)
{
    struct subdomain_ghosts all = {0, 0, 0};
    int m[3] = {n[0], n[1], n[2]};
    while (longest(m) > limits->single_block_dim) {
        const struct subdomains b = subdomains_of(m, limits);
        const struct subdomain_ghosts g = subdomains_ghosts(&b);
        if (b.count == 0)
            break;
        all.sides += g.sides;
        all.edges += g.edges;
        all.halo += g.halo;
        if (m[0] % 2 || m[1] % 2 || m[2] % 2)
            break;
        for (int d = 0; d < 3; d++)
            m[d] /= 2;
    }
    assert_true(all.sides <= ALL_SIDES);
    assert_true(all.edges <= ALL_EDGES);
    assert_true(all.halo <= ALL_HALO);
}

/* Of cubes, and of cuboids that domains of small numbers of boxes have. */
static void lists_hold_all_levels(void **state)
{
    (void)state;
    for (int n = MIN_SINGLE_BLOCK_DIM + 1; n <= 64; n++)
        for (int most = 1; most <= TAIL_BLOCKS; most++)
            for (int room = 0; room < ROOMS; room++) {
                const struct subdomain_limits limits = limits_of(room, most);
                const int cube[3] = {n, n, n};
                check_lists(cube, &limits);
            }
    for (int most = 64; most <= TAIL_BLOCKS; most++)
        for (int boxes[3] = {1, 1, 1}; next_level(boxes, 4);)
            for (int side = 2; side * side * side * boxes[0] * boxes[1] * boxes[2] <= TAIL_CELLS;
                 side *= 2) {
                const int n[3] = {side * boxes[0], side * boxes[1], side * boxes[2]};
                const struct subdomain_limits limits = limits_of(0, most);
                check_lists(n, &limits);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subdomains_make_up_levels),
        cmocka_unit_test(levels_that_cycles_have_are_cut),
        cmocka_unit_test(cuboids_are_cut),
        cmocka_unit_test(each_subdomain_has_as_many_ghosts_as_said),
        cmocka_unit_test(lists_hold_all_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
