/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the boundary-layer update of order 4 on emulated blocks: black cells next to walls
 * in j and k and all ghosts are bitwise those of the formulas; nothing else changes; there are no
 * races.
 */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv4/boundary_kernel.cuh"
#include "fv4_patch.h"

using namespace fv4::boundary;

enum { ALL_WALLS = 63, LAYERS = 2 };

template <class Op>
static void run_kernel(const struct fv4_gsrb &w, bool open, std::mt19937 &random)
{
    const dim3 blocks = boundary_grid(w.c);
    const int grid[3] = {(int)blocks.x, (int)blocks.y, (int)blocks.z};
    assert_true(has_threads_for_ends(w));
    assert_true(emulated::run_grid(grid, random, [&] {
        open ? boundary_kernel<Op, true>(w) : boundary_kernel<Op, false>(w);
    }));
}

/* Where values are in direction d: in the patch, in two layers beyond open sides, and after the
 * walls of this direction behind them too. */
static void range_of(const struct cells &c, int d, bool after, int range[2])
{
    range[0] = after || !c.wall[d][0] ? -LAYERS : 0;
    range[1] = c.n[d] + (after || !c.wall[d][1] ? LAYERS : 0);
}

/* Ghosts of both layers behind walls, edges and corners included: in i, then in j, then in k. */
static void fill_ghosts(const struct cells &c, real *u)
{
    const long step[3] = {1, c.sj, c.sk};
    for (int d = 0; d < 3; d++) {
        const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
        int in_a[2], in_b[2];
        range_of(c, a, a < d, in_a);
        range_of(c, b, b < d, in_b);
        for (int q = in_b[0]; q < in_b[1]; q++)
            for (int p = in_a[0]; p < in_a[1]; p++) {
                real *x = u + p * step[a] + q * step[b];
                if (c.wall[d][0])
                    put_ghosts_behind(c, d, false, x, step[d]);
                if (c.wall[d][1])
                    put_ghosts_behind(c, d, true, x + (c.n[d] - 1) * step[d], step[d]);
            }
    }
}

static bool is_inside(const struct cells &c, int i, int j, int k)
{
    const int p[3] = {i, j, k};
    return emulated::outside_of(c, p).directions == 0;
}

/* Red cells of the patch have been updated; those of neighbours are updated here. */
template <class Op>
static values expected(const emulated::box &b, const struct fv4_gsrb &w, const values &u)
{
    values both = u, after;
    for_cells(w.c, true, [&](int i, int j, int k, long place) {
        if (is_red(w, i, j, k))
            both[b.origin + place] = is_inside(w.c, i, j, k)
                                         ? w.out[place]
                                         : relaxed<Op>(w, u.data() + b.origin, i, j, k);
    });
    fill_ghosts(w.c, both.data() + b.origin);
    after.assign(w.out - b.origin, w.out - b.origin + b.size);
    for_cells(w.c, false, [&](int i, int j, int k, long place) {
        if (!is_red(w, i, j, k) && in_boundary_layer(w, j, k))
            after[b.origin + place] = relaxed<Op>(w, both.data() + b.origin, i, j, k);
    });
    fill_ghosts(w.c, after.data() + b.origin);
    return after;
}

/* Whether the operator reads this cell of a field: two ghosts behind each wall, and one on edges.
 */
static bool is_read(const struct cells &c, const int p[3])
{
    const struct emulated::outside o = emulated::outside_of(c, p);
    return o.directions == 0 || (o.directions == 1 && o.layers <= 2) ||
           (o.directions == 2 && o.layers == 1);
}

