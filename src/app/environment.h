#ifndef APP_ENVIRONMENT_H
#define APP_ENVIRONMENT_H
/* The machine that a run happened on, for the record. */

struct environment {
    char host[65]; /* of rank 0 */
    char cpu[128]; /* model name; "unknown" where the system does not tell */
    char mpi[256]; /* library and version */
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
