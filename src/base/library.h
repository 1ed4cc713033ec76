/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Libraries that are used where a machine has them and are never required: loaded at run time. */
#include <stdbool.h>
#include "base/linkage.h"

C_BEGIN

struct library_function {
    const char *name;
    void *at; /* the pointer to that function, which library_load sets */
};

/* Loads the first of the files (NULL ends the list) that this machine has, and finds `count`
 * functions in it and in what it is linked with. False if there is no such file, or if it lacks one
 * of them. The library stays loaded. */
bool library_load(const char *const *files, const struct library_function *functions, int count);

C_END
