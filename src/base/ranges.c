/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/ranges.h"
#include <nvtx3/nvToolsExt.h>

void range_push(const char *name)
{
    nvtxRangePushA(name);
}

void range_pop(void)
{
    nvtxRangePop();
}
