/* Prolongation as an operation of its own. A thread has one coarse cell and makes its eight
 * children. */
#include "cuda/internal.cuh"
#include "operators/transfers.h"

/* One direction, at the low and at the high child. */
template <int REACH>
static __device__ double interpolate(const double *c, bool high)
{
    if (REACH == 1)
        return high ? prolong2_high(c[0], c[1], c[2]) : prolong2_low(c[0], c[1], c[2]);
    return high ? prolong4_high(c[0], c[1], c[2], c[3], c[4])
                : prolong4_low(c[0], c[1], c[2], c[3], c[4]);
}

/* P coarse at the eight children of the cell that c points to, numbered i + 2j + 4k: k first, then
 * j, then i. */
template <int REACH>
static __device__ void prolong_children(const double *c, long sj, long sk, double child[8])
{
    enum { WIDTH = 2 * REACH + 1 };
    double line[4][WIDTH]; /* by j + 2k */
    for (int a = 0; a < WIDTH; a++) {
        double column[2][WIDTH];
        for (int b = 0; b < WIDTH; b++) {
            const double *at = c + (a - REACH) + (b - REACH) * sj - REACH * sk;
            double values[WIDTH];
            for (int d = 0; d < WIDTH; d++)
                values[d] = at[d * sk];
            column[0][b] = interpolate<REACH>(values, false);
            column[1][b] = interpolate<REACH>(values, true);
        }
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 2; j++)
                line[j + 2 * k][a] = interpolate<REACH>(column[k], j);
    }
    for (int x = 0; x < 8; x++)
        child[x] = interpolate<REACH>(line[x / 2], x & 1);
}

/* `layers` of coarse cells beyond sides without a wall too. */
template <int REACH>
static void prolong(const struct cells &fine, const struct cells &c, const double *coarse,
                    double *u, bool add, int layers)
{
    const long sj = fine.sj, sk = fine.sk;
    int n[3];
    for (int d = 0; d < 3; d++) {
        const int low = c.wall[d][0] ? 0 : layers, high = c.wall[d][1] ? 0 : layers;
        n[d] = low + c.n[d] + high;
        coarse -= low * (d == 0 ? 1 : d == 1 ? c.sj : c.sk);
        u -= 2 * low * (d == 0 ? 1 : d == 1 ? sj : sk);
    }
    for_cells(n[0], n[1], n[2], [=] __device__(int i, int j, int k) {
        double child[8];
        prolong_children<REACH>(coarse + i + j * c.sj + k * c.sk, c.sj, c.sk, child);
        for (int row = 0; row < 4; row++) {
            double2 *pair =
                (double2 *)(u + 2 * i + (2 * j + row % 2) * sj + (2 * k + row / 2) * sk);
            double2 value = make_double2(child[2 * row], child[2 * row + 1]);
            if (add) {
                const double2 old = *pair;
                value = make_double2(old.x + value.x, old.y + value.y);
            }
            *pair = value;
        }
    });
}

void cuda_prolong(const struct pass *pass, int q, double *u, int extent)
{
    const struct cells fine = cells_of(&pass->level->patches[q]),
                       c = cells_of(&pass->coarse->patches[q]);
    const double *coarse = pass->coarse->fields[pass->coarse_u] + c.offset;
    const bool add = pass->start == START_PROLONG_ADD;
    CHECK(extent % 2 == 0);
    if (pass->prolongation == 4)
        prolong<2>(fine, c, coarse, u, add, extent / 2);
    else
        prolong<1>(fine, c, coarse, u, add, extent / 2);
}
