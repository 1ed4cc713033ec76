/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_JSON_REPORT_H
#define APP_JSON_REPORT_H
/* The report as JSON (docs/json-report.md), written by rank 0. */
#include <stdbool.h>
#include "app/benchmark.h"
#include "cli/json.h"

/* Writes the report, also of an INVALID run, and closes the file. On failure (a full disk) rank 0
 * prints one line and all ranks return false. Collective over the world. */
bool json_report_write(struct output_file *file, const struct hierarchy *h,
                       const struct options *options, const struct benchmark *b);

#endif
