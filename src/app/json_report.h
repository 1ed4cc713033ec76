/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_JSON_REPORT_H
#define APP_JSON_REPORT_H
/* The report as JSON (docs/json-report.md), written by rank 0. Needs cJSON; builds without it link
 * json_report_absent.c. */
#include <stdbool.h>
#include "app/benchmark.h"

bool json_report_available(void);

struct json_report;
/* Opens path for writing before anything is computed, so that a wrong path is known early; all
 * ranks learn whether it worked. On failure prints one line on rank 0 and returns NULL. Collective.
 */
struct json_report *json_report_open(const char *path);
/* Writes the report and closes the file, also for an INVALID run. False, with one line on rank 0,
 * if it could not be written whole (a full disk). Collective. Frees the report. */
bool json_report_write(struct json_report *json, const struct hierarchy *h,
                       const struct options *options, const struct benchmark *b);
/* Closes without writing; the file is as it was. Frees the report. */
void json_report_discard(struct json_report *json);

#endif
