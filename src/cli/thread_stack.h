/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_THREAD_STACK_H
#define CLI_THREAD_STACK_H
/* Whether OpenMP's threads have the stack that the CPU's loops need (OMP_STACKSIZE): a thread that
 * runs out of it ends the program without a word. */
#include "base/status.h"

/* STATUS_ENVIRONMENT, with one line in message, if some rank's threads have too little. Collective
 * over the world; all ranks return the same. */
enum status thread_stack_check(char *message, int size);

#endif
