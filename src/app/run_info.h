/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_RUN_INFO_H
#define APP_RUN_INFO_H
/* What both reports say beyond the benchmark's record: quantities summed over ranks, warnings, and
 * the memory that a run needs. */
#include "app/benchmark.h"
#include "cli/environment.h"

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

/* True if the coarsest level, with n cells by direction, is one on which the bottom solver may need
 * many iterations, on one rank, and that is not what --levels asked for. */
bool coarsest_is_large(const struct hierarchy_choice *choice, const int n[3]);

/* What the ranks that share a memory need of it for fields, and what is free where least is. */
struct memory_need {
    double needed, available; /* bytes; 0 available: unknown */
};
/* Of the fullest node's host memory, and of the memory of its GPUs. Equal on all ranks. Collective
 * over the world. */
struct memory_need memory_need_of_node(const struct hierarchy_choice *choice);
struct memory_need memory_need_of_gpu(const struct hierarchy_choice *choice);
/* The same for `bytes` bytes of host or GPU memory on the fullest rank. */
struct memory_need memory_need_of(size_t bytes, bool on_device);
bool memory_need_fits(const struct memory_need *need);
/* Whether `bytes` more bytes of each rank fit into the memory of the level's fields. Collective
 * over the ranks of the level; equal on all of them. */
bool memory_has_room(const struct level *level, size_t bytes);
/* "node" or "GPU", the memory into which the levels do not fit, with the need; NULL if they fit.
 * Equal on all ranks. Collective over the world. */
const char *memory_shortage(const struct hierarchy_choice *choice, struct memory_need *need);
/* The choice with the largest size that fits and has boxes no larger and no more per rank; with no
 * boxes per rank if none fits. Equal on all ranks. Collective over the world. */
struct hierarchy_choice memory_largest(struct hierarchy_choice choice);

#endif
