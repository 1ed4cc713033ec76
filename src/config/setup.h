/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What is chosen after the options have been read and before levels are built, by the program and
 * by the library. */
#include "config/solver_options.h"

/* Where the levels live. note: see gpu_choose(). Collective over the world; equal on all ranks. */
enum status setup_gpu(const struct solver_options *options, bool *on_gpu, char *note, char *message,
                      int size);
/* How they exchange messages, and with which kernels. Collective over the world; equal on all
 * ranks.
 */
enum status setup_machine(const struct solver_options *options, bool on_gpu, char *message,
                          int size);

/* The hierarchy that the options ask for, but for size and problem; on_gpu: on the GPU that is
 * open. The solver. */
struct hierarchy_choice setup_hierarchy(const struct solver_options *options, bool on_gpu);
struct solver_choice setup_solver(const struct solver_options *options);

/* What "auto" leaves open on GPUs, in both, and threads for levels on the CPU. Collective over the
 * world. */
void setup_thresholds(struct solver_options *options, struct hierarchy_choice *choice);
