/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_RUN_INFO_H
#define APP_RUN_INFO_H
/* What both reports say beyond the benchmark's record: quantities summed over ranks, and warnings.
 */
#include "app/benchmark.h"
#include "config/environment.h"

struct level_info {
    int n[3];                /* cells by direction */
    int boxes, box_cells[3]; /* boxes of the level, cells of each by direction */
    int cuboids;             /* after each rank has merged its boxes */
    int ranks;
    const char *backend;
    int threads;  /* per rank that work on it; 0 on a GPU */
    double bytes; /* of fields, all ranks, with the redistribution buffers to the next level */
};

enum { MAX_WARNINGS = 16, WARNING_SIZE = 160 };

struct run_info {
    struct environment environment;
    int nlevels;
    struct level_info levels[MAX_LEVELS];
    /* The most ranks that one rank exchanges messages of the finest level with: by the chosen
     * transport, and by the one between nodes. 0 before a run. */
    int neighbours, neighbours_elsewhere;
    double overlap_above;     /* as in hierarchy_choice; infinite where nothing overlaps */
    double unknowns;          /* cells of the finest level */
    double rhs_mean;          /* of f, which was subtracted; NaN if the operator is not singular */
    double field_bytes;       /* of all levels and ranks */
    double peak_bytes;        /* of host memory, summed over ranks; 0 before a run */
    double device_peak_bytes; /* the same of GPU memory */
    int nwarnings;
    char warnings[MAX_WARNINGS][WARNING_SIZE];
};

/* Of a hierarchy as built; b is NULL before the benchmark. Complete on rank 0. Collective over the
 * world. */
void run_info_gather(struct run_info *f, const struct hierarchy *h, const struct benchmark *b);
/* Of the hierarchy that the choice would give; builds nothing. Complete on rank 0. Collective over
 * the world. */
void run_info_estimate(struct run_info *f, const struct hierarchy_choice *choice);

/* True if the finest level lives on a GPU. */
static inline bool run_info_on_gpu(const struct run_info *f)
{
    return f->levels[0].threads == 0;
}

#endif
