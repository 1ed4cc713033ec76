/* SPDX-License-Identifier: BSD-3-Clause */
/* The fv problem's products, one thread per cell; the tables come from the host. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"
#include "operators/problem_formula.h"

/* The tables in device memory, in one block. */
struct device_tables {
    const struct fv_point *points;
    const double *centres, *faces;
    double correction, curvature;
};

static void *upload_tables(const struct fv_tables &t, struct device_tables *d)
{
    const size_t points = (size_t)t.points_length * sizeof *t.points,
                 sines = (size_t)t.sines_length * sizeof *t.centres;
    char *block = (char *)cuda_allocate_bytes(points + 2 * sines, "problem tables");
    CUDA_CALL(cudaMemcpyAsync(block, t.points, points, cudaMemcpyHostToDevice, cuda_stream()));
    CUDA_CALL(
        cudaMemcpyAsync(block + points, t.centres, sines, cudaMemcpyHostToDevice, cuda_stream()));
    CUDA_CALL(cudaMemcpyAsync(block + points + sines, t.faces, sines, cudaMemcpyHostToDevice,
                              cuda_stream()));
    *d = {(const struct fv_point *)block, (const double *)(block + points),
          (const double *)(block + points + sines), t.correction, t.curvature};
    return block;
}

static void fill_rhs(const struct cells &c, const struct device_tables &t, double *f)
{
    for_cells(c.n[0], c.n[1], c.n[2], [=] __device__(int i, int j, int k) {
        f[i + j * c.sj + k * c.sk] = fv_rhs(t.points[c.lo[0] + i], t.points[c.lo[1] + j],
                                            t.points[c.lo[2] + k], t.correction);
    });
}

static void fill_beta(const struct cells &c, const struct device_tables &t, int direction,
                      double *beta)
{
    int n[3] = {c.n[0], c.n[1], c.n[2]};
    n[direction] += c.wall[direction][1]; /* the faces on the wall */
    const double *x = direction == 0 ? t.faces : t.centres,
                 *y = direction == 1 ? t.faces : t.centres,
                 *z = direction == 2 ? t.faces : t.centres;
    for_cells(n[0], n[1], n[2], [=] __device__(int i, int j, int k) {
        beta[i + j * c.sj + k * c.sk] =
            fv_beta(x[c.lo[0] + i], y[c.lo[1] + j], z[c.lo[2] + k], t.correction, t.curvature);
    });
}

static void fill_ones(const struct cells &c, double *alpha)
{
    for_cells(c.n[0], c.n[1], c.n[2],
              [=] __device__(int i, int j, int k) { alpha[i + j * c.sj + k * c.sk] = 1.0; });
}

void cuda_fill_fv(const struct level *level, const struct fv_tables *tables)
{
    struct device_tables t;
    void *block = upload_tables(*tables, &t);
    for (int q = 0; q < level->npatches; q++) {
        const struct cells c = cells_of(&level->patches[q]);
        fill_rhs(c, t, level->fields[FIELD_F] + c.offset);
        for (int d = 0; d < 3 && level->fields[FIELD_BETA_I]; d++)
            fill_beta(c, t, d, level->fields[FIELD_BETA_I + d] + c.offset);
        if (level->fields[FIELD_ALPHA])
            fill_ones(c, level->fields[FIELD_ALPHA] + c.offset);
    }
    cuda_synchronise();
    cuda_release_bytes(block);
}
