#include "app/tuning.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/tuning_file.h"
#include "comm/comm.h"
#include "cuda/cuda.h"

enum { PATH_SIZE = 1024, PARENTS = 3 };

static char followed[PATH_SIZE];

const char *tuning_path(void)
{
    return followed[0] ? followed : NULL;
}

/* "NVIDIA H200" lies in tuning/NVIDIA-H200.txt. */
static void name_of_file(const char *device, char *name, size_t size)
{
    snprintf(name, size, "/tuning/%s.txt", device);
    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '-';
}

/* The file of this device; false if there is none. */
static bool find(const char *device, char path[PATH_SIZE])
{
    char folder[PATH_SIZE], name[128];
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    name_of_file(device, name, sizeof name);
    folder[length > 0 ? length : 0] = '\0';
    for (int parent = 0; parent < PARENTS; parent++) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            return false;
        *slash = '\0';
        if (snprintf(path, PATH_SIZE, "%s%s", folder, name) < PATH_SIZE && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* On rank 0. */
static enum status read_file(const struct options *o, bool on_gpu, struct tuning_file *file,
                             char *message, int size)
{
    memset(file, 0, sizeof *file);
    if (o->tuning && strcmp(o->tuning, "none") == 0)
        return STATUS_VALID;
    if (o->tuning)
        snprintf(followed, sizeof followed, "%s", o->tuning);
    else if (!on_gpu || !find(cuda_device()->name, followed))
        followed[0] = '\0';
    if (!followed[0])
        return STATUS_VALID;
    const enum status status = tuning_file_read(file, followed, message, size);
    if (status != STATUS_VALID || !on_gpu || strcmp(file->device, cuda_device()->name) == 0)
        return status;
    snprintf(message, (size_t)size, "--tuning: %.300s is for %s, and the GPU is %s", followed,
             file->device, cuda_device()->name);
    return STATUS_ENVIRONMENT;
}

enum status tuning_choose(const struct options *o, bool on_gpu, char *message, int size)
{
    static struct tuning_file file;
    int status = STATUS_VALID;
    followed[0] = '\0';
    if (comm_rank() == 0)
        status = read_file(o, on_gpu, &file, message, size);
    comm_broadcast(MPI_COMM_WORLD, &status, sizeof status);
    comm_broadcast(MPI_COMM_WORLD, &file, sizeof file);
    if (status != STATUS_VALID || !on_gpu)
        followed[0] = '\0';
    else
        cuda_tune(file.tunings, file.count);
    return (enum status)status;
}
