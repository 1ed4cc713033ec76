/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* One solve of all ranks, stage by stage, as a file in the Trace Event Format, which Perfetto and
 * chrome://tracing show and run/figures draws. */
#include "app/options.h"
#include "cli/output_file.h"
#include "solvers/solver.h"

struct timeline;

/* Solves twice with every stage timed, and records the second solve. The record is complete on
 * rank 0. Collective over the world, also over ranks without boxes on the solver's level. */
struct timeline *timeline_record(struct solver *s);
/* seconds_per_solve: mean of the timed solves, whose stages are not timed. On failure (a full disk)
 * rank 0 prints one line and all ranks return false. Collective over the world. */
bool timeline_write(struct output_file *file, const struct timeline *t,
                    const struct options *options, double seconds_per_solve);
void timeline_destroy(struct timeline *t); /* NULL is allowed */
