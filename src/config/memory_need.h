/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the ranks that share a memory need of it, and what is free where least is. */
#include "solvers/hierarchy.h"

struct memory_need {
    double needed, available; /* bytes; 0 available: unknown */
};
/* Of the fullest node's host memory, or of the memory of its GPUs, for `bytes` bytes on the fullest
 * rank, and for all levels. Equal on all ranks. Collective over the world. */
struct memory_need memory_need_of(size_t bytes, bool on_device);
struct memory_need memory_need_of_levels(const struct hierarchy_choice *choice, bool on_device);
bool memory_need_fits(const struct memory_need *need);
/* Whether `bytes` more bytes of each rank fit into the memory of the level's fields. Collective
 * over the ranks of the level; equal on all of them. */
bool memory_has_room(const struct level *level, size_t bytes);
/* "node" or "GPU", the memory into which the levels do not fit, with the need; NULL if they fit.
 * Equal on all ranks. Collective over the world. */
const char *memory_shortage(const struct hierarchy_choice *choice, struct memory_need *need);
/* The choice with the largest size that fits and has boxes no larger and no more per rank; with no
 * boxes per rank if none fits. Equal on all ranks. Collective over the world. */
struct hierarchy_choice memory_largest(struct hierarchy_choice choice);
