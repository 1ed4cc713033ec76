/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/progress.h"
#include <stdio.h>
#include <unistd.h>
#include "base/timer.h"
#include "comm/comm.h"

static int enabled;
static double last_shown;

void progress_enable(int on)
{
    enabled = on && comm_rank() == 0 && isatty(STDERR_FILENO);
}

void progress_show(const char *size, long done, long all)
{
    if (!enabled || timer_seconds() - last_shown < 0.2)
        return;
    last_shown = timer_seconds();
    fprintf(stderr, "\r  timing %-2s  solve %ld of %ld ", size, done, all);
}

void progress_clear(void)
{
    if (enabled)
        fprintf(stderr, "\r%60s\r", "");
}
