/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Time by level and stage, from separate solves: timing stages slows a solve down. */
#include "app/record.h"

/* Runs a few solves with every stage timed and fills r->stages. Collective over the ranks of the
 * level. */
void breakdown_measure(struct solver *s, struct size_record *r);

/* Bytes per second, read + write, that this rank's threads copy between two arrays larger than the
 * caches, while all ranks do. Collective over the world. */
double breakdown_copy_rate(void);
