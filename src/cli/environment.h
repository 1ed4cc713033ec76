/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H
/* The machine that a run happened on, for the record. */

struct environment {
    char host[65];                 /* of rank 0 */
    char cpu[128];                 /* model name; "unknown" where the system does not tell */
    char mpi[256];                 /* library and version */
    char gpu[64];                  /* of rank 0; "" if no level may live on one */
    int gpus;                      /* that rank 0 sees */
    int cuda_driver, cuda_runtime; /* 1000·major + 10·minor; 0 without a GPU */
    int ranks, nodes;
    int ranks_per_node; /* on the fullest node */
    int threads;        /* a rank */
    int processors;     /* online on the node of rank 0 */
    int usable;         /* of them, those that the most tightly bound rank may run on */
    char date[32];      /* ISO 8601, UTC */
};

/* Collective over the world. */
void environment_read(struct environment *e);

#endif
