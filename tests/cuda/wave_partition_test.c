/* SPDX-License-Identifier: BSD-3-Clause */
/* Wave partitions: each plane of each tile belongs to one block, and the estimated completion time
 * is never later than with all tiles alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cuda/core/wave_partition.h"

enum { EXTRA = 5 };

static void check_group(const struct wave_partition *p, int group, int n)
{
    if (group == 1 && p->first_tiles == p->tiles)
        return;
    assert_true(p->planes[group] > 0 && p->planes[group] % 2 == 0);
    assert_true((p->count[group] - 1) * p->planes[group] < n);
    assert_true(p->count[group] * p->planes[group] >= n);
}

static void check_choice(int tiles, int n, int planes, int multiprocessors)
{
    const struct wave_partition even = wave_partition_even(tiles, n, planes),
                                p = wave_partition_choose(tiles, n, planes, EXTRA, multiprocessors);
    assert_int_equal(p.tiles, tiles);
    assert_true(p.first_tiles > 0 && p.first_tiles <= tiles);
    check_group(&p, 0, n);
    check_group(&p, 1, n);
    assert_true(wave_partition_steps(&p, n, EXTRA, multiprocessors) <=
                wave_partition_steps(&even, n, EXTRA, multiprocessors));
}

static void every_plane_is_one_blocks(void **state)
{
    (void)state;
    for (int tiles = 1; tiles <= 80; tiles += 3)
        for (int n = 8; n <= 256; n += 12)
            for (int planes = 2; planes <= n; planes += 14)
                for (int multiprocessors = 1; multiprocessors <= 132; multiprocessors += 131)
                    check_choice(tiles, n, planes, multiprocessors);
}

static void steps_are_counted_by_who_is_free_first(void **state)
{
    const struct wave_partition one = wave_partition_even(3, 10, 10),
                                two = wave_partition_even(3, 10, 6);
    (void)state;
    assert_int_equal(wave_partition_blocks(&one), 3);
    assert_int_equal(wave_partition_steps(&one, 10, EXTRA, 2), 30);
    assert_int_equal(wave_partition_steps(&one, 10, EXTRA, 3), 15);
    assert_int_equal(wave_partition_blocks(&two), 6);
    assert_int_equal(wave_partition_steps(&two, 10, EXTRA, 3), 20); /* 11 and then 9 */
    assert_int_equal(wave_partition_steps(&two, 10, EXTRA, 2), 31); /* 11, 11 and 9; 11, 9 and 9 */
}

/* The quick count equals the count block by block, and no choice beats the best one. */
static void quick_count_equals_count_by_block(void **state)
{
    (void)state;
    for (int tiles = 1; tiles <= 200; tiles += 19)
        for (int n = 8; n <= 128; n += 20)
            for (int multiprocessors = 1; multiprocessors <= 132; multiprocessors += 43) {
                const int best =
                    wave_partition_best_planes(tiles, n, 2, 96, EXTRA, multiprocessors);
                const long fewest =
                    wave_partition_even_steps(tiles, n, best, EXTRA, multiprocessors);
                assert_true(best >= 2 && best <= 96 && best <= n && best % 2 == 0);
                for (int planes = 2; planes <= n && planes <= 96; planes += 2) {
                    const struct wave_partition p = wave_partition_even(tiles, n, planes);
                    const long steps =
                        wave_partition_even_steps(tiles, n, planes, EXTRA, multiprocessors);
                    assert_int_equal(steps, wave_partition_steps(&p, n, EXTRA, multiprocessors));
                    assert_true(fewest < steps || (fewest == steps && planes <= best));
                }
            }
}

/* 128³ on an H200: 126 blocks of 18 planes, and 18 blocks of 2 on the six multiprocessors left. */
static void short_blocks_fill_idle_multiprocessors(void **state)
{
    (void)state;
    assert_int_equal(wave_partition_best_planes(18, 128, 2, 256, EXTRA, 132), 18);
    assert_int_equal(wave_partition_even_steps(18, 128, 18, EXTRA, 132), 23);
}

