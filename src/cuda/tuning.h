/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Measured tile rows and planes per block of the tuned kernels, per stage and patch size.
 * `hpgmg-lab tune` measures them, tuning.def keeps them by GPU. Results do not depend on them. */
#include <stdbool.h>
#include "base/linkage.h"
#include "base/status.h"

C_BEGIN

/* What is tuned separately. Reports and the lab print the stages by the names below. */
enum cuda_tuned_stage {
    TUNED_SMOOTH,      /* a red and a black half-sweep, fused */
    TUNED_ZERO_SMOOTH, /* the same from u = 0; order 2 only */
    TUNED_RESTRICT,    /* residual+restrict */
    TUNED_NORM,        /* residual+norm */
    TUNED_SWEEP,       /* one sweep of any smoother; order 4 only */
    NUM_TUNED_STAGES
};
extern const char *const cuda_tuned_stage_names[NUM_TUNED_STAGES];

/* Rows of cells in a block's tile. */
enum {
    TUNED_FV2_GSRB_ROWS = 20,
    TUNED_FV2_GSRB_FEW_ROWS = 10,
    TUNED_FV2_RESIDUAL_ROWS = 16,
    TUNED_FV2_RESIDUAL_FEW_ROWS = 8,
    TUNED_FV4_SWEEP_ROWS = 16,
    TUNED_FV4_GSRB_ROWS = 14
};
enum { TUNED_MOST_PLANES = 1024, MAX_TUNINGS = 128 };

/* One choice, for patches of about n³ cells: at least a third and at most three times as many.
 * Where several choices qualify, the one with the least ratio of cells holds. */
struct cuda_tuning {
    int order;
    enum cuda_tuned_stage stage;
    bool helmholtz;
    int n;
    int rows;   /* of a tile */
    int planes; /* per block, even; 0: as many as fill the last wave of blocks */
};

/* Writes the legal numbers of rows, the default first, and returns how many there are: 0 if no such
 * kernel exists. */
enum { MAX_TUNED_ROWS = 4 };
int cuda_tuned_rows(int order, enum cuda_tuned_stage stage, int rows[MAX_TUNED_ROWS]);
/* True if it is a choice for such a stage, for whatever patch size. */
bool cuda_tuning_is_for(const struct cuda_tuning *t, int order, enum cuda_tuned_stage stage,
                        bool helmholtz);
/* True if a kernel exists that can follow the choice. */
bool cuda_tuning_is_legal(const struct cuda_tuning *t);

/* Reads and writes "order stage equation n rows planes", as in "2 smooth poisson 512 20 24"; false
 * if the text is something else or not legal. */
bool cuda_tuning_read(struct cuda_tuning *t, const char *text);
enum { TUNING_TEXT_SIZE = 80 };
void cuda_tuning_write(const struct cuda_tuning *t, char text[TUNING_TEXT_SIZE]);

/* The choice for patches of this size; NULL if there is none. */
const struct cuda_tuning *cuda_tuning_for(int order, enum cuda_tuned_stage stage, bool helmholtz,
                                          double cells);
/* The choice that holds for a launch on a patch of n cells; else the default rows and 0 planes. */
struct cuda_tuning cuda_tuned(int order, enum cuda_tuned_stage stage, bool helmholtz,
                              const int n[3]);

/* Copies `count` legal choices, at most MAX_TUNINGS. Later launches follow them. */
void cuda_tune(const struct cuda_tuning *tunings, int count);

/* Launches follow the rows of this rank's GPU in tuning.def. The environment variable HPGMG_TUNING
 * of rank 0 has one row to try before them, or "none": no row is followed. on_gpu: the device is
 * open. STATUS_USAGE, with one line in message, if the variable is malformed. Collective over the
 * world; equal on all ranks. */
enum status cuda_tuning_choose(bool on_gpu, char *message, int size);
/* Which rows are followed, for reports; NULL without a GPU. */
const char *cuda_tuning_source(void);

C_END
