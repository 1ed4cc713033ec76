/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_RANK_REPORT_H
#define APP_RANK_REPORT_H
/* What both reports say of the ranks. For rank 0. */
#include "app/ranks.h"
#include "cli/json.h"

/* Of several ranks: the least, median and largest rate, and who is an outlier. */
void rank_report_print(const struct rank_table *t);
/* --ranks-table: a line per rank. */
void rank_report_print_all(const struct rank_table *t);
/* The members rank_rates, rank_outliers and rank_table; empty if nothing was measured. */
void rank_report_add_json(struct json *root, const struct rank_table *t);

#endif
