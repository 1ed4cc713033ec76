/* SPDX-License-Identifier: BSD-3-Clause */
/* How the device visits cells: one kernel per body, one thread per cell. */
#include "cuda/backend.cuh"
#include "cuda/core/operators.cuh"
#include "cuda/device.cuh"
#include "operators/bodies.h"
#include "operators/diagonal.h"

struct cells cells_of(const struct patch *p)
{
    struct cells c;
    for (int d = 0; d < 3; d++) {
        c.n[d] = p->n[d];
        c.lo[d] = p->box.lo[d];
        for (int side = 0; side < 2; side++)
            c.wall[d][side] = p->wall[d][side];
        c.wrap[d] = p->wrap[d];
    }
    c.offset = p->offset;
    c.sj = p->sj;
    c.sk = p->sk;
    return c;
}

bool cuda_even_patches(const struct level *level)
{
    bool even = true;
    for (int q = 0; q < level->npatches; q++)
        for (int d = 0; d < 3; d++)
            even = even && level->patches[q].n[d] % 2 == 0;
    return even;
}

#define BODY(name, arguments_type)                                                                 \
    static void visit_##name(const struct arguments_type x, const int n[3])                        \
    {                                                                                              \
        for_cells(n[0], n[1], n[2],                                                                \
                  [=] __device__(int i, int j, int k) { body_##name(&x, i, j, k); });              \
    }
#include "backend/bodies.def"
#undef BODY

void cuda_visit(enum body body, const void *arguments, const int n[3])
{
#define BODY(name, arguments_type)                                                                 \
    if (body == BODY_##name)                                                                       \
        visit_##name(*(const struct arguments_type *)arguments, n);
#include "backend/bodies.def"
#undef BODY
}

template <class Op>
static void set_diagonal(const struct diagonal_arguments &x, const int n[3],
                         unsigned long long *bound)
{
    for_cells(n[0], n[1], n[2], [=] __device__(int i, int j, int k) {
        real diagonal, others;
        const struct probe p = diagonal_probe(&x, i, j, k);
        const uint64_t bits = diagonal_cells(&x, Op::sum, Op::rhs, &p, i + j * x.sj + k * x.sk, 1,
                                             &diagonal, &others);
        if (x.others)
            atomicMax(bound, (unsigned long long)bits);
    });
}

void cuda_diagonal(const struct diagonal_arguments *x, const int n[3], uint64_t *lambda_max)
{
    unsigned long long *bound = (unsigned long long *)cuda_allocate_bytes(sizeof *bound,
                                                                          "the eigenvalue bound"),
                       value;
    CUDA_CALL(cudaMemsetAsync(bound, 0, sizeof *bound, cuda_stream()));
    with_operator(x->s.choice, [&](auto op) { set_diagonal<decltype(op)>(*x, n, bound); });
    CUDA_CALL(cudaMemcpyAsync(&value, bound, sizeof value, cudaMemcpyDeviceToHost, cuda_stream()));
    cuda_synchronise();
    cuda_release_bytes(bound);
    *lambda_max = value > *lambda_max ? value : *lambda_max;
}
