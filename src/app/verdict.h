/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The verdict on a run: a list of checks, each with its value, its bounds and their grounds. A run
 * is VALID if no check failed and the residual on h passed. */
#include "app/options.h"
#include "app/record.h"

enum { VERDICT_SIZE = MAX_CHECKS * CHECK_TEXT_SIZE };

/* Judges the sizes and the Richardson analysis of b, which must be complete. Equal records get
 * equal verdicts. */
struct verdict verdict_of(const struct record *b, const struct options *options);

/* VALID, VALID (accuracy not checked: …), VALID (error not checked: …) if only the order passed, or
 * INVALID (…), with the texts of the checks that were not
 * made or failed. Returns text. */
const char *verdict_text(const struct verdict *verdict, char *text, int size);
