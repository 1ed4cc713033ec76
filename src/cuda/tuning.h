/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_TUNING_H
#define CUDA_TUNING_H
/* How the marching kernels cut a patch, where it has been found by trying: `hpgmg-lab tune` tries,
 * a file keeps what it found. Answers do not depend on it. */
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is tuned on its own: stages by the names that reports and the lab give them. */
enum cuda_tuned_stage {
    TUNED_SMOOTH,      /* red and black in one pass */
    TUNED_ZERO_SMOOTH, /* order 2 only */
    TUNED_RESTRICT,    /* residual+restrict */
    TUNED_NORM,        /* residual+norm */
    TUNED_SWEEP,       /* one sweep in a pass, order 4 only */
    NUM_TUNED_STAGES
};
extern const char *const cuda_tuned_stage_names[NUM_TUNED_STAGES];

/* Rows of cells that a block has in its tile. */
enum {
    TUNED_PAIR_MOST_ROWS = 20,
    TUNED_PAIR_FEW_ROWS = 10,
    TUNED_RESIDUAL_MOST_ROWS = 16,
    TUNED_RESIDUAL_FEW_ROWS = 8,
    TUNED_MARCH_ROWS = 16,
    TUNED_PAIR_FV4_ROWS = 14
};
enum { TUNED_MOST_PLANES = 1024, MAX_TUNINGS = 128 };

/* One choice. It holds for patches whose number of cells is nearer to n³ than to any other
 * choice's, by ratio, but for none of less than a third of it or more than three times as many:
 * where a kernel's own choice was the best there is none. */
struct cuda_tuning {
    int order;
    enum cuda_tuned_stage stage;
    bool helmholtz;
    int n;
    int rows;   /* of a tile */
    int planes; /* that a block marches through, even; 0: so many as fill the last wave of blocks */
    long launches; /* that have used it */
};

/* The legal numbers of rows, the default first; their number, 0 if there is no such kernel. */
enum { MAX_TUNED_ROWS = 4 };
int cuda_tuned_rows(int order, enum cuda_tuned_stage stage, int rows[MAX_TUNED_ROWS]);
/* Whether it is a choice for such a stage, on patches of whatever size. */
bool cuda_tuning_is_for(const struct cuda_tuning *t, int order, enum cuda_tuned_stage stage,
                        bool helmholtz);
/* Whether the choice is one that a kernel can follow. */
bool cuda_tuning_is_legal(const struct cuda_tuning *t);

/* The one that holds for patches of so many cells, NULL if none does. */
struct cuda_tuning *cuda_tuning_for(int order, enum cuda_tuned_stage stage, bool helmholtz,
                                    double cells);

/* Copies `count` legal choices, at most MAX_TUNINGS, to be followed from now on. */
void cuda_tune(const struct cuda_tuning *tunings, int count);
/* Those, with what has become of them. */
struct cuda_tuning *cuda_tunings(int *count);

#ifdef __cplusplus
}
#endif
#endif
