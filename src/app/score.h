/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_SCORE_H
#define APP_SCORE_H
/* The score of a run: its rates, and whether they may be compared with those of other machines.
 * docs/BENCHMARK.md has the rules and their reasons. */
#include "app/run_info.h"
#include "cli/command_line.h"

/* Sets what --benchmark fixes. Refuses options that were given with another value. */
enum status score_apply_rules(struct parser *p);

/* How the run differs from the rules, in words: "--order 2; 4096 unknowns per node"; "" if it is
 * official. Writes into text and returns a part of it. For rank 0, after the run. */
enum { SCORE_TEXT_SIZE = 400 };
const char *score_deviations(const struct run_info *f, const struct options *options,
                             const struct benchmark *b, char text[SCORE_TEXT_SIZE]);

/* The last line of the report: "SCORE: … DOF/s at h (spread …), … at 2h (noisy: spread …), … at 4h
 * (spread …) (official)", with the energy of a solve of size h where it was measured. */
void score_print(FILE *out, const struct run_info *f, const struct options *options,
                 const struct benchmark *b);

#endif
