/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_GPU_CHOICE_H
#define CLI_GPU_CHOICE_H
/* --backend: whether this run is on GPUs. */
#include <stdbool.h>
#include "base/status.h"

/* Opens the GPU of this rank where `backend` (enum backend_choice) lets it; *on_gpu says whether
 * all ranks have one. STATUS_ENVIRONMENT and why in message if one is demanded and missing; if the
 * run falls back to the CPU, STATUS_VALID and in message why, and what happens `instead`. Else
 * message is left alone. Collective over the world; status and *on_gpu are the same on all ranks.
 */
enum status gpu_choose(int backend, const char *instead, bool *on_gpu, char *message, int size);

#endif
