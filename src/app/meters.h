/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_METERS_H
#define APP_METERS_H
/* Clock, throttling and energy of all GPUs of a run while solves are timed. */
#include "comm/comm.h"

struct meters {
    double slowest, fastest;    /* MHz, of any GPU at any time; NaN: not known */
    unsigned long long reasons; /* see cuda/power.h */
    double joules;              /* of all GPUs; NaN: not known */
    /* MHz of this rank's GPU; NaN: not known, or another rank watches it */
    double own_slowest, own_fastest;
};

/* Collective over comm, whose ranks have their levels on GPUs if on_gpu. */
void meters_begin(bool on_gpu);
struct meters meters_end(MPI_Comm comm);

#endif