template <class Op>
static void check(int n0, int n1, int n2, int colour, bool ghosts, enum guess guess = ANY,
                  unsigned walls = ALL_WALLS, unsigned neumann = 0)
{
    std::mt19937 random(n0 + n1 + n2 + colour);
    const emulated::box b = make_walled_box(n0, n1, n2, walls, neumann);
    struct fields x = make_fields(b, random);
    struct fv4_gsrb w = make_pass<Op>(b, x, colour, guess);
    x.out = random_field(b, random, -1.0, 1.0);
    w.out = x.out.data() + b.origin;
    w.ghosts = ghosts;
    const values want = expected<Op>(b, w, x.u), before = x.out;
    long wrong = 0;
    emulated::races = 0;
    run_kernel<Op>(w, walls != ALL_WALLS, random);
    emulated::for_box(b, [&](const int p[3], long place) {
        const bool inside = emulated::outside_of(b.c, p).directions == 0;
        const values &right = is_read(b.c, p) && (inside || ghosts) ? want : before;
        wrong += memcmp(&x.out[place], &right[place], sizeof(real)) != 0;
    });
    assert_int_equal(wrong, 0);
    assert_int_equal(emulated::races, 0);
}

static void test_cubes(void **)
{
    check<op_fv4_helmholtz>(8, 8, 8, 0, true);
    check<op_fv4>(12, 12, 12, 1, true);
    check<op_fv4_helmholtz>(16, 16, 16, 0, false);
    check<op_fv4>(20, 20, 20, 1, true);
    check<op_fv4>(36, 36, 36, 1, true);
}

static void test_other_patches(void **)
{
    check<op_fv4>(68, 8, 12, 1, true);
    check<op_fv4_helmholtz>(12, 20, 8, 0, true);
    check<op_fv4>(36, 12, 28, 0, true);
}

static void test_from_zero(void **)
{
    check<op_fv4>(20, 20, 20, 1, true, ZERO);
    check<op_fv4_helmholtz>(36, 12, 8, 0, true, ZERO);
}

static void test_constant_coefficients(void **)
{
    check<op_fv4_constant>(20, 20, 20, 1, true);
    check<op_fv4_constant_helmholtz>(36, 12, 8, 0, true);
    check<op_fv4_constant>(8, 8, 8, 1, true, ZERO);
}

static void test_neumann_walls(void **)
{
    for (unsigned neumann = 1; neumann <= ALL_WALLS; neumann += 2) {
        check<op_fv4_constant>(12, 8, 16, neumann / 2 % 2, true, ANY, ALL_WALLS, neumann);
        check<op_fv4>(8, 16, 12, 0, true, neumann % 4 ? ANY : ZERO, ALL_WALLS, ~neumann);
        check<op_fv4_constant>(12, 8, 16, 1, false, ANY, neumann * 5 % 64, neumann);
    }
    check<op_fv4_helmholtz>(36, 12, 28, 1, true, ANY, ALL_WALLS, ALL_WALLS);
}

static void test_open_sides(void **)
{
    for (unsigned walls = 0; walls < ALL_WALLS; walls += 5)
        check<op_fv4_constant>(12, 8, 16, walls % 2, false, ANY, walls);
    for (const unsigned walls : {4u, 21u, 42u, 29u, 46u, 61u}) {
        check<op_fv4>(32, 8, 12, 0, false, ANY, walls);
        check<op_fv4_helmholtz>(36, 12, 8, 1, false, ANY, walls);
        check<op_fv4>(8, 16, 8, 1, false, ZERO, walls);
    }
}

/* A pass that stores ghosts is of a cube. One that does not is of any part of a level, for example
 * of two ranks with 5³ boxes of 32³. */
static void test_threads_suffice(void **)
{
    struct fv4_gsrb w = {};
    w.ghosts = true;
    for (int n = 8; n <= 2048; n += 4) {
        w.c.n[0] = w.c.n[1] = w.c.n[2] = n;
        assert_true(has_threads_for_ends(w));
    }
    w.ghosts = false;
    w.c.n[0] = 32;
    w.c.n[1] = 128;
    w.c.n[2] = 96;
    assert_true(has_threads_for_ends(w));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),           cmocka_unit_test(test_other_patches),
        cmocka_unit_test(test_from_zero),       cmocka_unit_test(test_constant_coefficients),
        cmocka_unit_test(test_neumann_walls),   cmocka_unit_test(test_open_sides),
        cmocka_unit_test(test_threads_suffice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
