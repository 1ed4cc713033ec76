/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the fused red-black kernel of order 2 on emulated blocks, for all finishes, between
 * walls of both kinds, around wrapped directions, beside open sides and any mixture of these:
 * results are bitwise those of the formulas; nothing else is stored; no ghosts are read in wrapped
 * directions; there are no races. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv2/gsrb_kernel.cuh"
#include "fv2_patch.h"

using namespace fv2;
using emulated::values;

enum { TILE_ROWS = emulated::THREADS / LANES };

struct fields {
    values u;
    struct coefficients a;
    values out, coarse;
};

static struct fields make_fields(const emulated::box &b, std::mt19937 &random)
{
    values u = make_values(b, random, -1.0, 1.0);
    return {u, make_coefficients(b, random), values(b.size, std::nan("")),
            values(b.size, std::nan(""))};
}

/* u after a half-sweep, `extent` layers beyond open sides too, of the cells whose indices have a
 * sum of this parity. */
template <class Op>
static values half_sweep(const emulated::box &b, const struct coefficients &a, const values &u,
                         int parity, int extent)
{
    values after = u, zeros(u.size(), 0.0);
    emulated::for_box(b, [&](const int p[3], long place) {
        if (((p[0] + p[1] + p[2] + parity) & 1) == 0 && is_extended(b.c, p, extent))
            after[place] = update_weighted(u[place], 1.0 / diagonal_at<Op>(b, a, p, zeros),
                                           residual_at<Op>(b, a, u, p), 1.0);
    });
    return after;
}

/* --- the kernel --------------------------------------------------------------------------------
 */

template <class tile>
static void run_kernel(struct fv2_gsrb w, int planes, std::mt19937 &random)
{
    set_tiles<tile>(w);
    const int n[3] = {tiles_across<tile>(w.c, 0), tiles_across<tile>(w.c, 1),
                      cuda_divided(w.c.n[2], planes)};
    const struct tile_reads none[3] = {};
    const struct tile_set tiles = tiles_of_patch(REGION_ALL, n, w.c, none);
    assert_true(emulated::run_grid(
        n, random, [&] { gsrb_kernel<tile>(w, tiles, planes); }, emulated::THREADS, LANES));
}

static struct fv2_gsrb make_pass(const emulated::box &b, struct fields &x, int parity)
{
    const auto first = [&](values &v) { return v.data() + b.origin; };
    struct fv2_gsrb w = {};
    w.c = b.c;
    w.in = first(x.u);
    w.out = first(x.out);
    w.f = first(x.a.f);
    w.alpha = first(x.a.alpha);
    w.beta_i = first(x.a.beta[0]);
    w.beta_j = first(x.a.beta[1]);
    w.beta_k = first(x.a.beta[2]);
    w.scale = x.a.scale;
    w.parity = parity;
    w.coarse = first(x.coarse);
    w.coarse_sj = b.c.sj;
    w.coarse_sk = b.c.sk;
    return w;
}

/* The field `got` holds `want` in the first n cells of each direction and NaN elsewhere. */
template <class Want>
static long differences(const emulated::box &b, const int n[3], const values &got, const Want &want)
{
    long wrong = 0;
    emulated::for_box(b, [&](const int p[3], long place) {
        bool inside = true;
        for (int d = 0; d < 3; d++)
            inside = inside && p[d] >= 0 && p[d] < n[d];
        const double value = inside ? want(p, place) : std::nan("");
        wrong += memcmp(&value, &got[place], sizeof value) != 0;
    });
    return wrong;
}

template <class Op, bool ZERO, finish FINISH>
static void check(const int n[3], const enum ends sides[3], int planes, int parity)
{
    std::mt19937 random(n[0] + 7 * sides[0] + 35 * sides[1] + 175 * sides[2] + planes);
    const emulated::box b = make_patch(n, sides);
    struct fields x = make_fields(b, random);
    if (ZERO)
        x.u.assign(x.u.size(), 0.0);
    struct fv2_gsrb w = make_pass(b, x, parity);
    unsigned long long norm = 0, want_norm = 0;
    w.norm = &norm;
    if (ZERO)
        w.in = NULL;
    emulated::races = 0;
    run_kernel<tile<Op, ZERO, FINISH, TILE_ROWS>>(w, planes, random);
    assert_int_equal(emulated::races, 0);
    const values red = half_sweep<Op>(b, x.a, x.u, parity, 2),
                 black = half_sweep<Op>(b, x.a, red, parity + 1, 1);
    assert_int_equal(
        differences(b, n, x.out, [&](const int[3], long place) { return black[place]; }), 0);
    const auto residual = [&](int i, int j, int k) {
        const int p[3] = {i, j, k};
        return residual_at<Op>(b, x.a, black, p);
    };
    emulated::for_box(b, [&](const int p[3], long) {
        if (FINISH == REDUCES && is_extended(b.c, p, 0))
            want_norm = larger(want_norm, magnitude_bits(residual(p[0], p[1], p[2])));
    });
    assert_true(norm == want_norm);
    const int coarse[3] = {n[0] / 2, n[1] / 2, n[2] / 2}, nothing[3] = {};
    assert_int_equal(differences(b, FINISH == RESTRICTS ? coarse : nothing, x.coarse,
                                 [&](const int p[3], long) {
                                     double pairs[4];
                                     for (int row = 0; row < 4; row++) {
                                         const int i = 2 * p[0], j = 2 * p[1] + row % 2,
                                                   k = 2 * p[2] + row / 2;
                                         pairs[row] = residual(i, j, k) + residual(i + 1, j, k);
                                     }
                                     return restrict_cell(pairs[0], pairs[1], pairs[2], pairs[3]);
                                 }),
                     0);
}

