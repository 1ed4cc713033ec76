/* Black cells of the two layers next to walls in j and k, which see ghosts that follow from red
 * cells further in, a thread a pair of cells in i of which one is black. */
#include "cuda/pair_fv4.cuh"
#include "cuda/walls.cuh"
#include "operators/fv4.h"
#include "operators/smoothers.h"

/* Which of the two cells at `pair` is black. */
static __device__ void choose_black(const struct pair_fv4 &w, int pair[3])
{
    pair[0] += (pair[0] + pair[1] + pair[2] + w.colour + 1) & 1;
}

/* What is around the black cell p, `at` cells from (0,0,0): its own colour from `in`, but for
 * ghosts, which are in `out` as the red cells are. */
static __device__ __forceinline__ struct fv4_cells gather_cells(const struct pair_fv4 &w, long at,
                                                                const int p[3])
{
    const double *in = w.in + at, *out = w.out + at;
    const long step[3] = {1, w.c.sj, w.c.sk};
    const int *n = w.c.n;
    bool near[3][2], far[3][2];
    for (int d = 0; d < 3; d++) {
        near[d][0] = p[d] >= 1;
        near[d][1] = p[d] < n[d] - 1;
        far[d][0] = p[d] >= 2;
        far[d][1] = p[d] < n[d] - 2;
    }
    const auto own = [&](bool inside, long offset) { return (inside ? in : out)[offset]; };
    struct fv4_cells x;
    x.here = in[0];
    for (int side = 0; side < 2; side++) {
        const int away = side ? 1 : -1;
        x.near_i[side] = out[away * step[0]];
        x.near_j[side] = out[away * step[1]];
        x.near_k[side] = out[away * step[2]];
        x.far_i[side] = own(far[0][side], 2 * away * step[0]);
        x.far_j[side] = own(far[1][side], 2 * away * step[1]);
        x.far_k[side] = own(far[2][side], 2 * away * step[2]);
        for (int other = 0; other < 2; other++) {
            const int beyond = other ? 1 : -1;
            x.ij[2 * other + side] =
                own(near[0][side] && near[1][other], away * step[0] + beyond * step[1]);
            x.ik[2 * other + side] =
                own(near[0][side] && near[2][other], away * step[0] + beyond * step[2]);
            x.jk[2 * other + side] =
                own(near[1][side] && near[2][other], away * step[1] + beyond * step[2]);
        }
    }
    return x;
}

static __device__ __forceinline__ void relax_black(const struct pair_fv4 &w, const int p[3])
{
    const long sj = w.c.sj, sk = w.c.sk, at = p[0] + p[1] * sj + p[2] * sk;
    const struct fv4_cells cells = gather_cells(w, at, p);
    const struct fv4_faces i = fv4_faces_at(w.beta_i + at, 1, sj, sk),
                           j = fv4_faces_at(w.beta_j + at, sj, 1, sk),
                           k = fv4_faces_at(w.beta_k + at, sk, 1, sj);
    const double f = w.f[at], rhs = w.alpha ? rhs_helmholtz(f, w.alpha[at], cells.here)
                                            : rhs_poisson(f, 0.0, cells.here);
    w.out[at] = update_gauss_seidel(cells.here, w.dinv[at],
                                    residual_value(rhs, w.scale, fv4_sum_of(&cells, &i, &j, &k)));
}

void cuda_rim_fv4(const struct pair_fv4 &pair)
{
    const struct pair_fv4 w = pair;
    const int pairs = w.c.n[0] / 2;
    for_range((long)pairs * rim_rows(w.c, RIM_LAYERS), [=] __device__(long number) {
        const int x = (int)number;
        int p[3] = {x % pairs * 2};
        find_rim_row(w.c, RIM_LAYERS, x / pairs, &p[1], &p[2]);
        choose_black(w, p);
        relax_black(w, p);
    });
}
