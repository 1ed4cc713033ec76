/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks of the tail kernel: they make up the level, fit into what blocks have room for, and their
 * ghosts into the lists of them. */
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

static void check_cut(int n, int most)
{
    const struct bricks b = bricks_cut(n, most);
    if (b.count == 0)
        return;
    assert_true(b.count <= larger(most, 1));
    assert_int_equal(n / b.side * (n / b.side) * (n / b.depth), b.count);
    assert_int_equal(n % b.side, 0);
    assert_int_equal(n % b.depth, 0);
    assert_true(b.side <= BRICK_SIDE && b.depth <= BRICK_DEPTH);
    if (b.count == 1) {
        assert_true(n <= TAIL_SOLO_DIM);
        return;
    }
    /* Colours, pairs that are restricted, and wall rules want even bricks of four cells. */
    assert_true(b.side % 2 == 0 && b.side >= LEAST_SIDE);
    assert_true(b.depth % 2 == 0 && b.depth >= LEAST_SIDE);
}

static void bricks_make_up_levels(void **state)
{
    (void)state;
    for (int n = 1; n <= TAIL_DIM; n++)
        for (int most = 1; most <= TAIL_BLOCKS; most++)
            check_cut(n, most);
}

static void levels_that_cycles_have_are_cut(void **state)
{
    static const int cut[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64};
    static const int left[] = {9, 10, 11, 13, 14, 15};
    (void)state;
    for (size_t c = 0; c < sizeof cut / sizeof cut[0]; c++)
        assert_true(bricks_cut(cut[c], TAIL_BLOCKS).count > 0);
    for (size_t c = 0; c < sizeof left / sizeof left[0]; c++)
        assert_int_equal(bricks_cut(left[c], TAIL_BLOCKS).count, 0);
    /* With few multiprocessors the larger ones are left to other kernels. */
    assert_int_equal(bricks_cut(64, 127).count, 0);
    assert_true(bricks_cut(32, 108).count > 0);
}

/* How far index `at` is out of n cells, and whether a wall is on that side of the brick. */
static int layers_out(int at, int n)
{
    return at < 0 ? -at : at >= n ? at - n + 1 : 0;
}

/* One direction of a brick: cells, and walls at its low and high end. */
struct extent {
    int n;
    bool wall[2];
};

/* Counts the ghosts that order 4 reads around a brick, by what they follow from. */
static struct brick_ghosts count_ghosts(const struct extent e[3])
{
    struct brick_ghosts g = {0, 0, 0};
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

static void each_brick_has_as_many_ghosts_as_said(void **state)
{
    (void)state;
    for (int n = TAIL_SOLO_DIM + 1; n <= TAIL_DIM; n++) {
        const struct bricks b = bricks_cut(n, TAIL_BLOCKS);
        const int size[3] = {b.side, b.side, b.depth};
        const struct brick_ghosts most = bricks_ghosts(&b);
        /* The first, a middle and the last brick of each direction. */
        for (int place = 0; place < 27 && b.count > 0; place++) {
            const int where[3] = {place % 3, place / 3 % 3, place / 9};
            struct extent e[3];
            for (int d = 0; d < 3; d++) {
                e[d].n = size[d];
                e[d].wall[0] = where[d] == 0;
                e[d].wall[1] = where[d] == 2;
            }
            const struct brick_ghosts g = count_ghosts(e);
            assert_true(g.sides <= most.sides);
            assert_true(g.edges <= most.edges);
            assert_true(g.halo <= most.halo);
        }
    }
}

/* Levels of n cells a side, n/2, …, as far as they have bricks. */
static void check_lists(int n, int most)
{
    struct brick_ghosts all = {0, 0, 0};
    for (int m = n; m > TAIL_SOLO_DIM; m = m % 2 ? 0 : m / 2) {
        const struct bricks b = bricks_cut(m, most);
        const struct brick_ghosts g = bricks_ghosts(&b);
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
    for (int n = TAIL_SOLO_DIM + 1; n <= TAIL_DIM; n++)
        for (int most = 1; most <= TAIL_BLOCKS; most++)
            check_lists(n, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks_make_up_levels),
        cmocka_unit_test(levels_that_cycles_have_are_cut),
        cmocka_unit_test(each_brick_has_as_many_ghosts_as_said),
        cmocka_unit_test(lists_hold_all_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
