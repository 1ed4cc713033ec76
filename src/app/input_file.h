/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_INPUT_FILE_H
#define APP_INPUT_FILE_H
/* Input files: lines `key = value`; `#` begins a comment at the start of a line or after a blank. A
 * byte-order mark at the beginning counts for nothing. Several ranks read regular files only. */
#include <stdbool.h>
#include "base/status.h"

/* Takes one key and its value (perhaps empty) from the given line; false if they are wrong, and
 * then the reason has been noted by the function itself. */
typedef bool input_file_set(void *data, int line, const char *key, const char *value);

/* Calls set for each key of the file, up to the first error. Returns STATUS_USAGE if the file
 * cannot be read or is malformed, or if set returned false; STATUS_ENVIRONMENT if this build cannot
 * read input files. Writes one line into message, unless the error is set's. */
enum status input_file_read(const char *path, input_file_set *set, void *data, char *message,
                            int message_size);

#endif
