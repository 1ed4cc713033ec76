/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes around the largest numbers that the program can count, on any number of ranks, and what is
 * known of those that it can before they are built. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <string.h>
#include "solvers/size.h"
#include "support/run.h"
#include "support/solve_case.h"

static struct hierarchy_choice choice_of(int log2_box_dim, long boxes_per_rank)
{
    return case_choice(2, true, false, SMOOTHER_JACOBI, log2_box_dim, boxes_per_rank);
}

static void expect_counted(int log2_box_dim, long boxes_per_rank, int ranks)
{
    const struct hierarchy_choice choice = choice_of(log2_box_dim, boxes_per_rank);
    char message[256] = "";
    if (size_check(&choice, ranks, message, sizeof message) != STATUS_VALID)
        fail_msg("2^%d, %ld boxes, %d ranks: %s", log2_box_dim, boxes_per_rank, ranks, message);
    const struct hierarchy_shape shape = hierarchy_shape(&choice, ranks);
    int n[3];
    spec_extent(&shape.specs[0], n);
    assert_in_range(spec_boxes(&shape.specs[0]), 1, INT_MAX);
    assert_in_range(extent_longest(n), 4, MAX_DIM);
}

static void expect_refused(int log2_box_dim, long boxes_per_rank, int ranks, const char *part)
{
    const struct hierarchy_choice choice = choice_of(log2_box_dim, boxes_per_rank);
    char message[256] = "";
    assert_int_equal(size_check(&choice, ranks, message, sizeof message), STATUS_USAGE);
    if (!strstr(message, part))
        fail_msg("'%s' lacks '%s'", message, part);
    assert_null(strchr(message, '\n'));
}

/* 1280³ < 2³¹ <= 1408³; of other sides between them the size rule knows none. */
static void boxes_around_2_to_the_31(void **state)
{
    (void)state;
    expect_counted(2, 1000000, 2);
    expect_counted(2, 1000000, 2147);
    expect_counted(2, 1, 2097152000); /* 1280³ */
    expect_counted(2, 1, INT_MAX);
    expect_counted(2, 1000000, 2791);
    expect_refused(2, 1000000, 2792, "are 2791309312 boxes, more than 2147483647");
    expect_refused(2, 1000000, 3000,
                   "1000000 boxes per rank of 2^2 cells per side on 3000 ranks are");
    expect_refused(2, 4096, 2097152, "are 8589934592 boxes"); /* 2048³, which is 0 as an int */
    expect_refused(2, 2, 2147483647, "boxes");
    expect_refused(10, 1000000, INT_MAX, "boxes");
}

/* 1024 boxes of 1024 cells per side are not too many, but their bytes are. */
static void cells_a_side_around_2_to_the_20(void **state)
{
    (void)state;
    expect_refused(10, 1000, 1073742, "bytes of fields, more than 9.22e+18");
    expect_refused(10, 1000, 2000000, "are 1179648 cells per side, more than 1048576");
}

static void bytes_around_2_to_the_63(void **state)
{
    (void)state;
    expect_counted(10, 1, 1 << 24); /* 256³ boxes */
    expect_counted(10, 1, 288 * 288 * 288);
    expect_refused(10, 1, 320 * 320 * 320, "bytes of fields");
    expect_refused(10, 1, 448 * 448 * 448, "bytes of fields");
    expect_refused(10, 1000000, 512, "bytes of fields");
}

static void expect_domain(const int boxes[3], long boxes_per_rank, int ranks, const char *part)
{
    struct hierarchy_choice choice = choice_of(4, boxes_per_rank);
    char message[256] = "";
    memcpy(choice.domain.boxes, boxes, sizeof choice.domain.boxes);
    const enum status status = size_check(&choice, ranks, message, sizeof message);
    assert_int_equal(status, part ? STATUS_USAGE : STATUS_VALID);
    if (part && !strstr(message, part))
        fail_msg("'%s' lacks '%s'", message, part);
}

