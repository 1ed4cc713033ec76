/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A CPU thread that waits is one of the coroutines. */
#include "grid.h"

static inline void pause_thread()
{
    emulated::wait_for_others();
}
