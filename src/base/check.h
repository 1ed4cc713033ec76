/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H
/* Fatal errors: one line on stderr, then the whole job ends. Never compiled out. */
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the job ends after a fatal error. comm/ replaces the default (_Exit) by MPI_Abort, because
 * one rank that leaves alone would leave the others waiting. */
extern void (*check_abort)(int status);

/* What die() waits for before it prints: nothing, unless comm/ says otherwise, so that one rank
 * speaks of a failure that all ranks have. It must come back. */
extern void (*check_wait)(void);

/* What must not stay behind when die() ends the job. Nothing, unless cli/ says otherwise. */
extern void (*check_cleanup)(void);

/* What the lines on stderr begin with: the program's name, "hpgmg-gpu" unless it says otherwise. */
extern const char *check_program;

/* Prints "hpgmg-gpu: error: <message>" on stderr and ends the job with status. Does not return. */
void die(enum status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* For events that leave the answer right: "hpgmg-gpu: warning: <message>" on stderr. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An invariant of the program itself; its failure is a defect. */
#define CHECK(condition)                                                                           \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : die(STATUS_SYSTEM, "%s:%d: internal check failed: %s", __FILE__, __LINE__, #condition))

#ifdef __cplusplus
}
#endif
#endif
