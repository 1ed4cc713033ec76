/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Clock, throttling and energy of all GPUs of a run while solves are timed. */
#include "app/record.h"
#include "comm/comm.h"

/* Collective over comm, whose ranks have their levels on GPUs if on_gpu. */
void meters_begin(bool on_gpu);
struct meters meters_end(MPI_Comm comm);
