/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_STRICT_H
#define APP_STRICT_H
#include "app/verdict.h"

/* --strict: adds what makes times doubtful though the answer is right: noise, options without
 * effect, ranks unlike the others, transports of which no message was tried. */
void strict_checks(struct verdict *v, const struct benchmark *b);

#endif
