/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_METERS_H
#define APP_METERS_H
/* Clock, throttling and energy of all GPUs of a run while solves are timed. */
#include "comm/comm.h"

struct meters {
    double slowest, fastest;    /* MHz, of any GPU at any time; NaN: not known */
    unsigned long long reasons; /* see cuda/power.h */
    double joules;              /* of all GPUs; NaN: not known */
};

/* Collective over comm, whose ranks have their levels on GPUs if on_gpu. */
void meters_begin(bool on_gpu);
struct meters meters_end(MPI_Comm comm);

#endif
