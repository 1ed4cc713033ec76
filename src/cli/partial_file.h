/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_PARTIAL_FILE_H
#define CLI_PARTIAL_FILE_H
/* A new file that replaces the final one, in the same folder, once it is whole. It is removed if
 * the program ends before by exit(), by die() or by a signal that can be caught. */
#include <stdbool.h>
#include <stdio.h>

struct partial_file;

/* Creates the partial file of `path`, which is no symbolic link, and opens *stream to write it. The
 * name is unique, and no link is followed. The file has the permissions of the old file at `path`,
 * or else those of the umask. On failure returns NULL with the reason in errno. */
struct partial_file *partial_file_create(const char *path, FILE **stream);
/* Renames the file to its path; the stream must be closed. On failure removes it and returns false
 * with the reason in errno. Frees the struct. */
bool partial_file_finish(struct partial_file *file);
/* Removes the file and frees the struct. */
void partial_file_remove(struct partial_file *file);

#endif