template <class Op>
static void check_finishes(const int n[3], const enum ends sides[3], int planes, int parity)
{
    check<Op, false, ONLY_SWEEPS>(n, sides, planes, parity);
    check<Op, true, ONLY_SWEEPS>(n, sides, planes, parity);
    check<Op, false, RESTRICTS>(n, sides, planes, parity);
    check<Op, false, REDUCES>(n, sides, planes, parity);
}

/* Every mixture of sides on a patch of several tiles in j and k. */
static void test_mixtures(void **)
{
    const int n[3] = {8, 12, 8};
    for (int mixture = 0; mixture < NUM_SIDES * NUM_SIDES * NUM_SIDES; mixture++) {
        const enum ends sides[3] = {(enum ends)(mixture % NUM_SIDES),
                                    (enum ends)(mixture / NUM_SIDES % NUM_SIDES),
                                    (enum ends)(mixture / NUM_SIDES / NUM_SIDES)};
        switch (mixture % 4) {
        case 0:
            check<op_fv2, false, ONLY_SWEEPS>(n, sides, 4, mixture & 1);
            break;
        case 1:
            check<op_fv2_helmholtz, false, RESTRICTS>(n, sides, 4, mixture & 1);
            break;
        case 2:
            check<op_fv2, false, REDUCES>(n, sides, 6, mixture & 1);
            break;
        default:
            check<op_fv2, true, ONLY_SWEEPS>(n, sides, 2, mixture & 1);
        }
    }
}

static void test_neumann_walls(void **)
{
    each_neumann_mixture([](const enum ends sides[3], int mixture) {
        const int n[3] = {8, 12, 8}, long_rows[3] = {mixture % 3 ? 62 : 8, 6, 6};
        if (mixture % 2)
            check<op_fv2_helmholtz, false, RESTRICTS>(n, sides, 4, 0);
        else
            check<op_fv2, false, REDUCES>(n, sides, 6, 1);
        check<op_fv2, true, ONLY_SWEEPS>(n, sides, 2, 0);
        check<op_fv2_constant, false, ONLY_SWEEPS>(long_rows, sides, 4, 0);
        check<op_fv2_constant, true, ONLY_SWEEPS>(n, sides, 8, 1);
        check<op_fv2_constant_helmholtz, false, RESTRICTS>(n, sides, 4, 0);
    });
}

static void test_small_patches(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS}, wrapped[3] = {WRAPPED, WRAPPED, WRAPPED};
    for (int dim = 6; dim <= 12; dim += 2) {
        const int n[3] = {dim, dim, dim};
        check_finishes<op_fv2>(n, walls, 4, 0);
        check_finishes<op_fv2>(n, wrapped, dim == 8 ? 2 : dim, 0);
    }
}

/* Several tiles in i, and all but one of the last tile's columns beyond the patch. */
static void test_long_rows(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS}, wrapped[3] = {WRAPPED, WRAPPED, WRAPPED},
                    beside[3] = {OPEN, WRAPPED, OPEN};
    for (const int width : {60, 62}) {
        const int n[3] = {width, 6, 6};
        check_finishes<op_fv2>(n, walls, 6, 0);
        check_finishes<op_fv2>(n, wrapped, 6, 0);
        check<op_fv2_constant, false, ONLY_SWEEPS>(n, wrapped, 4, 0);
        check<op_fv2_constant_helmholtz, false, REDUCES>(n, wrapped, 2, 0);
        check<op_fv2_helmholtz, false, RESTRICTS>(n, beside, 2, 1);
    }
    const int long_rows[3] = {124, 6, 6};
    check<op_fv2, false, ONLY_SWEEPS>(long_rows, wrapped, 6, 0);
    check<op_fv2, false, RESTRICTS>(long_rows, wrapped, 6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_neumann_walls),
        cmocka_unit_test(test_small_patches),
        cmocka_unit_test(test_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
