/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* u and f of the finest level as an image of VTK (XML, .vti), which ParaView and VisIt read and
 * run/figures draws. Its bytes are the same for any number of ranks. */
#include <stdbool.h>
#include "cli/output_file.h"
#include "solvers/hierarchy.h"

/* Checks, before anything is solved, that path can be written and that the file system has room. On
 * failure rank 0 prints one line and all ranks return false. Without a path nothing is done. *file
 * is NULL on other ranks than 0. Collective over the world. */
bool solution_file_open(const char *path, const struct hierarchy_choice *choice,
                        struct output_file **file);
/* Writes the file, all ranks together, each at most 8 MiB at a time or a plane of a box. On
 * failure rank 0 prints one line, no file is left, and all ranks return false. Frees file.
 * Collective over the world. */
bool solution_file_write(struct output_file *file, const struct hierarchy *h);
