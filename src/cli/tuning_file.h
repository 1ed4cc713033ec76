/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_TUNING_FILE_H
#define CLI_TUNING_FILE_H
/* Files of tuned choices (cuda/tuning.h), which the lab writes and the program reads:
 *
 *     hpgmg-gpu tuning 1
 *     device NVIDIA H200
 *     # order stage equation n rows planes
 *     2 smooth poisson 512 20 64
 *
 * Lines that begin with # and empty lines are ignored. */
#include "base/status.h"
#include "cuda/tuning.h"

struct tuning_file {
    char device[64]; /* that it was made on */
    int count;
    struct cuda_tuning tunings[MAX_TUNINGS];
};

/* STATUS_USAGE with one line, "path:line: what is wrong", in message if the file cannot be read or
 * is malformed. */
enum status tuning_file_read(struct tuning_file *file, const char *path, char *message,
                             int message_size);
/* The file as text; memory_free frees it. */
char *tuning_file_text(const struct tuning_file *file);
/* One choice as a line of the file, without its end. */
void tuning_line(const struct cuda_tuning *t, char *text, int size);

#endif
