/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Fatal errors: one line on stderr, then the job ends. No check is compiled out. */
#include <stdbool.h>
#include "base/linkage.h"
#include "base/status.h"

C_BEGIN

/* Ends the job after a fatal error. comm/ replaces _Exit by MPI_Abort, because the other ranks
 * would wait for a rank that exits alone. */
extern void (*check_abort)(int status);

/* die() calls this before it prints. comm/ replaces it, so that the lowest rank alone reports a
 * failure of all ranks. It must return. */
extern void (*check_wait)(void);

/* The program's name, with which lines on stderr begin; "hpgmg-gpu" unless the program sets it. */
extern const char *check_program;

/* Prints "hpgmg-gpu: error: <message>" on stderr and ends the job with status. Does not return. */
void die(enum status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* Whether warn() prints; true unless a library says otherwise. */
extern bool check_warns;

/* Prints "hpgmg-gpu: warning: <message>" on stderr, if results remain correct. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Checks an invariant of the program; a failure is a defect of the program. */
#define CHECK(condition)                                                                           \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : die(STATUS_SYSTEM, "%s:%d: internal check failed: %s", __FILE__, __LINE__, #condition))

C_END
