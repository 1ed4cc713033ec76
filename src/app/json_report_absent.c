/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON report in a build without the cJSON library; the program refuses --json before it gets
 * here. */
#include "app/json_report.h"
#include <stddef.h>

bool json_report_available(void)
{
    return false;
}

struct json_report *json_report_open(const char *path)
{
    (void)path;
    return NULL;
}

bool json_report_write(struct json_report *json, const struct hierarchy *h,
                       const struct options *options, const struct benchmark *b)
{
    (void)json;
    (void)h;
    (void)options;
    (void)b;
    return false;
}

void json_report_discard(struct json_report *json)
{
    (void)json;
}
