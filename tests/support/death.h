/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Catches die() within the process, so that code may call MPI (support/child.h forks). */
#include <setjmp.h>
#include "base/check.h"

static jmp_buf death_back;
static int death_status;

static inline void death_come_back(int status)
{
    death_status = status;
    longjmp(death_back, 1);
}

static inline void death_do_not_wait(void)
{
}

/* The status that `function` dies with; 0 if it returns. What it has allocated stays. */
static inline int death_of(void (*function)(void))
{
    void (*const kept_abort)(int) = check_abort;
    void (*const kept_wait)(void) = check_wait;
    death_status = 0;
    check_abort = death_come_back;
    check_wait = death_do_not_wait;
    if (setjmp(death_back) == 0)
        function();
    check_abort = kept_abort;
    check_wait = kept_wait;
    return death_status;
}
