/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_PARTIAL_FILE_H
#define CLI_PARTIAL_FILE_H
/* A file that is being written: a new file in the folder of the final one, which it replaces once
 * it is whole. While one exists, it is removed if the program ends by exit(), by die() or by a
 * signal that can be caught. */
#include <stdbool.h>
#include <stdio.h>

struct partial_file;

/* Creates the partial file of `path`, which is no symbolic link, and opens *stream to write it. The
 * name is unique, and no link is followed. The new file has the permissions of the old file at
 * `path`, or where there is none those that the umask gives. On failure returns NULL with the
 * reason in errno. */
struct partial_file *partial_file_create(const char *path, FILE **stream);
/* Renames the partial file to its path; the stream must be closed. False, with the reason in errno,
 * if that failed; the partial file is then removed. Frees the struct. */
bool partial_file_finish(struct partial_file *file);
/* Removes the partial file and frees the struct. */
void partial_file_remove(struct partial_file *file);

#endif
