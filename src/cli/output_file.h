/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A file that is written whole or left unchanged. A regular file, or the target of a symbolic link,
 * is written under another name in the same folder and renamed; no such file exists before
 * output_file_write(). Devices, pipes and the file that stdout goes to are written directly. */
#include <stdbool.h>
#include <stdint.h>

struct output_file;

/* Checks that `path`, the value of the option `option`, can be written; refuses a dangling link,
 * for example. On failure prints one line and returns NULL. bytes: the size of a file that all
 * ranks write together, which must be a regular one; tries whether its file system has that much
 * room. 0: rank 0 writes the file. */
struct output_file *output_file_open(const char *option, const char *path, int64_t bytes);
/* Writes text and frees the file. On failure (a full disk) prints one line and returns false; a
 * regular file is then unchanged. */
bool output_file_write(struct output_file *file, const char *text);
/* Opens a file by rank 0 for all ranks, which return the same. *file is NULL on the other ranks,
 * and if path is NULL, which is no failure. Collective over the world. */
bool output_file_open_together(const char *option, const char *path, int64_t bytes,
                               struct output_file **file);
/* In place of output_file_write(), for a file that all ranks write together: creates it under its
 * temporary name, reserves its bytes, and returns that name, which is valid until
 * output_file_end(). On failure (a full disk) prints one line, frees the struct and returns NULL.
 */
const char *output_file_begin(struct output_file *file);
/* Gives the file its name and frees the struct. With a reason why it is not whole, or on failure,
 * removes it instead, prints one line and returns false. */
bool output_file_end(struct output_file *file, const char *reason);
/* Frees the file without writing. */
void output_file_discard(struct output_file *file);
