/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_STRICT_H
#define APP_STRICT_H
#include "app/verdict.h"

/* --strict: adds checks of the timings: noise, options without effect, outliers among ranks, and
 * transports without a tried message. */
void strict_checks(struct verdict *v, const struct benchmark *b);

#endif
