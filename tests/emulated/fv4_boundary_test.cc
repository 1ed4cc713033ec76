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

template <class Op>
static void run_kernel(const struct fv4_gsrb &w, std::mt19937 &random)
{
    const emulated::index3 grid = {(unsigned)cuda_divided(w.c.n[0], TILE_X),
                                   (unsigned)cuda_divided(std::max(w.c.n[1], w.c.n[2]), TILE_Y), 4};
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++)
                assert_true(emulated::run(
                    {x, y, z}, random, [&] { boundary_kernel<Op>(w); }, grid));
}

/* Ghosts of both layers behind walls, edges and corners included: in i, then in j, then in k. */
static void fill_ghosts(const struct cells &c, double *u)
{
    const long step[3] = {1, c.sj, c.sk};
    int least[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++) {
        const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
        for (int q = least[b]; q < c.n[b] - least[b]; q++)
            for (int p = least[a]; p < c.n[a] - least[a]; p++)
                for (int high = 0; high < 2; high++) {
                    const long s = high ? -step[d] : step[d];
                    double *x = u + p * step[a] + q * step[b] + (high ? (c.n[d] - 1) * step[d] : 0);
                    put_ghosts_behind(x, s);
                }
        least[d] = -2;
    }
}

static bool is_red(const struct fv4_gsrb &w, int i, int j, int k)
{
    return (i + j + k + w.colour) % 2 == 0;
}

static bool next_to_walls(const struct fv4_gsrb &w, int j, int k)
{
    return !away_from_walls(j, w.c.n[1]) || !away_from_walls(k, w.c.n[2]);
}

template <class Op>
static field expected(const struct box &b, const struct fv4_gsrb &w, const field &u)
{
    field both(b.size), after;
    for_cells(w.c, [&](int i, int j, int k, long place) {
        both[b.origin + place] = is_red(w, i, j, k) ? w.out[place] : u[b.origin + place];
    });
    fill_ghosts(w.c, both.data() + b.origin);
    after.assign(w.out - b.origin, w.out - b.origin + b.size);
    for_cells(w.c, [&](int i, int j, int k, long place) {
        if (!is_red(w, i, j, k) && next_to_walls(w, j, k))
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
static void check(int n0, int n1, int n2, int colour, bool ghosts, enum guess guess = ANY)
{
    std::mt19937 random(n0 + n1 + n2 + colour);
    const struct box b = make_box(n0, n1, n2);
    struct fields x = make_fields(b, random);
    struct fv4_gsrb w = make_pass<Op>(b, x, colour, guess);
    x.out = random_field(b, random, -1.0, 1.0);
    w.out = x.out.data() + b.origin;
    w.ghosts = ghosts;
    const field want = expected<Op>(b, w, x.u), before = x.out;
    long wrong = 0;
    emulated::races = 0;
    run_kernel<Op>(w, random);
    emulated::for_box(b, [&](const int p[3], long place) {
        const bool inside = emulated::outside_of(b.c, p).directions == 0;
        const field &right = is_read(b.c, p) && (inside || ghosts) ? want : before;
        wrong += memcmp(&x.out[place], &right[place], sizeof(double)) != 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubes),
        cmocka_unit_test(test_other_patches),
        cmocka_unit_test(test_from_zero),
        cmocka_unit_test(test_constant_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
