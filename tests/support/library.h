/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* For tests of the library. They are programs without cmocka, so that machines with GPUs need none,
 * and take the backend as their argument: cpu unless it is given. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hpgmg.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "level/level.h"

static int failures;
static const char *backend = "cpu";

static inline void expect_failed(const char *what, const char *file, int line)
{
    failures++;
    printf("%s:%d: rank %d: %s; message: %s\n", file, line, comm_rank(), what, hpgmg_message());
}
#define EXPECT(condition) ((condition) ? (void)0 : expect_failed(#condition, __FILE__, __LINE__))

/* Ends the job: what follows needs the condition. */
#define REQUIRE(condition)                                                                         \
    ((condition) ? (void)0 : (expect_failed(#condition, __FILE__, __LINE__), exit(1)))

static inline void test_begin(int argc, char **argv)
{
    comm_start(&argc, &argv);
    if (argc > 1)
        backend = argv[1];
}

/* The exit status of the test. */
static inline int test_end(void)
{
    comm_finish();
    return failures > 0;
}

enum { MAX_WORDS = 24 };

/* A solver with the test's backend. */
static inline struct hpgmg *create_with(hpgmg_comm comm, const int cells[3],
                                        const double lengths[3], const char *const *options)
{
    const char *words[MAX_WORDS] = {"backend", backend};
    struct hpgmg *solver;
    int count = 2;
    bool chooses = strcmp(backend, "gpu") != 0;
    for (; options && options[count - 2]; count++) {
        words[count] = options[count - 2];
        chooses = chooses || strcmp(words[count], "cpu-below") == 0;
    }
    if (!chooses) { /* else every solver would time trials */
        words[count++] = "cpu-below";
        words[count] = "never";
    }
    REQUIRE(hpgmg_create(&solver, comm, cells, lengths, words) == HPGMG_OK);
    return solver;
}

/* Cells are cubes, and the longest side is `length`. */
static inline struct hpgmg *create_on(hpgmg_comm comm, const int cells[3], double length,
                                      const char *const *options)
{
    const int longest = extent_longest(cells);
    const double lengths[3] = {length * cells[0] / longest, length * cells[1] / longest,
                               length * cells[2] / longest};
    return create_with(comm, cells, lengths, options);
}

static inline struct hpgmg *create_solver(const int cells[3], const char *const *options)
{
    return create_on(HPGMG_COMM_WORLD, cells, 1.0, options);
}

/* A level's field as blocks of its boxes; the caller frees them. On a GPU they are in its memory.
 */
static inline struct hpgmg_block *blocks_of(const struct level *l, enum field field)
{
    struct hpgmg_block *blocks = calloc((size_t)l->npatches + 1, sizeof *blocks);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        struct hpgmg_block *b = &blocks[q];
        for (int d = 0; d < 3; d++) {
            b->box.lo[d] = p->box.lo[d];
            b->box.n[d] = p->n[d];
        }
        b->data = level_natural(l, field) + p->offset;
        b->stride[0] = 1;
        b->stride[1] = p->sj;
        b->stride[2] = p->sk;
    }
    return blocks;
}
