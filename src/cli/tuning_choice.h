/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_TUNING_CHOICE_H
#define CLI_TUNING_CHOICE_H
/* --tuning: the file of tile sizes that the GPU's kernels follow. */
#include <stdbool.h>
#include "base/status.h"

/* Reads the file `wanted`; "none": no file; NULL: the GPU's file in tuning/ beside the program or
 * up to two folders above, if there is one. on_gpu: the device is open. STATUS_USAGE if a file is
 * malformed, STATUS_ENVIRONMENT if `wanted` was made for another device than some rank's, with one
 * line in message. Collective over the world; equal on all ranks. */
enum status tuning_choose(const char *wanted, bool on_gpu, char *message, int size);

/* The file that is followed; NULL if none is. */
const char *tuning_path(void);

#endif
