#ifndef CUDA_PAIR_FV2_CUH
#define CUDA_PAIR_FV2_CUH
/* Red and black of one order-2 Gauss-Seidel step in one pass over memory. */
#include "cuda/internal.cuh"

/* Writes to `out` what a red and then a black half-sweep make of `in` (zero_guess: of 0). f, the
 * coefficients and both fields have the layout of patch c; pointers are at cell (0,0,0); alpha is
 * NULL for poisson. in and out must differ. Beyond sides that are no wall two layers of ghosts are
 * read; the red cells of the inner one are updated too, but not stored. */
struct pair_fv2 {
    struct cells c;
    const double *in, *f, *alpha, *beta_i, *beta_j, *beta_k;
    double *out;
    double scale;
    int parity; /* of the global index of cell (0,0,0): red is even */
    bool zero_guess;
};
void cuda_pair_fv2(const struct pair_fv2 &pair);

/* True if the level's passes may use it. */
bool cuda_pair_fv2_fits(const struct level *level);

#endif
