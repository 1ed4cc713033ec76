/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of jobs of up to 1,000 ranks, made in one process: copy by copy and message by message what
 * intersecting all pairs of boxes gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cpu/cpu.h"
#include "level/build.h"
#include "support/all_pairs.h"
#include "support/decompositions.h"
#include "support/run.h"
#include "support/sides.h"

enum { CASES = 300, LARGEST_DIM = 12, LARGEST_GHOSTS = 3, MAX_RANKS_ASKED = 12 };

static struct backend wrapping;

/* A level as this rank sees it. Ghosts may be deeper than boxes. */
static struct level *level_of(struct decomposition d, struct sides sides, int ghosts, bool wraps)
{
    wrapping = backend_cpu;
    wrapping.wraps = true;
    return level_create(0, d, sides, ghosts, wraps ? &wrapping : &backend_cpu, 8);
}

static long mistakes_of_level(const struct level *l, int grow, int centre)
{
    return all_pairs_mistakes(l, l, TARGET_HALO, grow, centre) +
           all_pairs_mistakes(l, l, TARGET_GHOSTS, grow, centre) +
           all_pairs_mistakes(l, l, TARGET_GROWN, grow, centre);
}

/* Boxes of any shape, whose order says nothing about where they are. */
static void random_boxes(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct extent extent = random_extent(1, LARGEST_DIM);
        const int ranks = random_int(1, 9);
        const struct sides sides = random_sides();
        const bool wraps = random_bool();
        const int ghosts = random_int(1, LARGEST_GHOSTS), grow = random_int(0, ghosts);
        const int centre = random_int(CENTRE_CELL, CENTRE_FACE_K);
        const int planes = random_int(0, 20);
        for (int rank = 0; rank < ranks; rank++) {
            comm_mock_world(rank, ranks);
            random_begin(CASES + number);
            struct level *a =
                level_of(random_decomposition(extent.n, planes, ranks), sides, ghosts, wraps);
            struct level *b =
                level_of(random_decomposition(extent.n, planes, ranks), sides, ghosts, wraps);
            EXPECT(mistakes_of_level(a, grow, centre) == 0);
            EXPECT(all_pairs_mistakes(a, b, TARGET_GROWN, grow, centre) == 0);
            level_destroy(a);
            level_destroy(b);
        }
    }
    comm_mock_world(0, 0);
}

/* A level of the program, and how the next one divides the same cells. */
struct job {
    struct decomposition_spec fine, other;
    int world;
};

/* All plans of one rank: halos, faces, and cells that move to the other boxes and back. */
static void expect_plans(const struct job *job, int rank, struct sides sides, int ghosts)
{
    comm_mock_world(rank, job->world);
    struct level *a = level_of(decomposition_create(job->fine, job->world), sides, ghosts, true);
    struct level *b = level_of(decomposition_create(job->other, job->world), sides, ghosts, false);
    EXPECT(mistakes_of_level(a, ghosts, CENTRE_CELL) == 0);
    EXPECT(all_pairs_mistakes(b, b, TARGET_GHOSTS, 1, CENTRE_FACE_J) == 0);
    EXPECT(all_pairs_mistakes(a, b, TARGET_GROWN, 0, CENTRE_FACE_K) == 0);
    EXPECT(all_pairs_mistakes(b, a, TARGET_GROWN, ghosts, CENTRE_CELL) == 0);
    level_destroy(a);
    level_destroy(b);
}

/* The first and last ranks, and some in between; all of a small job. */
static void expect_job(const struct job *job)
{
    const int most = MAX_RANKS_ASKED;
    for (int n = 0; n < most && n < job->world; n++) {
        const int rank = job->world <= most ? n : (int)((long)n * (job->world - 1) / (most - 1));
        expect_plans(job, rank, n % 2 ? random_sides() : sides_if(false), 1 + n % 4);
    }
}

static void boxes_of_the_program(void **state)
{
    (void)state;
    const struct job jobs[] = {
        {spec_cube(1, 8, 1), spec_cube(2, 4, 3), 3},
        {spec_cube(2, 8, 8), spec_cube(1, 16, 1), 8},
        {spec_cube(3, 4, 5), spec_cube(1, 12, 1), 7},
        {spec_cube(3, 2, 27), spec_cube(2, 3, 8), 27},
        {spec_cube(6, 4, 64), spec_cube(3, 8, 27), 64},
        {spec_cube(7, 2, 100), spec_cube(7, 2, 49), 100},
        {spec_cube(10, 4, 333), spec_cube(5, 8, 125), 333},
        {spec_cube(11, 3, 997), spec_cube(1, 33, 1), 997},
        {spec_cube(10, 8, 1000), spec_cube(5, 16, 125), 1000},
        {spec_cube(12, 4, 1000), spec_cube(6, 8, 216), 1000},
        {{{7, 4, 2}, {4, 4, 4}, 7}, {{1, 2, 1}, {28, 8, 8}, 2}, 7},
        {{{4, 3, 2}, {8, 8, 8}, 24}, {{2, 3, 1}, {16, 8, 16}, 6}, 24},
        {{{61, 1, 1}, {4, 4, 4}, 61}, {{1, 1, 1}, {244, 4, 4}, 1}, 61},
        {{{1, 9, 8}, {2, 4, 4}, 13}, {{1, 1, 4}, {2, 36, 8}, 4}, 72},
    };
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        random_begin((long)j);
        expect_job(&jobs[j]);
    }
    comm_mock_world(0, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes),
        cmocka_unit_test(boxes_of_the_program),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
