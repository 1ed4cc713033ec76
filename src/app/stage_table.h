/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Tables of the text report about stages. For rank 0. */
#include "app/record.h"

/* Time of a solve of this size by level and stage. Small rows and levels are in sums alone, unless
 * `all` is set. */
void stage_table_times(const struct record *record, const struct size_record *size, bool all);
/* One line per stage and list of kernels that compute it, with its levels. */
void stage_table_kernels(const struct size_record *size);
/* One line per stage that exchanges data: pack, local, wait, unpack. */
void stage_table_movement(const struct size_record *size);
