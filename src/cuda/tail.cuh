#ifndef CUDA_TAIL_CUH
#define CUDA_TAIL_CUH
/* What the tail kernel is given: the levels and steps of one launch, by value. */
#include "cuda/bottom.cuh"

enum {
    TAIL_DIM = 16, /* cells a side of the largest level that is worked on this way */
    TAIL_THREADS = 512,
    MAX_TAIL_LEVELS = 5, /* 16, 8, 4, 2, 1 */
    MAX_TAIL_STEPS = 48,
};

/* One box with walls on all sides. */
struct tail_level {
    int sj, sk;               /* of its fields */
    int coarse_sj, coarse_sk; /* of those on its coarse side */
    int wall_rule;
    struct divider side; /* cells a side */
    struct divider half; /* half of it, rounded up; the coarse cells a side, if there are any */
    struct divider beta; /* the cube of β that is copied, see tail.cu */
    double scale;
    const double *dinv, *alpha, *beta_i, *beta_j, *beta_k; /* NULL if not stored */
    double c1[SMOOTHER_SWEEPS], c2[SMOOTHER_SWEEPS];       /* chebyshev */
};

struct tail_step {
    unsigned char kind, level; /* enum step_kind, place in tail.levels */
    unsigned char start, prolongation, nsweeps, restricts;
    unsigned char coarse_rule;    /* of the walls around coarse_u, */
    struct divider coarse_framed; /* its cells a side with the ghosts that prolongation reads */
    double *u, *coarse_f;
    const double *f, *coarse_u;
};

struct tail {
    int count;
    enum smoother smoother;
    struct tail_level levels[MAX_TAIL_LEVELS];
    struct tail_step steps[MAX_TAIL_STEPS];
    struct bottom_work bottom;
};
static_assert(sizeof(struct tail) <= 4096, "kernels have 4 KiB of parameters everywhere");

#endif
