/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_DELAY_H
#define APP_DELAY_H
/* For tests only: the environment variable HPGMG_DELAY=SEED:MICROSECONDS makes every rank sleep
 * after every stage, each time for another random time of at most MICROSECONDS, to show that the
 * answer does not depend on who comes first. Without the variable nothing is observed. */
#include "base/status.h"

/* Arms the delays that the variable asks for, if any. STATUS_USAGE with one line in message if it
 * is malformed. */
enum status delay_install(char *message, int message_size);

#endif
