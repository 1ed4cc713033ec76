/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tuning_choice.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/tuning_file.h"
#include "comm/comm.h"
#include "cuda/cuda.h"

enum { BUILD_PARENTS = 3 }; /* build/gcc-release/, build/ and the project */

static char followed[TUNING_PATH_SIZE];

const char *tuning_path(void)
{
    return followed[0] ? followed : NULL;
}

static bool is_there(const char *folder, const char *name, char path[TUNING_PATH_SIZE])
{
    return snprintf(path, TUNING_PATH_SIZE, "%s%s", folder, name) < TUNING_PATH_SIZE &&
           access(path, R_OK) == 0;
}

/* The file that this code was loaded from: the program, or the shared library. Linux lists the
 * addresses and the file of each piece of memory. "" if unknown. */
static void own_file(char path[TUNING_PATH_SIZE])
{
    const uintptr_t here = (uintptr_t)is_there;
    char line[TUNING_PATH_SIZE + 128];
    FILE *maps = fopen("/proc/self/maps", "r");
    path[0] = '\0';
    while (maps && !path[0] && fgets(line, sizeof line, maps)) {
        uintptr_t low, high;
        const char *file = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (file && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &low, &high) == 2 && here >= low &&
            here < high)
            snprintf(path, TUNING_PATH_SIZE, "%s", file);
    }
    if (maps)
        fclose(maps);
}

const char *tuning_folder(void)
{
    static char path[TUNING_PATH_SIZE];
    char folder[TUNING_PATH_SIZE];
    own_file(folder);
    for (int parent = 0;; parent++) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
        if ((parent < BUILD_PARENTS && is_there(folder, "/tuning", path)) ||
            is_there(folder, "/share/hpgmg-gpu/tuning", path))
            return path;
    }
}

bool tuning_find(const char *device, char path[TUNING_PATH_SIZE])
{
    const char *folder = tuning_folder();
    char name[128];
    snprintf(name, sizeof name, "/%s.txt", device);
    for (char *c = name; *c; c++)
        if (*c == ' ')
            *c = '-';
    return folder && is_there(folder, name, path);
}

/* On rank 0. */
static enum status read_file(const char *wanted, bool on_gpu, struct tuning_file *file,
                             char *message, int size)
{
    memset(file, 0, sizeof *file);
    if (wanted && strcmp(wanted, "none") == 0)
        return STATUS_VALID;
    if (wanted)
        snprintf(followed, sizeof followed, "%s", wanted);
    else if (!on_gpu || !tuning_find(cuda_device()->name, followed))
        followed[0] = '\0';
    return followed[0] ? tuning_file_read(file, followed, message, size) : STATUS_VALID;
}

/* True if every rank's GPU is the one that the file was made for; else the reason in message. */
static bool suits_all(const struct tuning_file *file, char *message, int size)
{
    char name[sizeof file->device];
    snprintf(name, sizeof name, "%s", cuda_device()->name);
    const bool suits = strcmp(file->device, name) == 0;
    const int other = (int)comm_min_i64(comm_world(), suits ? comm_size() : comm_rank());
    if (other == comm_size())
        return true;
    comm_broadcast_from(comm_world(), other, name, sizeof name);
    snprintf(message, (size_t)size, "--tuning: %.300s is for %s, and the GPU is %s", followed,
             file->device, name);
    return false;
}

enum status tuning_choose(const char *wanted, bool on_gpu, char *message, int size)
{
    static struct tuning_file file;
    int status = STATUS_VALID;
    followed[0] = '\0';
    if (comm_rank() == 0)
        status = read_file(wanted, on_gpu, &file, message, size);
    comm_broadcast(comm_world(), &status, sizeof status);
    comm_broadcast(comm_world(), &file, sizeof file);
    comm_broadcast(comm_world(), followed, sizeof followed);
    if (status == STATUS_VALID && on_gpu && followed[0]) {
        if (suits_all(&file, message, size)) {
            cuda_tune(file.tunings, file.count);
            return STATUS_VALID;
        }
        if (wanted)
            status = STATUS_ENVIRONMENT;
        else
            message[0] = '\0'; /* the GPUs differ: no file is followed */
    }
    followed[0] = '\0';
    return (enum status)status;
}
