/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_SETUP_H
#define APP_SETUP_H
/* What is chosen after the options have been read and before levels are built, by the program and
 * by the library. */
#include "app/options.h"
#include "solvers/hierarchy.h"

/* Where the levels live. note: see gpu_choose(). Collective over the world; equal on all ranks. */
enum status setup_gpu(const struct options *options, bool *on_gpu, char *note, char *message,
                      int size);
/* How they exchange messages, and with which kernels. Collective over the world; equal on all
 * ranks.
 */
enum status setup_machine(const struct options *options, bool on_gpu, char *message, int size);

/* What "auto" leaves open on GPUs, and threads for levels on the CPU. Collective over the world. */
void setup_thresholds(struct options *options, struct hierarchy_choice *choice);

#endif