/* Boxes must have room on the ranks, and ranks must have boxes. */
static void domains_of_given_boxes(void **state)
{
    (void)state;
    expect_domain((const int[3]){4, 2, 1}, 8, 1, NULL);
    expect_domain((const int[3]){4, 2, 1}, 1, 8, NULL);
    expect_domain((const int[3]){3, 1, 1}, 2, 2, NULL);
    expect_domain((const int[3]){4, 2, 1}, 7, 1, "4x2x1 has 8 boxes, more than 7");
    expect_domain((const int[3]){4, 2, 1}, 1, 9, "4x2x1 has 8 boxes, fewer than 9 ranks");
    expect_domain((const int[3]){1048576, 1, 1}, 1000000, 2, "16777216 cells per side");
    expect_domain((const int[3]){1048576, 1048576, 1048576}, 1000000, 1, "boxes, more than");
    expect_domain((const int[3]){2048, 2048, 1024}, 1000000, 5000, "4294967296 boxes, more than");
    expect_domain((const int[3]){DOMAIN_EXACT, 0, 0}, 1, 1009, NULL);
    expect_domain((const int[3]){DOMAIN_EXACT, 0, 0}, 1, 1000003, "16000048 cells per side");
    expect_domain((const int[3]){DOMAIN_EXACT, 0, 0}, 1000000, 3000, "3000000000 boxes, more than");
}

/* What is counted as too much is more than what there would be. */
static void bytes_are_no_fewer_than_foreseen(void **state)
{
    (void)state;
    for (int log2_box_dim = 2; log2_box_dim <= 5; log2_box_dim++)
        for (int boxes = 1; boxes <= 64; boxes *= 4) {
            struct hierarchy_choice choice = choice_of(log2_box_dim, boxes);
            const struct hierarchy_shape shape = hierarchy_shape(&choice, 3);
            assert_true((double)hierarchy_bytes(&choice, &shape, 3, false) <=
                        size_bytes(&choice, 3));
        }
}

struct two_backends {
    size_t host, device;
};

static void add_level(void *data, int level, const struct decomposition *d, const size_t *bytes)
{
    struct two_backends *sides = data;
    (void)level;
    *(d->n[0] <= 8 ? &sides->host : &sides->device) += bytes[0];
}

/* Levels of up to 8^3 cells on the host; above them there is a buffer more on the device. */
static void bytes_of_two_backends_are_those_of_their_levels(void **state)
{
    (void)state;
    struct backend device = backend_cpu;
    struct hierarchy_choice choice = choice_of(4, 8), alone;
    const struct hierarchy_shape shape = hierarchy_shape(&choice, 1);
    struct two_backends sides = {0, 0}, together = {0, 0};
    device.on_device = true;
    choice.placement.backend = &device;
    alone = choice;
    choice.placement.coarse_backend = &backend_cpu;
    choice.placement.cpu_below = 8 * 8 * 8 + 1;
    hierarchy_estimate(&choice, &shape, 1, add_level, &sides);
    hierarchy_estimate(&alone, &shape, 1, add_level, &together);
    assert_true(sides.host > 0 && sides.host == together.host);
    assert_true(sides.device > together.device);
    assert_int_equal(hierarchy_bytes(&choice, &shape, 1, false), sides.host);
    assert_int_equal(hierarchy_bytes(&choice, &shape, 1, true), sides.device);
    assert_int_equal(hierarchy_bytes(&alone, &shape, 1, false), 0);
}

enum { MAX_RANKS = 40 };

struct bytes_by_rank {
    int ranks;
    size_t of[MAX_RANKS];
};

static void add_ranks(void *data, int level, const struct decomposition *d, const size_t *bytes)
{
    struct bytes_by_rank *sum = data;
    (void)level, (void)d;
    for (int rank = 0; rank < sum->ranks; rank++)
        sum->of[rank] += bytes[rank];
}

/* Bytes are those of the rank with the most, which is the first one or any other. */
static void the_fullest_rank_counts(void **state)
{
    (void)state;
    bool later = false;
    for (int ranks = 1; ranks <= MAX_RANKS; ranks++) {
        const struct hierarchy_choice choice = choice_of(6, 5);
        const struct hierarchy_shape shape = hierarchy_shape(&choice, ranks);
        struct bytes_by_rank sum = {.ranks = ranks};
        size_t most = 0;
        hierarchy_estimate(&choice, &shape, ranks, add_ranks, &sum);
        for (int rank = 0; rank < ranks; rank++)
            most = sum.of[rank] > most ? sum.of[rank] : most;
        later = later || sum.of[0] < most;
        assert_int_equal(hierarchy_bytes(&choice, &shape, ranks, false), most);
    }
    assert_true(later);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_around_2_to_the_31),
        cmocka_unit_test(cells_a_side_around_2_to_the_20),
        cmocka_unit_test(bytes_around_2_to_the_63),
        cmocka_unit_test(domains_of_given_boxes),
        cmocka_unit_test(bytes_are_no_fewer_than_foreseen),
        cmocka_unit_test(bytes_of_two_backends_are_those_of_their_levels),
        cmocka_unit_test(the_fullest_rank_counts),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
