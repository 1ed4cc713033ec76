/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_TRAFFIC_H
#define OPERATORS_TRAFFIC_H
/* Fewest bytes per cell that a pass must move between memory and processor. */
#include "operators/passes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* If the whole pass reads and writes each array once: u, f, the coefficients, and where it sweeps
 * the relaxation weight; an eighth of an array on the coarse side. */
double pass_bytes_once(const struct pass *pass);
/* If each of its operations, the start, every sweep and the finish, does so. */
double pass_bytes_one_by_one(const struct pass *pass);

#ifdef __cplusplus
}
#endif
#endif
