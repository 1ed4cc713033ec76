/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H
/* A file that is either written whole or left as it was. A regular file is written under a name of
 * its own in the same folder and renamed (cli/partial_file.h), also where a symbolic link leads to
 * it, and nothing of it is there before. Devices, pipes and the file that stdout goes to are
 * written directly. */
#include <stdbool.h>

struct output_file;

/* Makes sure that path can be written. On failure returns NULL with the reason in errno: ENOENT for
 * a symbolic link to nothing, ELOOP for one that leads to itself. */
struct output_file *output_file_open(const char *path);
/* Writes text and closes. False, with the reason in errno, if it could not be written whole; a
 * regular file is then as it was. Frees the file. */
bool output_file_write(struct output_file *file, const char *text);
/* Closes without writing; a regular file is as it was. Frees the file. */
void output_file_discard(struct output_file *file);

#endif
