/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The benchmark procedure (NUMERICS, The benchmark procedure and its report): timed solves for h,
 * 2h and 4h, the Richardson analysis, and the checks that make a run VALID. Fills the record, from
 * which all reports are made; prints only a progress line on a terminal. */
#include "app/options.h"
#include "app/record.h"

/* Completes the record of the hierarchy; verdict.valid on all ranks. Collective over the world. */
void benchmark_run(struct record *r, struct hierarchy *h, const struct options *options);

/* The hierarchy and solver that the options ask for; on_gpu: on the GPU that is open. */
struct hierarchy_choice benchmark_hierarchy_choice(const struct options *options, bool on_gpu);
struct solver_choice benchmark_solver_choice(const struct options *options);