/* 256³ on an H200: two blocks per multiprocessor, instead of a third wave that does not fill it. */
static void two_sizes_end_together(void **state)
{
    const struct wave_partition p = wave_partition_choose(76, 256, 52, EXTRA, 132);
    (void)state;
    assert_int_equal(wave_partition_blocks(&p), 264);
    assert_int_equal(p.first_tiles, 40);
    assert_int_equal(p.count[0], 3);
    assert_int_equal(p.count[1], 4);
    assert_true(wave_partition_steps(&p, 256, EXTRA, 132) < 162);
}

/* Seven tiles on four multiprocessors: two waves of blocks are enough. */
static void no_more_blocks_than_needed(void **state)
{
    const struct wave_partition p = wave_partition_choose(7, 32, 16, EXTRA, 4);
    (void)state;
    assert_int_equal(wave_partition_blocks(&p), 8);
    assert_int_equal(p.first_tiles, 6);
    assert_int_equal(wave_partition_steps(&p, 32, EXTRA, 4), 74);
}

/* With many blocks all tiles are alike, so that neighbours work on the same planes. */
static void many_blocks_are_even(void **state)
{
    const struct wave_partition p = wave_partition_choose(296, 512, 128, EXTRA, 132);
    (void)state;
    assert_int_equal(p.first_tiles, 296);
    assert_int_equal(wave_partition_blocks(&p), 1184);
}

static bool is_even(const struct wave_partition *p)
{
    return p->first_tiles == p->tiles;
}

/* Other choices are tried up to four blocks per multiprocessor, and none beyond. */
static void at_most_four_blocks_per_multiprocessor_are_changed(void **state)
{
    int changed_at_most = 0;
    (void)state;
    for (int multiprocessors = 4; multiprocessors <= 12; multiprocessors += 4)
        for (int tiles = 1; tiles <= 60; tiles++)
            for (int planes = 4; planes <= 64; planes += 4) {
                const struct wave_partition even = wave_partition_even(tiles, 64, planes),
                                            p = wave_partition_choose(tiles, 64, planes, EXTRA,
                                                                      multiprocessors);
                const int blocks = wave_partition_blocks(&even);
                assert_true(is_even(&p) || blocks <= 4 * multiprocessors);
                changed_at_most += blocks == 4 * multiprocessors && !is_even(&p);
            }
    assert_true(changed_at_most > 0);
}

/* More questions than are remembered, each asked again: each has its own answer. */
static void answers_are_those_of_their_questions(void **state)
{
    enum { QUESTIONS = 100 };
    struct wave_partition first[QUESTIONS];
    int best[QUESTIONS];
    (void)state;
    for (int turn = 0; turn < 3; turn++)
        for (int q = 0; q < QUESTIONS; q++) {
            const int tiles = 5 + q / 10, most = 2 * (10 - q % 10);
            const struct wave_partition p = wave_partition_choose(tiles, 128, most, EXTRA, 132);
            const int planes = wave_partition_best_planes(tiles, 128, 2, most, EXTRA, 132);
            first[q] = turn == 0 ? p : first[q];
            best[q] = turn == 0 ? planes : best[q];
            assert_int_equal(p.tiles, tiles);
            assert_memory_equal(&p, &first[q], sizeof p);
            assert_true(planes == best[q] && planes <= most);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plane_is_one_blocks),
        cmocka_unit_test(steps_are_counted_by_who_is_free_first),
        cmocka_unit_test(quick_count_equals_count_by_block),
        cmocka_unit_test(short_blocks_fill_idle_multiprocessors),
        cmocka_unit_test(two_sizes_end_together),
        cmocka_unit_test(no_more_blocks_than_needed),
        cmocka_unit_test(many_blocks_are_even),
        cmocka_unit_test(at_most_four_blocks_per_multiprocessor_are_changed),
        cmocka_unit_test(answers_are_those_of_their_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
