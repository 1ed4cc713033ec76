/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the fused red-black kernel of order 4 on emulated blocks: red cells, and black
 * cells that are not near walls in j and k, are bitwise those of the formulas; all other cells keep
 * their value; there are no races. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/fv4/gsrb_kernel.cuh"
#include "fv4_patch.h"

using namespace fv4;

/* Half of the tiles with `planes` planes per block, the others with two more. */
static struct wave_partition make_partition(int tiles, int n, int planes)
{
    return {tiles,
            cuda_divided(tiles, 2),
            {cuda_divided(n, planes), cuda_divided(n, planes + 2)},
            {planes, planes + 2}};
}

template <class Op>
static void run_kernel(const struct fv4_gsrb &w, int planes, std::mt19937 &random)
{
    const bool zero = !w.in;
    const struct gsrb_maps maps = {{w.in, w.c, WIDTH, REGION_ROWS + 4},
                                   {w.beta_i, w.c, WIDTH, REGION_ROWS + 2},
                                   {w.beta_j, w.c, WIDTH, REGION_ROWS + 1},
                                   {w.beta_k, w.c, WIDTH, REGION_ROWS + 2}};
    const int tiles_i = cuda_divided(w.c.n[0], CORE_WIDTH),
              tiles = tiles_i * cuda_divided(w.c.n[1] - 2, CORE_ROWS);
    const struct wave_partition waves = make_partition(tiles, w.c.n[2], planes);
    const struct block_partition partition = make_block_partition(waves, tiles_i);
    for (int block = 0; block < wave_partition_blocks(&waves); block++)
        assert_true(emulated::run({(unsigned)block, 0, 0}, random, [&] {
            zero ? gsrb_kernel<Op, true>(w, maps, partition, 0)
                 : gsrb_kernel<Op, false>(w, maps, partition, 0);
        }));
}

/* Sets both ghosts behind the walls in i of every row. */
static void fill_ends(const struct cells &c, double *u)
{
    for (int k = 0; k < c.n[2]; k++)
        for (int j = 0; j < c.n[1]; j++) {
            double *x = u + j * c.sj + k * c.sk;
            put_ghosts_behind(x, 1);
            put_ghosts_behind(x + c.n[0] - 1, -1);
        }
}

/* The expected result, computed cell by cell. */
template <class Op>
static field expected(const struct box &b, const struct fv4_gsrb &w, const field &u)
{
    field after_red = u, after_both;
    const auto is_red = [&](int i, int j, int k) { return (i + j + k + w.colour) % 2 == 0; };
    for_cells(w.c, [&](int i, int j, int k, long place) {
        if (is_red(i, j, k))
            after_red[b.origin + place] = relaxed<Op>(w, u.data() + b.origin, i, j, k);
    });
    after_both = after_red;
    fill_ends(w.c, after_red.data() + b.origin);
    for_cells(w.c, [&](int i, int j, int k, long place) {
        if (!is_red(i, j, k) && is_within(j, w.c.n[1], BOUNDARY_LAYERS) &&
            is_within(k, w.c.n[2], BOUNDARY_LAYERS))
            after_both[b.origin + place] = relaxed<Op>(w, after_red.data() + b.origin, i, j, k);
    });
    return after_both;
}

template <class Op>
static void check(int n0, int n1, int n2, int planes, int colour, enum guess guess = ANY)
{
    std::mt19937 random(n0 + n1 + n2 + colour);
    const struct box b = make_box(n0, n1, n2);
    struct fields x = make_fields(b, random);
    const struct fv4_gsrb w = make_pass<Op>(b, x, colour, guess);
    const field want = expected<Op>(b, w, x.u);
    long wrong = 0;
    emulated::races = 0;
    run_kernel<Op>(w, planes, random);
    for_cells(b.c, [&](int, int, int, long place) {
        wrong += memcmp(&w.out[place], &want[b.origin + place], sizeof(double)) != 0;
    });
    assert_int_equal(wrong, 0);
    assert_int_equal(emulated::races, 0);
}

static void test_whole_tiles(void **)
{
    check<op_fv4>(64, 16, 16, 16, 0);
    check<op_fv4>(128, 30, 20, 10, 1);
    check<op_fv4_helmholtz>(192, 16, 12, 12, 0);
}

static void test_tiles_that_are_not_full(void **)
{
    check<op_fv4>(68, 20, 16, 8, 1);
    check<op_fv4_helmholtz>(72, 20, 16, 8, 0);
    check<op_fv4>(76, 20, 16, 8, 1);
    check<op_fv4>(100, 20, 16, 8, 1);
    check<op_fv4>(132, 18, 10, 6, 0);
}

static void test_small_patches(void **)
{
    check<op_fv4>(8, 8, 8, 8, 0);
    check<op_fv4_helmholtz>(12, 12, 12, 4, 1);
    check<op_fv4>(16, 40, 8, 2, 1);
    check<op_fv4>(40, 16, 16, 6, 0);
}

static void test_from_zero(void **)
{
    check<op_fv4>(64, 16, 16, 16, 0, ZERO);
    check<op_fv4>(132, 30, 12, 6, 1, ZERO);
    check<op_fv4_helmholtz>(76, 20, 16, 8, 0, ZERO);
    check<op_fv4_helmholtz>(8, 8, 8, 8, 1, ZERO);
}

static void test_constant_coefficients(void **)
{
    check<op_fv4_constant>(64, 16, 16, 16, 0);
    check<op_fv4_constant_helmholtz>(132, 30, 12, 6, 1);
    check<op_fv4_constant>(12, 12, 12, 4, 1);
    check<op_fv4_constant>(76, 20, 16, 8, 0, ZERO);
    check<op_fv4_constant_helmholtz>(8, 8, 8, 8, 1, ZERO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_tiles),
        cmocka_unit_test(test_tiles_that_are_not_full),
        cmocka_unit_test(test_small_patches),
        cmocka_unit_test(test_from_zero),
        cmocka_unit_test(test_constant_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
