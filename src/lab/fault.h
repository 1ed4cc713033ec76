/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_FAULT_H
#define LAB_FAULT_H
/* For tests only: the environment variable HPGMG_FAULT (first, middle, last) puts a wrong value
 * among the results of every case and rung, to show that no check loses it. */
#include <stdbool.h>

/* False with one line in message if the variable has another value. */
bool fault_is_legal(char *message, int message_size);
/* Which of so many results is to be wrong; -1: none. */
long fault_index(long results);

extern const double fault_value; /* wrong as two floats too */

#endif
