/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-vector operations and reductions. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"
#include "cuda/core/atomic_max.cuh"
#include "operators/hash.h"
#include "operators/sum.h"

struct cells cells_of(const struct patch *p)
{
    struct cells c;
    for (int d = 0; d < 3; d++) {
        c.n[d] = p->n[d];
        c.lo[d] = p->box.lo[d];
        c.wall[d][0] = p->wall[d][0];
        c.wall[d][1] = p->wall[d][1];
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

/* Calls f(element of a field) for every cell of every patch. */
template <class F>
static void for_level(const struct level *l, F f)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct cells c = cells_of(&l->patches[q]);
        for_cells(c.n[0], c.n[1], c.n[2],
                  [=] __device__(int i, int j, int k) { f(c.offset + i + j * c.sj + k * c.sk); });
    }
}

void cuda_combine(struct level *level, enum field z, double a, enum field x, double b, enum field y)
{
    double *to = level->fields[z];
    const double *from = level->fields[x], *other = level->fields[y];
    for_level(level, [=] __device__(long c) { to[c] = fma(a, from[c], b * other[c]); });
}

void cuda_multiply(struct level *level, enum field z, enum field x, enum field y)
{
    double *to = level->fields[z];
    const double *from = level->fields[x], *other = level->fields[y];
    for_level(level, [=] __device__(long c) { to[c] = from[c] * other[c]; });
}

void cuda_add_constant(struct level *level, enum field x, double c)
{
    double *to = level->fields[x];
    for_level(level, [=] __device__(long cell) { to[cell] += c; });
}

/* Words in device memory that kernels reduce into; the host fetches them after the launches. */
enum { REDUCTION_WORDS = SUM_DIGITS + 1 };

static unsigned long long *reduction_words()
{
    static unsigned long long *words;
    cuda_keep_bytes((void **)&words, REDUCTION_WORDS * sizeof *words, "reductions");
    CUDA_CALL(cudaMemsetAsync(words, 0, REDUCTION_WORDS * sizeof *words, cuda_stream()));
    return words;
}

static void fetch_words(const unsigned long long *words, unsigned long long *values)
{
    CUDA_CALL(cudaMemcpyAsync(values, words, REDUCTION_WORDS * sizeof *words,
                              cudaMemcpyDeviceToHost, cuda_stream()));
    cuda_synchronise();
}

static __device__ unsigned long long warp_sum(unsigned long long value)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value += __shfl_down_sync(0xffffffffu, value, lanes);
    return value;
}

/* value(c, row) of every cell of a patch, reduced by a fixed grid; integer maxima and sums do not
 * depend on the order. */
template <int WORDS, class F>
__global__ void __launch_bounds__(256)
    reduce_kernel(struct cells c, bool maximum, unsigned long long *words, F value)
{
    unsigned long long mine[WORDS] = {0};
    const long cells = (long)c.n[0] * c.n[1] * c.n[2];
    for (long x = (long)blockIdx.x * blockDim.x + threadIdx.x; x < cells;
         x += (long)gridDim.x * blockDim.x) {
        const int i = (int)(x % c.n[0]), j = (int)(x / c.n[0] % c.n[1]),
                  k = (int)(x / c.n[0] / c.n[1]);
        unsigned long long v[WORDS];
        value(c.offset + i + j * c.sj + k * c.sk, i, j, k, v);
        for (int w = 0; w < WORDS; w++)
            mine[w] = !maximum ? mine[w] + v[w] : v[w] > mine[w] ? v[w] : mine[w];
    }
    for (int w = 0; w < WORDS; w++) {
        const unsigned long long all = maximum ? warp_max(mine[w]) : warp_sum(mine[w]);
        if (threadIdx.x % 32 != 0)
            continue;
        if (maximum)
            atomicMax(&words[w], all);
        else
            atomicAdd(&words[w], all);
    }
}

template <int WORDS, class F>
static void reduce_into(unsigned long long *words, const struct level *l, bool maximum, F value)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct cells c = cells_of(&l->patches[q]);
        const long cells = (long)c.n[0] * c.n[1] * c.n[2], blocks = (cells + 1023) / 1024;
        reduce_kernel<WORDS><<<(unsigned)(blocks < 1056 ? blocks : 1056), 256, 0, cuda_stream()>>>(
            c, maximum, words, value);
        CUDA_LAUNCHED();
    }
}

