/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the fused red-black kernel of order 2 on emulated blocks, for all finishes, between
 * walls, around wrapped directions, beside open sides and any mixture of these: results are bitwise
 * those of the formulas; nothing else is stored; no ghosts are read in wrapped directions; there
 * are no races. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv2/gsrb_kernel.cuh"
#include "patch.h"

using namespace fv2;
using emulated::field;

enum { TILE_ROWS = emulated::THREADS / LANES };

/* The sides in one direction. */
enum sides { WALLS, WRAPPED, OPEN, WALL_BELOW, WALL_ABOVE, NUM_SIDES };

static emulated::box make_patch(const int n[3], const enum sides sides[3])
{
    emulated::box b = emulated::make_box(n[0], n[1], n[2]);
    for (int d = 0; d < 3; d++) {
        b.c.wall[d][0] = sides[d] == WALLS || sides[d] == WALL_BELOW;
        b.c.wall[d][1] = sides[d] == WALLS || sides[d] == WALL_ABOVE;
        b.c.wrap[d] = sides[d] == WRAPPED;
    }
    return b;
}

struct fields {
    field u, f, alpha, beta_i, beta_j, beta_k, out, coarse;
};

/* No ghosts where a direction wraps: they are NaN. */
static field without_wrapped_ghosts(const emulated::box &b, field x)
{
    emulated::for_box(b, [&](const int p[3], long place) {
        for (int d = 0; d < 3; d++)
            if (b.c.wrap[d] && (p[d] < 0 || p[d] >= b.c.n[d]))
                x[place] = std::nan("");
    });
    return x;
}

static struct fields make_fields(const emulated::box &b, std::mt19937 &random)
{
    const auto any = [&] {
        return without_wrapped_ghosts(b, emulated::random_field(b, random, -1.0, 1.0));
    };
    const auto positive = [&] {
        return without_wrapped_ghosts(b, emulated::random_field(b, random, 0.5, 1.5));
    };
    return {any(),
            any(),
            positive(),
            positive(),
            positive(),
            positive(),
            field(b.size, std::nan("")),
            field(b.size, std::nan(""))};
}

/* --- what the kernel must compute --------------------------------------------------------------
 */

/* Fields by cells, which wrapped directions continue. */
struct grid {
    const emulated::box &b;
    long place(const int p[3]) const
    {
        int q[3];
        for (int d = 0; d < 3; d++)
            q[d] = b.c.wrap[d] ? (p[d] + b.c.n[d]) % b.c.n[d] : p[d];
        return b.origin + q[0] + q[1] * b.c.sj + q[2] * b.c.sk;
    }
    /* The neighbour of p in direction d: a cell or the ghost behind a wall. */
    double beside(const field &x, const int p[3], int d, int step) const
    {
        int q[3] = {p[0], p[1], p[2]};
        const bool wall = b.c.wall[d][step > 0] && p[d] == (step > 0 ? b.c.n[d] - 1 : 0);
        q[d] += wall ? -step : step;
        return wall ? wall_quadratic(x[place(p)], x[place(q)]) : x[place(q)];
    }
    /* The faces below and above p in direction d. */
    double face(const field &beta, const int p[3], int d, int above) const
    {
        int q[3] = {p[0], p[1], p[2]};
        q[d] += above;
        return beta[place(q)];
    }
};

template <class Op>
static double sum_at(const struct grid &g, const struct fields &x, const field &u, const int p[3])
{
    double v[6], beta[6];
    const field *const betas[3] = {&x.beta_i, &x.beta_j, &x.beta_k};
    for (int side = 0; side < 6; side++) {
        v[side] = g.beside(u, p, side / 2, side % 2 ? 1 : -1);
        beta[side] = g.face(*betas[side / 2], p, side / 2, side % 2);
    }
    const double here = u[g.place(p)];
    return Op::VARIABLE ? fv2_sum(here, v[0], v[1], v[2], v[3], v[4], v[5], beta[0], beta[1],
                                  beta[2], beta[3], beta[4], beta[5])
                        : fv2_constant_sum(here, v[0], v[1], v[2], v[3], v[4], v[5]);
}

template <class Op>
static double alpha_at(const struct grid &g, const struct fields &x, const int p[3])
{
    return !Op::HELMHOLTZ ? 0.0 : Op::VARIABLE ? x.alpha[g.place(p)] : 1.0;
}

template <class Op>
static double residual_at(const struct grid &g, const struct fields &x, double scale,
                          const field &u, const int p[3])
{
    return Op::residual_from(x.f[g.place(p)], alpha_at<Op>(g, x, p), u[g.place(p)], scale,
                             sum_at<Op>(g, x, u, p));
}

/* The operator's diagonal is what it makes of 1 in the cell and 0 in all others. */
template <class Op>
static double diagonal_at(const struct grid &g, const struct fields &x, double scale,
                          const int p[3], field &unit)
{
    unit[g.place(p)] = 1.0;
    const double diagonal = fma(-scale, sum_at<Op>(g, x, unit, p), alpha_at<Op>(g, x, p));
    unit[g.place(p)] = 0.0;
    return diagonal;
}

