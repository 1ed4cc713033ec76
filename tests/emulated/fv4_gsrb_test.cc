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

template <>
CUtensorMap tile_source<CUtensorMap>(const double *x, const struct cells &c, int width, int rows)
{
    return {x, c, width, rows};
}

template <>
struct field_source tile_source<field_source>(const double *x, const struct cells &c, int, int) {
    return {x, c.sj, c.sk, {c.n[0], c.n[1], c.n[2]}};
}

template <class tile>
static void run_kernel(const struct fv4_gsrb &w, int planes, std::mt19937 &random)
{
    const bool zero = !w.in;
    const sources_of<tile> from = make_sources<tile>(w);
    const int tiles_i = cuda_divided(w.c.n[0], tile::CORE_WIDTH),
              tiles = tiles_i * cuda_divided(w.c.n[1] - 2, tile::CORE_ROWS);
    const struct wave_partition waves = make_partition(tiles, w.c.n[2], planes);
    const struct block_partition partition = make_block_partition(waves, tiles_i);
    const auto kernel = [&] {
        if (w.alpha)
            zero ? gsrb_kernel<tile, true, true>(w, from, partition, 0)
                 : gsrb_kernel<tile, true, false>(w, from, partition, 0);
        else
            zero ? gsrb_kernel<tile, false, true>(w, from, partition, 0)
                 : gsrb_kernel<tile, false, false>(w, from, partition, 0);
    };
    for (int block = 0; block < wave_partition_blocks(&waves); block++)
        assert_true(
            emulated::run({(unsigned)block, 0, 0}, random, kernel, {1, 1, 1}, tile::THREADS));
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
static field expected(const struct box &b, const struct fv4_gsrb &w, const field &u)
{
    field after_red = u, after_both;
    const auto is_red = [&](int i, int j, int k) { return (i + j + k + w.colour) % 2 == 0; };
    for_cells(w.c, [&](int i, int j, int k, long place) {
        if (is_red(i, j, k))
            after_red[b.origin + place] = relaxed(w, u.data() + b.origin, i, j, k);
    });
    after_both = after_red;
    fill_ends(w.c, after_red.data() + b.origin);
    for_cells(w.c, [&](int i, int j, int k, long place) {
        if (!is_red(i, j, k) && is_within(j, w.c.n[1], BOUNDARY_LAYERS) &&
            is_within(k, w.c.n[2], BOUNDARY_LAYERS))
            after_both[b.origin + place] = relaxed(w, after_red.data() + b.origin, i, j, k);
    });
    return after_both;
}

template <class tile>
static void check_tile(int n0, int n1, int n2, int planes, bool helmholtz, int colour,
                       enum guess guess)
{
    std::mt19937 random(n0 + n1 + n2 + colour);
    const struct box b = make_box(n0, n1, n2);
    struct fields x = make_fields(b, random);
    const struct fv4_gsrb w = make_pass(b, x, helmholtz, colour, guess);
    const field want = expected(b, w, x.u);
    long wrong = 0;
    emulated::races = 0;
    run_kernel<tile>(w, planes, random);
    for_cells(b.c, [&](int, int, int, long place) {
        wrong += memcmp(&w.out[place], &want[b.origin + place], sizeof(double)) != 0;
    });
    assert_int_equal(wrong, 0);
    assert_int_equal(emulated::races, 0);
}

/* With both mechanisms of copies and all sizes of tiles. */
static void check(int n0, int n1, int n2, int planes, bool helmholtz, int colour,
                  enum guess guess = ANY)
{
    check_tile<large_tile>(n0, n1, n2, planes, helmholtz, colour, guess);
    check_tile<medium_tile>(n0, n1, n2, planes, helmholtz, colour, guess);
    check_tile<small_tile>(n0, n1, n2, planes, helmholtz, colour, guess);
}

static void test_whole_tiles(void **)
{
    check(64, 16, 16, 16, false, 0);
    check(128, 30, 20, 10, false, 1);
    check(192, 16, 12, 12, true, 0);
}

static void test_tiles_that_are_not_full(void **)
{
    for (int n = 68; n <= 100; n += n < 76 ? 4 : 24)
        check(n, 20, 16, 8, n == 72, n / 4 % 2);
    check(132, 18, 10, 6, false, 0);
}

static void test_small_patches(void **)
{
    check(8, 8, 8, 8, false, 0);
    check(12, 12, 12, 4, true, 1);
    check(16, 40, 8, 2, false, 1);
    check(40, 16, 16, 6, false, 0);
}

static void test_from_zero(void **)
{
    check(64, 16, 16, 16, false, 0, ZERO);
    check(132, 30, 12, 6, false, 1, ZERO);
    check(76, 20, 16, 8, true, 0, ZERO);
    check(8, 8, 8, 8, true, 1, ZERO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_tiles),
        cmocka_unit_test(test_tiles_that_are_not_full),
        cmocka_unit_test(test_small_patches),
        cmocka_unit_test(test_from_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
