/* SPDX-License-Identifier: BSD-3-Clause */
/* Input files in a build without the inih library. */
#include <stdio.h>
#include "app/input_file.h"

enum status input_file_read(const char *path, input_file_set *set, void *data, char *message,
                            int message_size)
{
    (void)set;
    (void)data;
    snprintf(message, (size_t)message_size,
             "--input: cannot read '%s': this build has no inih library; install libinih-dev and "
             "build again",
             path);
    return STATUS_ENVIRONMENT;
}
