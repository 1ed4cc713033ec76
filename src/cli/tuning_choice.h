/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_TUNING_CHOICE_H
#define CLI_TUNING_CHOICE_H
/* --tuning: which file of tuned choices the GPU's kernels follow. */
#include <stdbool.h>
#include "base/status.h"

/* Reads the file `wanted`, or where that is NULL the file of this GPU in tuning/ beside the program
 * (or one or two folders above it), if there is one; "none": none. on_gpu: the device is open.
 * STATUS_USAGE if a file is malformed, STATUS_ENVIRONMENT if the one wanted was made for another
 * device than some rank's, with one line in message. Collective over the world; all ranks return
 * the same and follow the same choices. */
enum status tuning_choose(const char *wanted, bool on_gpu, char *message, int size);

/* The file that is followed; NULL if none is. */
const char *tuning_path(void);

#endif
