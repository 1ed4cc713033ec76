/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the deep kernel on emulated clusters, for all finishes, between walls of both
 * kinds, around wrapped directions and any mixture of these: results are bitwise those of the
 * formulas; nothing else is stored; no ghosts are read in wrapped directions; there are no races,
 * whenever the cells arrive that blocks send each other. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv2/deep_kernel.cuh"
#include "fv2_patch.h"

using namespace fv2;
using emulated::values;

enum { PAIRS = emulated::THREADS / DEEP_WIDTH };

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
static void run_kernel(struct fv2_deep w, int planes, std::mt19937 &random)
{
    w.back = (int)(w.c.sk - w.c.n[2] * w.c.sk);
    const int n[3] = {deep_tiles<tile>(w.c, 0), deep_tiles<tile>(w.c, 1),
                      cuda_divided(w.c.n[2], planes)};
    assert_true(emulated::run_clusters(
        n, tile::BLOCKS, random, [&] { deep_kernel<tile>(w, planes); }, tile::THREADS));
}

static struct fv2_deep make_pass(const emulated::box &b, struct fields &x, int parity)
{
    const auto first = [&](values &v) { return v.data() + b.origin; };
    struct fv2_deep w = {};
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

template <class tile>
static void check(const int n[3], const enum ends sides[3], int planes, int parity)
{
    using Op = typename tile::op;
    std::mt19937 random(n[0] + 7 * sides[0] + 35 * sides[1] + 175 * sides[2] + planes);
    const emulated::box b = make_patch(n, sides);
    struct fields x = make_fields(b, random);
    if (tile::ZERO)
        x.u.assign(x.u.size(), 0.0);
    struct fv2_deep w = make_pass(b, x, parity);
    unsigned long long norm = 0, want_norm = 0;
    w.norm = &norm;
    if (tile::ZERO)
        w.in = NULL;
    emulated::races = 0;
    run_kernel<tile>(w, planes, random);
    assert_int_equal(emulated::races, 0);
    values u = x.u;
    for (int sweep = 0; sweep < tile::SWEEPS; sweep++)
        u = half_sweep<Op>(b, x.a, u, parity + sweep, tile::SWEEPS - 1 - sweep + tile::FINISHES);
    assert_int_equal(differences(b, n, x.out, [&](const int[3], long place) { return u[place]; }),
                     0);
    const auto residual = [&](int i, int j, int k) {
        const int p[3] = {i, j, k};
        return residual_at<Op>(b, x.a, u, p);
    };
    emulated::for_box(b, [&](const int p[3], long) {
        if (tile::FINISH == REDUCES && is_extended(b.c, p, 0))
            want_norm = larger(want_norm, magnitude_bits(residual(p[0], p[1], p[2])));
    });
    assert_true(norm == want_norm);
    const int coarse[3] = {n[0] / 2, n[1] / 2, n[2] / 2}, nothing[3] = {};
    assert_int_equal(differences(b, tile::FINISH == RESTRICTS ? coarse : nothing, x.coarse,
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

template <class Op, finish FINISH, bool ZERO = false, int SWEEPS = 6, int BLOCKS = 2>
using small = deep_tile<Op, ZERO, FINISH, SWEEPS, PAIRS, BLOCKS>;

static const enum ends mixed[] = {WALLS, WRAPPED, OPEN, WALL_BELOW, WALL_ABOVE};

static void test_walls(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS};
    const int n[3] = {16, 20, 12}, wide[3] = {100, 8, 8};
    check<small<op_fv2, ONLY_SWEEPS>>(n, walls, 12, 0);
    check<small<op_fv2, ONLY_SWEEPS, true>>(n, walls, 6, 1);
    check<small<op_fv2, RESTRICTS>>(n, walls, 4, 0);
    check<small<op_fv2, REDUCES>>(n, walls, 12, 1);
    check<small<op_fv2_helmholtz, RESTRICTS>>(n, walls, 12, 1);
    check<small<op_fv2, RESTRICTS>>(wide, walls, 8, 0);
}

/* Mixtures of sides, on patches of several tiles. */
static void test_mixtures(void **)
{
    enum { KINDS = sizeof mixed / sizeof mixed[0] };
    for (int mixture = 0; mixture < KINDS * KINDS * KINDS; mixture += 2) {
        const enum ends sides[3] = {mixed[mixture % KINDS], mixed[mixture / KINDS % KINDS],
                                    mixed[mixture / KINDS / KINDS]};
        const int n[3] = {mixture % 3 ? 12 : 66, 18, 10};
        switch (mixture / 2 % 4) {
        case 0:
            check<small<op_fv2, RESTRICTS, true>>(n, sides, 4, mixture / 2 & 1);
            break;
        case 1:
            check<small<op_fv2_helmholtz, RESTRICTS>>(n, sides, 6, mixture / 2 & 1);
            break;
        case 2:
            check<small<op_fv2, REDUCES>>(n, sides, 10, mixture / 2 & 1);
            break;
        default:
            check<small<op_fv2, ONLY_SWEEPS, true, 4, 3>>(n, sides, 6, mixture / 2 & 1);
        }
    }
}

static void test_neumann_walls(void **)
{
    const int n[3] = {12, 18, 10};
    each_neumann_mixture([&](const enum ends sides[3], int mixture) {
        if (mixture % 8 == 0)
            check<small<op_fv2, RESTRICTS>>(n, sides, 10, 0);
        else if (mixture % 8 == 1)
            check<small<op_fv2_constant, REDUCES>>(n, sides, 6, 1);
        else if (mixture % 8 == 2)
            check<small<op_fv2_constant_helmholtz, ONLY_SWEEPS, true>>(n, sides, 10, 0);
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_neumann_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
