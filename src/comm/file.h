/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A file that all ranks write together, by MPI-IO. Errors are kept until the file is closed, so
 * that no rank waits for one that gave up. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct comm_file {
    MPI_File file;
    bool open;        /* on all ranks */
    int error;        /* this rank's first one, MPI_SUCCESS if there is none */
    const char *call; /* that failed */
};

/* Opens the file, which must exist, for writing. Collective over the world. */
void comm_file_open(struct comm_file *f, const char *path);
/* Writes `bytes` bytes at byte `offset`. Not collective. */
void comm_file_write(struct comm_file *f, int64_t offset, const void *data, int bytes);
/* Writes the cells lo <= (i,j,k) < hi of an array of n[0]·n[1]·n[2] doubles, i fastest, which
 * begins at byte `offset` of the file. values: these cells, i fastest, at most INT_MAX; none if the
 * box is empty. Boxes of different ranks do not overlap. Collective over the world. */
void comm_file_write_box(struct comm_file *f, int64_t offset, const int n[3], const int lo[3],
                         const int hi[3], const double *values);
/* True on all ranks if all of them wrote everything. Else `reason` is one line on all ranks: the
 * error of the lowest rank that has one. Collective over the world. */
bool comm_file_close(struct comm_file *f, char *reason, int size);
