/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_REPORT_H
#define APP_REPORT_H
/* The report on stdout, printed by rank 0. All functions are collective over the world. */
#include "app/benchmark.h"

/* --version: program, revision, compiler, flags, libraries. Rank 0 only. */
void report_version(void);
/* --dry-run: configuration, every level's boxes, ranks and bytes, and the memory that the run would
 * need. Allocates nothing. */
void report_dry_run(const struct hierarchy_choice *choice, const struct options *options);
/* Banner, configuration, environment and the hierarchy as built. With --quiet only the banner. */
void report_hierarchy(struct hierarchy *h, const struct options *options);
/* Results of the three sizes, time tables, Richardson analysis, and last the verdict. */
void report_results(const struct hierarchy *h, const struct options *options,
                    const struct benchmark *b);

#endif