template <int WORDS, class F>
static void reduce(const struct level *l, bool maximum, F value, unsigned long long *result)
{
    unsigned long long *words = reduction_words(), values[REDUCTION_WORDS];
    reduce_into<WORDS>(words, l, maximum, value);
    fetch_words(words, values);
    for (int w = 0; w < WORDS; w++)
        result[w] = values[w];
}

uint64_t cuda_product_norm(const struct level *level, enum field x, enum field y)
{
    const double *from = level->fields[x], *other = y == NUM_FIELDS ? NULL : level->fields[y];
    unsigned long long largest;
    reduce<1>(
        level, true,
        [=] __device__(long c, int, int, int, unsigned long long *v) {
            v[0] = magnitude_bits(other ? from[c] * other[c] : from[c]);
        },
        &largest);
    return largest;
}

uint64_t cuda_norm(const struct level *level, enum field x)
{
    return cuda_product_norm(level, x, (enum field)NUM_FIELDS);
}

void cuda_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                         int64_t digits[3])
{
    const double *from = level->fields[x], *other = y == NUM_FIELDS ? NULL : level->fields[y];
    const double scale = sum_scale(exponent);
    unsigned long long sums[SUM_DIGITS];
    reduce<SUM_DIGITS>(
        level, false,
        [=] __device__(long c, int, int, int, unsigned long long *v) {
            int64_t d[SUM_DIGITS] = {0, 0, 0};
            sum_digits(other ? from[c] * other[c] : from[c], scale, d);
            for (int w = 0; w < SUM_DIGITS; w++)
                v[w] = (unsigned long long)d[w];
        },
        sums);
    for (int d = 0; d < SUM_DIGITS; d++)
        digits[d] += (int64_t)sums[d];
}

/* The result of reduce_dot from the digits, given the bits of the largest magnitude. */
static __device__ double sum_of_words(const unsigned long long *digits, unsigned long long largest)
{
    const int64_t d[SUM_DIGITS] = {(int64_t)digits[0], (int64_t)digits[1], (int64_t)digits[2]};
    if (largest == 0)
        return 0.0;
    return isfinite(bits_to_double(largest)) ? sum_value(d, sum_exponent(largest))
                                             : bits_to_double(0x7ff8000000000000ull);
}

void cuda_subtract_mean(struct level *level, enum field x)
{
    double *field = level->fields[x];
    unsigned long long *digits = reduction_words(), *largest = digits + SUM_DIGITS;
    const double cells = (double)level->dim * level->dim * level->dim;
    reduce_into<1>(largest, level, true,
                   [=] __device__(long c, int, int, int, unsigned long long *v) {
                       v[0] = magnitude_bits(field[c]);
                   });
    reduce_into<SUM_DIGITS>(digits, level, false,
                            [=] __device__(long c, int, int, int, unsigned long long *v) {
                                int64_t d[SUM_DIGITS] = {0, 0, 0};
                                if (isfinite(bits_to_double(*largest)))
                                    sum_digits(field[c], sum_scale(sum_exponent(*largest)), d);
                                for (int w = 0; w < SUM_DIGITS; w++)
                                    v[w] = (unsigned long long)d[w];
                            });
    for_level(level,
              [=] __device__(long c) { field[c] += -(sum_of_words(digits, *largest) / cells); });
}

uint64_t cuda_checksum(const struct level *level, enum field x)
{
    const double *from = level->fields[x];
    const uint64_t dim = (uint64_t)level->dim;
    uint64_t sum = 0;
    for (int q = 0; q < level->npatches; q++) {
        struct level one =
            *level; /* the level as if this were its only patch: global indices differ by patch */
        one.npatches = 1;
        one.patches = &level->patches[q];
        const struct box b = level->patches[q].box;
        unsigned long long hash;
        reduce<1>(
            &one, false,
            [=] __device__(long c, int i, int j, int k, unsigned long long *v) {
                const uint64_t index =
                    (uint64_t)(b.lo[0] + i) +
                    dim * ((uint64_t)(b.lo[1] + j) + dim * (uint64_t)(b.lo[2] + k));
                v[0] = hash_cell(index, from[c]);
            },
            &hash);
        sum += hash;
    }
    return sum;
}
