/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_REPORT_TABLES_H
#define APP_REPORT_TABLES_H
/* The tables of the text report, on stdout. For rank 0. */
#include "app/run_info.h"

/* Bytes in decimal units: "18.20 MB". */
enum { BYTES_TEXT_SIZE = 24 };
const char *table_bytes_text(double bytes, char text[BYTES_TEXT_SIZE]);

/* Boxes and the cells of each: "8x 32^3", "6x(32x16x16)". */
enum { BOXES_TEXT_SIZE = 64 };
const char *table_boxes_text(long boxes, const int cells[3], char text[BOXES_TEXT_SIZE]);

/* One line per level: size, boxes, ranks, backend, bytes. */
void table_hierarchy(const struct run_info *f);
/* One line per size: relative residuals of one solve, cycle by cycle. */
void table_residuals(const struct benchmark *b);
/* One line per check: result, value, bounds, grounds. */
void table_checks(const struct verdict *v);
/* One line per size: seconds of the timed solves and DOF/s. */
void table_times(const struct benchmark *b);
/* Time of a solve of this size by level and stage; sums negligible rows unless `all` is set. */
void table_stages(const struct size_record *r, double copy_bytes_per_second, bool all);
/* One line per stage and list of kernels (or CPU loops) that compute it, with its levels. */
void table_kernels(const struct size_record *r);
/* One line per stage that exchanges data: pack, local, wait, unpack. */
void table_movement(const struct size_record *r);

#endif
