#ifndef APP_FAULT_H
#define APP_FAULT_H
/* For tests: the environment variable HPGMG_FAULT=WHAT:RANK:VALUE puts one wrong value into a run,
 * to show that no check loses it. WHAT is f, beta, ghost or message, VALUE nan or inf. f and beta
 * are spoilt before the first solve; a ghost or a cell that came in a message after the first halo
 * exchange on the finest level that has one on that rank. */
#include "base/status.h"
#include "solvers/hierarchy.h"

/* Arms the fault that the variable asks for, if any. STATUS_USAGE with one line in message if it
 * cannot be. Collective. */
enum status fault_install(struct hierarchy *h, char *message, int message_size);

#endif
