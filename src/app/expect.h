/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_EXPECT_H
#define APP_EXPECT_H
/* --expect FILE: what a run on a known machine should reach. The file has lines `key = value` as
 * input files have; a table of rows says which. */
#include "app/benchmark.h"

struct expectations {
    double dof_per_second[SOLVED_LEVELS]; /* 0: not expected, and so on */
    double tolerance;                     /* a rate may be lower by this part of it */
    double rank_spread;                   /* see ranks_spread() */
    int cycles;                           /* of one solve of size h */
};

/* An expectation and what the run made of it. */
struct expected {
    const char *name;              /* the key */
    double value, lowest, highest; /* NaN: not measured; no bound */
    bool met;
};
enum { MAX_EXPECTED = SOLVED_LEVELS + 2 };
struct expected_list {
    int count, missed;
    struct expected list[MAX_EXPECTED];
};

/* Reads the file, if path is not NULL. STATUS_USAGE with one line in message if it cannot be read,
 * has a wrong line, expects nothing, or differs between ranks. Collective over the world; equal on
 * all ranks. */
enum status expect_read(const char *path, struct expectations *e, char *message, int size);

/* Compares the run, whose verdict must be known. What was not measured is missed: an INVALID run
 * has no rates. For rank 0. */
void expect_compare(const struct expectations *e, const struct benchmark *b,
                    struct expected_list *list);

/* "dof-per-second: 1.2e+08, expected at least 1.5e+08". Returns text. */
enum { EXPECTED_TEXT_SIZE = 120 };
const char *expected_text(const struct expected *x, char text[EXPECTED_TEXT_SIZE]);

#endif
