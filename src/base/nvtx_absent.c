/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nvtx.h"

void nvtx_push(const char *name)
{
    (void)name;
}

void nvtx_pop(void)
{
}
