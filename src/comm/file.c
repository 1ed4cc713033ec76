/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/file.h"
#include <stdio.h>
#include "comm/call.h"
#include "comm/comm.h"

static void keep_error(struct comm_file *f, int error, const char *call)
{
    if (f->error != MPI_SUCCESS || error == MPI_SUCCESS)
        return;
    f->error = error;
    f->call = call;
}

/* The lowest rank with an error; comm_size() if there is none. */
static int lowest_failed(const struct comm_file *f)
{
    return (int)comm_min_i64(comm_world(), f->error == MPI_SUCCESS ? comm_size() : comm_rank());
}

void comm_file_open(struct comm_file *f, const char *path)
{
    *f = (struct comm_file){.error = MPI_SUCCESS};
    keep_error(f, MPI_File_open(comm_world(), path, MPI_MODE_WRONLY, MPI_INFO_NULL, &f->file),
               "MPI_File_open");
    f->open = lowest_failed(f) == comm_size();
}

void comm_file_write(struct comm_file *f, int64_t offset, const void *data, int bytes)
{
    if (f->open)
        keep_error(f, MPI_File_write_at(f->file, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE),
                   "MPI_File_write_at");
}

/* The cells of the box within the array, k slowest as in C; an element where the box is empty. */
static MPI_Datatype box_type(const int n[3], const int lo[3], const int hi[3], int count)
{
    const int all[3] = {n[2], n[1], n[0]}, first[3] = {lo[2], lo[1], lo[0]};
    const int part[3] = {hi[2] - lo[2], hi[1] - lo[1], hi[0] - lo[0]};
    MPI_Datatype type;
    if (count == 0)
        MPI_CALL(MPI_Type_contiguous(1, MPI_DOUBLE, &type));
    else
        MPI_CALL(MPI_Type_create_subarray(3, all, part, first, MPI_ORDER_C, MPI_DOUBLE, &type));
    MPI_CALL(MPI_Type_commit(&type));
    return type;
}

static void set_view(struct comm_file *f, int64_t offset, MPI_Datatype etype, MPI_Datatype type)
{
    keep_error(f, MPI_File_set_view(f->file, offset, etype, type, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
}

void comm_file_write_box(struct comm_file *f, int64_t offset, const int n[3], const int lo[3],
                         const int hi[3], const double *values)
{
    if (!f->open)
        return;
    const int count = (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]);
    MPI_Datatype type = box_type(n, lo, hi, count);
    set_view(f, offset, MPI_DOUBLE, type);
    keep_error(f, MPI_File_write_all(f->file, values, count, MPI_DOUBLE, MPI_STATUS_IGNORE),
               "MPI_File_write_all");
    set_view(f, 0, MPI_BYTE, MPI_BYTE);
    MPI_CALL(MPI_Type_free(&type));
}

bool comm_file_close(struct comm_file *f, char *reason, int size)
{
    char text[MPI_MAX_ERROR_STRING];
    if (f->open)
        keep_error(f, MPI_File_close(&f->file), "MPI_File_close");
    const int failed = lowest_failed(f);
    if (failed == comm_size())
        return true;
    if (failed == comm_rank()) {
        mpi_error_text(f->error, text);
        snprintf(reason, (size_t)size, "rank %d: %s: %s", failed, f->call, text);
    }
    comm_broadcast_from(comm_world(), failed, reason, size);
    return false;
}
