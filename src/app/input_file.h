/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_INPUT_FILE_H
#define APP_INPUT_FILE_H
/* Input files: lines `key = value`; `#` begins a comment at the start of a line or after a blank. A
 * byte-order mark is skipped. Several ranks read regular files only. */
#include <stdbool.h>
#include "base/status.h"

/* Takes a key and its value, which may be empty. Returns false, and notes the reason itself, if
 * they are wrong. */
typedef bool input_file_set(void *data, int line, const char *key, const char *value);

/* Calls set for each key, up to the first error. STATUS_USAGE if the file cannot be read or is
 * malformed, or set returned false; STATUS_ENVIRONMENT if this build lacks inih. Writes one line
 * into message, unless set returned false. */
enum status input_file_read(const char *path, input_file_set *set, void *data, char *message,
                            int message_size);

#endif
