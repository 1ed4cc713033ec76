/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The score of a run: its rates, and whether they may be compared with those of other machines. */
#include "app/options.h"
#include "app/record.h"

/* Fills r->score, from a record that is complete but for it: how the run differs from the rules.
 * For rank 0. */
void score_judge(struct record *r, const struct options *options);

/* The last line of the report: "SCORE: … DOF/s at h (spread …), … at 2h (noisy: spread …), … at 4h
 * (spread …) (official)", or "(official, mixed precision)", with the energy of a solve of size h
 * where it was measured. */
void score_print(FILE *out, const struct record *r);
