/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_TUNING_CHOICE_H
#define CLI_TUNING_CHOICE_H
/* --tuning: the file of tile sizes that the GPU's kernels follow. */
#include <stdbool.h>
#include "base/status.h"

/* The folder of the files of GPUs: the nearest of tuning/ beside the program, or the shared library
 * that this code is in, or up to two folders above, and share/hpgmg-gpu/tuning/ in a folder above,
 * where `make install` puts them. NULL if there is none. */
const char *tuning_folder(void);

/* The file of that GPU there, NVIDIA-H200.txt of "NVIDIA H200"; false if there is none. */
enum { TUNING_PATH_SIZE = 1024 };
bool tuning_find(const char *device, char path[TUNING_PATH_SIZE]);

/* Reads the file `wanted`; "none": no file; NULL: the GPU's file of tuning_find(), if there is
 * one. on_gpu: the device is open. STATUS_USAGE if a file is malformed, STATUS_ENVIRONMENT if
 * `wanted` was made for another device than some rank's, with one line in message. Collective over
 * the world; equal on all ranks. */
enum status tuning_choose(const char *wanted, bool on_gpu, char *message, int size);

/* The file that is followed; NULL if none is. */
const char *tuning_path(void);

#endif
