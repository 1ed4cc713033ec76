/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H
/* A file that is written whole or left unchanged. A regular file, or the target of a symbolic link,
 * is written under another name in the same folder and renamed; no such file exists before
 * output_file_write(). Devices, pipes and the file that stdout goes to are written directly. */
#include <stdbool.h>

struct output_file;

/* Checks that path, the value of the option `option`, can be written: no dangling link, for one. On
 * failure prints one line and returns NULL. */
struct output_file *output_file_open(const char *option, const char *path);
/* Writes text and frees the file. On failure (a full disk) prints one line and returns false; a
 * regular file is then unchanged. */
bool output_file_write(struct output_file *file, const char *text);
/* Frees the file without writing. */
void output_file_discard(struct output_file *file);

#endif