/* Calls act(p) for the patch and `extent` layers beyond its open sides. */
template <class Do>
static void for_extended(const struct cells &c, int extent, const Do &act)
{
    int lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        lo[d] = is_open(c, d, 0) ? -extent : 0;
        hi[d] = c.n[d] + (is_open(c, d, 1) ? extent : 0);
    }
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++)
            for (int i = lo[0]; i < hi[0]; i++) {
                const int p[3] = {i, j, k};
                act(p);
            }
}

/* u after a half-sweep of the cells whose indices have a sum of this parity. */
template <class Op>
static field half_sweep(const struct grid &g, const struct fields &x, const struct fv2_gsrb &w,
                        const field &u, int parity, int extent)
{
    field after = u, unit(u.size(), 0.0);
    for_extended(g.b.c, extent, [&](const int p[3]) {
        if (((p[0] + p[1] + p[2] + parity) & 1) == 0)
            after[g.place(p)] =
                update_weighted(u[g.place(p)], 1.0 / diagonal_at<Op>(g, x, w.scale, p, unit),
                                residual_at<Op>(g, x, w.scale, u, p), 1.0);
    });
    return after;
}

/* --- the kernel --------------------------------------------------------------------------------
 */

template <class tile>
static void run_kernel(struct fv2_gsrb w, int planes, std::mt19937 &random)
{
    set_tiles<tile>(w);
    const emulated::index3 grid = {(unsigned)tiles_across<tile>(w.c, 0),
                                   (unsigned)tiles_across<tile>(w.c, 1),
                                   (unsigned)cuda_divided(w.c.n[2], planes)};
    const int n[3] = {(int)grid.x, (int)grid.y, (int)grid.z};
    const struct tile_reads none[3] = {};
    const struct tile_set tiles = tiles_of_patch(PART_ALL, n, w.c, none);
    for (unsigned k = 0; k < grid.z; k++)
        for (unsigned j = 0; j < grid.y; j++)
            for (unsigned i = 0; i < grid.x; i++)
                assert_true(emulated::run(
                    {i, j, k}, random,
                    [&] {
                        if (w.c.wrap[2] || i % 2)
                            gsrb_kernel<tile, tile_set>(w, tiles, planes);
                        else
                            gsrb_kernel<tile, all_tiles>(w, all_tiles{}, planes);
                    },
                    grid, emulated::THREADS, LANES));
}

static struct fv2_gsrb make_pass(const emulated::box &b, struct fields &x, int parity)
{
    const auto first = [&](field &v) { return v.data() + b.origin; };
    struct fv2_gsrb w = {};
    w.c = b.c;
    w.in = first(x.u);
    w.out = first(x.out);
    w.f = first(x.f);
    w.alpha = first(x.alpha);
    w.beta_i = first(x.beta_i);
    w.beta_j = first(x.beta_j);
    w.beta_k = first(x.beta_k);
    w.scale = 0.37;
    w.parity = parity;
    w.coarse = first(x.coarse);
    w.coarse_sj = b.c.sj;
    w.coarse_sk = b.c.sk;
    return w;
}

/* The field `got` holds `want` in the first n cells of each direction and NaN elsewhere. */
template <class Want>
static long differences(const emulated::box &b, const int n[3], const field &got, const Want &want)
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
static void check(const int n[3], const enum sides sides[3], int planes, int parity)
{
    std::mt19937 random(n[0] + 7 * sides[0] + 35 * sides[1] + 175 * sides[2] + planes);
    const emulated::box b = make_patch(n, sides);
    const struct grid g = {b};
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
    const field red = half_sweep<Op>(g, x, w, x.u, parity, 2),
                black = half_sweep<Op>(g, x, w, red, parity + 1, 1);
    assert_int_equal(
        differences(b, n, x.out, [&](const int[3], long place) { return black[place]; }), 0);
    const auto residual = [&](int i, int j, int k) {
        const int p[3] = {i, j, k};
        return residual_at<Op>(g, x, w.scale, black, p);
    };
    for_extended(b.c, 0, [&](const int p[3]) {
        if (FINISH == REDUCES)
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
static void check_finishes(const int n[3], const enum sides sides[3], int planes, int parity)
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
        const enum sides sides[3] = {(enum sides)(mixture % NUM_SIDES),
                                     (enum sides)(mixture / NUM_SIDES % NUM_SIDES),
                                     (enum sides)(mixture / NUM_SIDES / NUM_SIDES)};
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

static void test_small_patches(void **)
{
    const enum sides walls[3] = {WALLS, WALLS, WALLS}, wrapped[3] = {WRAPPED, WRAPPED, WRAPPED};
    for (int dim = 6; dim <= 12; dim += 2) {
        const int n[3] = {dim, dim, dim};
        check_finishes<op_fv2>(n, walls, 4, 0);
        check_finishes<op_fv2>(n, wrapped, dim == 8 ? 2 : dim, 0);
    }
}

/* Several tiles in i, and all but one of the last tile's columns beyond the patch. */
static void test_long_rows(void **)
{
    const enum sides walls[3] = {WALLS, WALLS, WALLS}, wrapped[3] = {WRAPPED, WRAPPED, WRAPPED},
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
        cmocka_unit_test(test_small_patches),
        cmocka_unit_test(test_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
