/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nvtx.h"
#include <nvtx3/nvToolsExt.h>

void nvtx_push(const char *name)
{
    nvtxRangePushA(name);
}

void nvtx_pop(void)
{
    nvtxRangePop();
}
