/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner and outer tiles of random patches: every tile is inner or outer, once; inner tiles read no
 * ghost beyond open sides; every outer tile does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "cuda/core/tiles.h"
#include "support/random.h"

enum { CASES = 20000, MAX_TILES = 7 };

struct tiling {
    int n[3], cells[3];
    bool wall[3][2];
    struct tile_reads reads[3];
};

static struct tiling random_tiling(void)
{
    struct tiling g;
    for (int d = 0; d < 3; d++) {
        const int step = random_int(2, 20), halo = random_int(1, 4);
        g.n[d] = random_int(1, MAX_TILES);
        g.cells[d] = (g.n[d] - 1) * step + random_int(1, step);
        g.reads[d] = (struct tile_reads){-halo, step, step + 2 * halo};
        g.wall[d][0] = random_bool();
        g.wall[d][1] = random_bool();
    }
    return g;
}

static bool reads_open_ghosts(const struct tiling *g, const int tile[3])
{
    for (int d = 0; d < 3; d++) {
        const int first = g->reads[d].first + tile[d] * g->reads[d].step;
        if ((first < 0 && !g->wall[d][0]) ||
            (first + g->reads[d].extent > g->cells[d] && !g->wall[d][1]))
            return true;
    }
    return false;
}

static int number_of(const struct tiling *g, const int tile[3])
{
    for (int d = 0; d < 3; d++)
        assert_in_range(tile[d], 0, g->n[d] - 1);
    return tile[0] + g->n[0] * (tile[1] + g->n[1] * tile[2]);
}

/* Marks the inner tiles, none of which may read ghosts beyond open sides. */
static int mark_inner(const struct tiling *g, char *marks)
{
    const struct tile_set t = tiles_of_region(REGION_INTERIOR, g->n, g->cells, g->wall, g->reads);
    int count = 0, tile[3];
    for (tile[2] = t.lo[2]; tile[2] < t.hi[2]; tile[2]++)
        for (tile[1] = t.lo[1]; tile[1] < t.hi[1]; tile[1]++)
            for (tile[0] = t.lo[0]; tile[0] < t.hi[0]; tile[0]++, count++) {
                assert_false(reads_open_ghosts(g, tile));
                marks[number_of(g, tile)]++;
            }
    assert_int_equal(count, tiles_width(&t, 0) * tiles_width(&t, 1) * tiles_width(&t, 2));
    return count;
}

static int mark_outer(const struct tiling *g, char *marks)
{
    const struct tile_set t = tiles_of_region(REGION_BOUNDARY, g->n, g->cells, g->wall, g->reads);
    for (int x = 0; x < tiles_outside(&t); x++) {
        int tile[3];
        tiles_coordinates(&t, x, tile);
        assert_true(reads_open_ghosts(g, tile));
        marks[number_of(g, tile)]++;
    }
    return tiles_outside(&t);
}

static void parts_make_up_the_whole(void **state)
{
    int both = 0;
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct tiling g = random_tiling();
        const int all = g.n[0] * g.n[1] * g.n[2];
        char marks[MAX_TILES * MAX_TILES * MAX_TILES] = {0};
        const int inner = mark_inner(&g, marks), outer = mark_outer(&g, marks);
        assert_int_equal(inner + outer, all);
        for (int x = 0; x < all; x++)
            assert_int_equal(marks[x], 1);
        both += inner > 0 && outer > 0;
    }
    assert_true(both > CASES / 4);
}

static void all_are_all(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct tiling g = random_tiling();
        const struct tile_set t = tiles_of_region(REGION_ALL, g.n, g.cells, g.wall, g.reads);
        assert_false(t.outer);
        for (int d = 0; d < 3; d++)
            assert_int_equal(tiles_width(&t, d), g.n[d]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_up_the_whole),
        cmocka_unit_test(all_are_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
