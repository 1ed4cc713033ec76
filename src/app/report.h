/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The report: text on stdout, and JSON (docs/json-report.md). Of the record on rank 0; other ranks
 * print nothing. */
#include "app/record.h"
#include "cli/output_file.h"

/* --version: program, revision, compiler, flags, libraries. Rank 0 only. */
void report_version(void);
/* --dry-run: configuration, every level's boxes, ranks and bytes, and the memory that the run would
 * need. Allocates nothing. Collective over the world. */
void report_dry_run(const struct hierarchy_choice *choice, const struct options *options);
/* Banner, configuration, environment and the hierarchy as built. With --quiet only the banner.
 * Collective over the world. */
void report_hierarchy(const struct record *r, struct hierarchy *h);
/* Results of the three sizes, time tables, Richardson analysis, and last the verdict. */
void report_results(const struct record *r);
/* Writes the report as JSON, also of an INVALID run, and closes the file. On failure (a full disk)
 * rank 0 prints one line and all ranks return false. Collective over the world. */
bool report_write_json(struct output_file *file, const struct record *r);
