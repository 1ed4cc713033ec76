/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The machine: what reports say about it, and whether it has what a run needs. */
#include <stdbool.h>
#include "base/status.h"
#include "comm/comm.h"

struct environment {
    char host[65];                 /* of rank 0 */
    char cpu[128];                 /* model name, or "unknown" */
    char mpi[256];                 /* library and version */
    char gpu[64];                  /* of rank 0; "" if the run uses none */
    int gpus;                      /* that rank 0 sees */
    int cuda_driver, cuda_runtime; /* 1000·major + 10·minor; 0 without a GPU */
    int ranks, nodes;
    int ranks_per_node; /* on the fullest node */
    int ranks_per_gpu;  /* of the GPU that most ranks share; 1 without a GPU */
    int threads;        /* per rank */
    int processors;     /* online on the node of rank 0 */
    int usable;         /* processors that the rank bound to the fewest may run on */
    char date[32];      /* ISO 8601, UTC */
};

/* Collective over the world. */
void environment_read(struct environment *e);

/* --backend (enum backend_choice): opens this rank's GPU unless it is BACKEND_CPU. *on_gpu: all
 * ranks have one. STATUS_ENVIRONMENT with the reason in message if a GPU is demanded and missing.
 * If the run falls back to the CPU, STATUS_VALID, and message has the reason and what happens
 * `instead`; else message is left alone. Collective over the world; equal on all ranks. */
enum status gpu_choose(int backend, const char *instead, bool *on_gpu, char *message, int size);

/* Who shares the GPU that gpu_choose() opened on this rank: found by the GPU's UUID, since
 * launchers may show each rank another GPU under the same number. One rank without a GPU. */
struct sharers gpu_sharers(void);

/* STATUS_ENVIRONMENT, with one line in message, if some rank has too many OpenMP threads.
 * Collective over the world; equal on all ranks. */
enum status environment_check(char *message, int size);
