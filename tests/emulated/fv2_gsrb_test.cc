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
#include "fv2_red_black.h"

using namespace fv2;
enum { TILE_ROWS = emulated::THREADS / LANES };

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

template <class Op, bool ZERO, finish FINISH>
static void check(const int n[3], const enum ends sides[3], int planes, int parity)
{
    check_half_sweeps<struct fv2_gsrb, Op, ZERO, FINISH>(
        n, sides, planes, parity, 2, [&](const struct fv2_gsrb &w, std::mt19937 &random) {
            run_kernel<tile<Op, ZERO, FINISH, TILE_ROWS>>(w, planes, random);
        });
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
        const int n[3] = {8, 12, 8}, long_rows[3] = {mixture % 3 ? 64 : 8, 6, 6};
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
