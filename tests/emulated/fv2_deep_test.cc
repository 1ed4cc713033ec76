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
#include "fv2_red_black.h"

using namespace fv2;
enum { PAIRS = emulated::THREADS / DEEP_WIDTH };

/* --- the kernel --------------------------------------------------------------------------------
 */

template <class tile>
static void run_region(const struct fv2_deep &w, enum pass_region region, int planes,
                       std::mt19937 &random)
{
    const struct deep_grid grid = deep_grid_of<tile>(w.c, planes);
    const struct tile_set tiles = tiles_of_patch(region, grid.n, w.c, grid.reads);
    const int outside[3] = {tiles_outside(&tiles), 1, 1},
              inside[3] = {tiles_width(&tiles, 0), tiles_width(&tiles, 1), tiles_width(&tiles, 2)};
    assert_true(emulated::run_clusters(
        tiles.outer ? outside : inside, tile::BLOCKS, random,
        [&] { deep_kernel<tile>(w, tiles, planes); }, tile::THREADS));
}

/* A copy of u without ghosts. */
static values without_ghosts(const struct fv2_deep &w)
{
    const emulated::box b = emulated::make_box(w.c.n[0], w.c.n[1], w.c.n[2]);
    values u(w.in - b.origin, w.in - b.origin + b.size);
    spoil_beyond(b, u, 0);
    return u;
}

/* All at once, or the interior, which reads no ghosts, and then the boundary. */
template <class tile>
static void run_kernel(struct fv2_deep w, int planes, std::mt19937 &random)
{
    w.back = (int)(w.c.sk - w.c.n[2] * w.c.sk);
    if (tile::FINISH == REDUCES || tile::ZERO || random() % 2)
        return run_region<tile>(w, REGION_ALL, planes, random);
    struct fv2_deep inner = w;
    const values u = without_ghosts(w);
    inner.in = u.data() + emulated::make_box(w.c.n[0], w.c.n[1], w.c.n[2]).origin;
    run_region<tile>(inner, REGION_INTERIOR, planes, random);
    run_region<tile>(w, REGION_BOUNDARY, planes, random);
}

template <class tile>
static void check(const int n[3], const enum ends sides[3], int planes, int parity)
{
    check_half_sweeps<struct fv2_deep, typename tile::op, tile::ZERO, tile::FINISH>(
        n, sides, planes, parity, tile::SWEEPS,
        [&](const struct fv2_deep &w, std::mt19937 &random) {
            run_kernel<tile>(w, planes, random);
        });
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
    check<small<op_fv2, RESTRICTS, true, 6, 8>>(wide, walls, 8, 0);
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

/* Few half-sweeps, in single blocks too: one finish for each direction's kinds of sides. */
template <int SWEEPS>
static void check_few(const int n[3], const enum ends sides[3], int planes, int number)
{
    switch (number % 5) {
    case 0:
        return check<small<op_fv2, ONLY_SWEEPS, false, SWEEPS, 1>>(n, sides, planes, number & 1);
    case 1:
        return check<small<op_fv2, ONLY_SWEEPS, true, SWEEPS, 1>>(n, sides, planes, 0);
    case 2:
        return check<small<op_fv2_helmholtz, RESTRICTS, false, SWEEPS, 2>>(n, sides, planes, 1);
    case 3:
        return check<small<op_fv2, REDUCES, false, SWEEPS, 1>>(n, sides, planes, number & 1);
    default:
        return check<small<op_fv2_constant, ONLY_SWEEPS, false, SWEEPS, 1>>(n, sides, planes, 1);
    }
}

/* Every mixture of sides, on patches as small as they may be and on longer ones. */
static void test_few_sweeps(void **)
{
    for (int mixture = 0; mixture < NUM_SIDES * NUM_SIDES * NUM_SIDES; mixture++) {
        const enum ends sides[3] = {(enum ends)(mixture % NUM_SIDES),
                                    (enum ends)(mixture / NUM_SIDES % NUM_SIDES),
                                    (enum ends)(mixture / NUM_SIDES / NUM_SIDES)};
        const int n[3] = {mixture % 7 ? 6 : 58, mixture % 3 ? 6 : 14, mixture % 4 ? 8 : 18};
        check_few<2>(n, sides, mixture % 2 ? 4 : 18, mixture);
        check_few<3>(n, sides, mixture % 2 ? 18 : 6, mixture + 1);
    }
}

static void test_two_and_residual(void **)
{
    const enum ends walls[3] = {WALLS, WALLS, WALLS}, beside[3] = {OPEN, WRAPPED, OPEN};
    const int n[3] = {64, 16, 8};
    check<small<op_fv2, RESTRICTS, false, 2, 1>>(n, walls, 4, 0);
    check<small<op_fv2, RESTRICTS, false, 2, 1>>(n, beside, 8, 1);
    check<small<op_fv2, RESTRICTS, false, 3, 2>>(n, beside, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_neumann_walls),
        cmocka_unit_test(test_few_sweeps),
        cmocka_unit_test(test_two_and_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
