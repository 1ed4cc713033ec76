/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H
/* Seconds of a monotonic clock; only differences have a meaning. */

#ifdef __cplusplus
extern "C" {
#endif
double timer_seconds(void);
#ifdef __cplusplus
}
#endif
#endif
