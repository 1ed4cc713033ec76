/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What reports say of a record: docs/json-report.md explains the keys. A new key is a row here and
 * an entry there. */
#include "app/record.h"
#include "app/values.h"

/* Raised when a key goes away or changes its meaning; new keys do not raise it. */
enum { REPORT_SCHEMA = 3 };

/* The members of the JSON report, of a struct record. */
extern const struct values record_values;
/* Those of its parts that the text report prints apart. */
extern const struct values environment_values, memory_values, hierarchy_values, level_values,
    check_values, stage_values, stage_time_values, size_values, residual_values, error_values,
    rank_values, rank_rate_values, meters_values, bottom_values;

/* Whom to look for: the host, and the GPU or the processors of a struct rank_record. */
const char *rank_place(const void *of, char text[VALUE_TEXT_SIZE]);
