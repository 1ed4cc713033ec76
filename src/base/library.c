/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/library.h"
#include <dlfcn.h>
#include <string.h>

bool library_load(const char *const *files, const struct library_function *functions, int count)
{
    void *handle = NULL;
    for (; !handle && *files; files++)
        handle = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
    bool complete = handle != NULL;
    for (int f = 0; complete && f < count; f++) {
        void *const found = dlsym(handle, functions[f].name);
        memcpy(functions[f].at, &found, sizeof found); /* C has no cast to a function */
        complete = found != NULL;
    }
    return complete;
}
