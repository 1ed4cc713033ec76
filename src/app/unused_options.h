/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "app/options.h"
#include "app/record.h"

/* Lists in b->idle the options that are not at their defaults and changed nothing in this run,
 * after its solves: what they choose did not occur. */
void unused_options(const struct hierarchy *h, struct record *b, const struct options *options);

/* True if this is the option's default. */
bool option_is_initial(const struct option_row *row, const char *value);
