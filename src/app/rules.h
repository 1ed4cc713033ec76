/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What HPGMG's benchmark prescribes. docs/BENCHMARK.md has the rules and their reasons,
 * run/check-result has them too. */
#include "cli/command_line.h"

/* Timed solves of each size, at least. */
enum { MIN_SOLVES = 10, MIN_SECONDS = 60 };
/* 256³ unknowns per GPU or node: one field has 134 MB, more than the caches of a GPU or a processor
 * hold. */
enum { MIN_LOG2_UNKNOWNS = 24 };

/* Sets what --benchmark fixes. Refuses options that were given with another value. */
enum status rules_apply(struct parser *p);
/* False if the option must have another value than this one. */
bool rules_allow(const char *option, const char *value);
