/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of fields: norms, dot products, checksums; subtracting the mean. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"
#include "cuda/core/atomic_max.cuh"
#include "operators/bodies.h"
#include "operators/vectors.h"

enum { LANES = 32, ROWS = 8, BLOCKS = 4 }; /* of a block; blocks per multiprocessor */

/* Calls f(element of the patch, i, j, k) for every second cell of each row, from the first one on.
 * A warp works on whole rows. */
template <class F>
static __device__ void for_row_vectors(const struct cells &c, F f)
{
    const int j = blockIdx.x * ROWS + threadIdx.y;
    if (j >= c.n[1])
        return;
    for (int k = blockIdx.y; k < c.n[2]; k += gridDim.y) {
        const long row = j * c.sj + k * c.sk;
#pragma unroll 4
        for (int i = 2 * threadIdx.x; i < c.n[0]; i += 2 * LANES)
            f(row + i, i, j, k);
    }
}

/* Launches a kernel on a patch, with about as many blocks as run at once. */
template <class... Parameters, class... Arguments>
static void launch_on_rows(void (*kernel)(struct cells, Parameters...), const struct patch *p,
                           const Arguments &...arguments)
{
    const struct cells c = cells_of(p);
    const int rows = cuda_divided(c.n[1], ROWS), most = BLOCKS * cuda_multiprocessors() / rows;
    const dim3 grid(rows, max(1, min(c.n[2], most))), block(LANES, ROWS);
    kernel<<<grid, block, 0, cuda_stream()>>>(c, arguments...);
    CUDA_LAUNCHED();
}

/* The reductions of reductions.def as types. add() adds a cell's term to the words. begin() is
 * called first, and is false if there is nothing to do. */
#define REDUCTION(name, words, sums)                                                               \
    struct name##_reduction {                                                                      \
        static constexpr int SUMS = sums, WORDS = words;                                           \
        struct terms t;                                                                            \
        DEVICE_MEMBER bool begin()                                                                 \
        {                                                                                          \
            return true;                                                                           \
        }                                                                                          \
        DEVICE_MEMBER void add(double term, uint64_t index, uint64_t *mine) const                  \
        {                                                                                          \
            name##_term(&t, index, term, mine);                                                    \
        }                                                                                          \
    };
#include "backend/reductions.def"
#undef REDUCTION

template <class Reduction>
static __device__ void combine(uint64_t *to, const uint64_t *from)
{
    reduction_combine(to, from, Reduction::WORDS, Reduction::SUMS);
}

/* The words of all threads of a block, with those in device memory. */
template <class Reduction>
static __device__ void reduce_block(unsigned long long *words, uint64_t *mine)
{
    __shared__ uint64_t of_warps[ROWS][Reduction::WORDS];
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        uint64_t other[Reduction::WORDS];
        for (int w = 0; w < Reduction::WORDS; w++)
            other[w] = __shfl_down_sync(0xffffffffu, mine[w], lanes);
        combine<Reduction>(mine, other);
    }
    for (int w = 0; threadIdx.x == 0 && w < Reduction::WORDS; w++)
        of_warps[threadIdx.y][w] = mine[w];
    __syncthreads();
    if (threadIdx.x != 0 || threadIdx.y != 0)
        return;
    for (int row = 1; row < ROWS; row++)
        combine<Reduction>(mine, of_warps[row]);
    for (int w = 0; w < Reduction::WORDS; w++)
        w < Reduction::SUMS ? atomicAdd(&words[w], (unsigned long long)mine[w])
                            : atomicMax(&words[w], (unsigned long long)mine[w]);
}

template <class Reduction>
static __global__ void __launch_bounds__(LANES *ROWS, BLOCKS)
    reduce_kernel(const __grid_constant__ struct cells c, Reduction reduction,
                  unsigned long long *words)
{
    uint64_t mine[Reduction::WORDS] = {0};
    if (!reduction.begin())
        return;
    const struct terms &t = reduction.t;
    for_row_vectors(c, [&](long cell, int i, int j, int k) {
        const uint64_t index = t.first + i + t.index_sj * j + t.index_sk * k;
        real2 term = *(const real2 *)(t.x + cell);
        if (t.y) {
            const real2 other = *(const real2 *)(t.y + cell);
            term = make_real2(term.x * other.x, term.y * other.y);
        }
        reduction.add(term.x, index, mine);
        if (i + 1 < c.n[0])
            reduction.add(term.y, index + 1, mine);
    });
    reduce_block<Reduction>(words, mine);
}

/* Words in device memory that kernels reduce into; the host fetches them after the launches. */
static unsigned long long *reduction_words()
{
    static unsigned long long *words;
    cuda_keep_bytes((void **)&words, REDUCTION_WORDS * sizeof *words, "reductions");
    CUDA_CALL(cudaMemsetAsync(words, 0, REDUCTION_WORDS * sizeof *words, cuda_stream()));
    return words;
}

template <class Reduction>
static void reduce(const struct level *l, enum field x, enum field y, double scale,
                   uint64_t *result)
{
    unsigned long long *words = reduction_words(), values[REDUCTION_WORDS];
    for (int q = 0; q < l->npatches; q++)
        launch_on_rows(reduce_kernel<Reduction>, &l->patches[q],
                       Reduction{vector_terms(l, &l->patches[q], x, y, scale)}, words);
    CUDA_CALL(cudaMemcpyAsync(values, words, sizeof values, cudaMemcpyDeviceToHost, cuda_stream()));
    cuda_synchronise();
    const uint64_t found[REDUCTION_WORDS] = {values[0], values[1], values[2]};
    reduction_combine(result, found, Reduction::WORDS, Reduction::SUMS);
}

void cuda_reduce(enum reduction reduction, const struct level *level, enum field x, enum field y,
                 double scale, uint64_t *words)
{
#define REDUCTION(name, number, sums)                                                              \
    if (reduction == REDUCTION_##name)                                                             \
        reduce<name##_reduction>(level, x, y, scale, words);
#include "backend/reductions.def"
#undef REDUCTION
}

/* A mean on the device. The exponent of the largest magnitude is mostly that of the last mean: so
 * the digits for that exponent are summed while the largest magnitude is found. Only if the
 * exponents differ, a second pass over the field sums the digits again. */
struct mean {
    unsigned long long digits[SUM_DIGITS], largest; /* the words of mean_reduction */
    unsigned long long digits_again[SUM_DIGITS];
    unsigned long long last_largest; /* of the last mean */
};

DEVICE bool guess_is_right(const struct mean *m)
{
    return sum_exponent(m->largest) == sum_exponent(m->last_largest);
}

/* The result of reduce_dot for the sum, without host synchronisation. */
DEVICE double sum_of_mean(const struct mean *m)
{
    const unsigned long long *words = guess_is_right(m) ? m->digits : m->digits_again;
    const int64_t digits[SUM_DIGITS] = {(int64_t)words[0], (int64_t)words[1], (int64_t)words[2]};
    return sum_result(m->largest, digits);
}

static __global__ void begin_mean_kernel(struct mean *m)
{
    const unsigned long long largest = m->largest;
    *m = {};
    m->last_largest = largest;
}

struct mean_reduction {
    static constexpr int SUMS = SUM_DIGITS, WORDS = SUMS + 1;
    struct terms t;
    const struct mean *m;
    DEVICE_MEMBER bool begin()
    {
        t.scale = sum_scale(sum_exponent(m->last_largest));
        return true;
    }
    DEVICE_MEMBER void add(double term, uint64_t index, uint64_t *words) const
    {
        digits_term(&t, index, term, words);
        magnitude_term(&t, index, term, words + SUMS);
    }
};

struct mean_again_reduction : digits_reduction {
    const struct mean *m;
    DEVICE_MEMBER bool begin()
    {
        t.scale = sum_scale(sum_exponent(m->largest));
        return !guess_is_right(m) && sum_has_digits(m->largest);
    }
};

static __global__ void __launch_bounds__(LANES *ROWS, BLOCKS)
    subtract_mean_kernel(const __grid_constant__ struct cells c, real *x, const struct mean *m,
                         double cells)
{
    const double mean = sum_of_mean(m) / cells;
    /* The last plane first: the caches still hold what was read last. */
    struct cells down = c;
    x += c.offset + (c.n[2] - 1) * c.sk;
    down.sk = -c.sk;
    for_row_vectors(down, [&](long cell, int i, int, int) {
        real2 *u = (real2 *)(x + cell);
        if (i + 1 < c.n[0])
            *u = make_real2(u->x + (real)-mean, u->y + (real)-mean);
        else
            u->x += (real)-mean;
    });
}

/* The term of a patch for both reductions of a mean. */
static struct terms mean_terms(const struct level *l, int q, enum field x)
{
    return vector_terms(l, &l->patches[q], x, (enum field)NUM_FIELDS, 0.0);
}

void cuda_subtract_mean(struct level *level, enum field field)
{
    static struct mean *m;
    real *x = level->fields[field];
    const double cells = extent_cells(level->n);
    cuda_keep_bytes((void **)&m, sizeof *m, "a mean");
    begin_mean_kernel<<<1, 1, 0, cuda_stream()>>>(m);
    CUDA_LAUNCHED();
    for (int q = 0; q < level->npatches; q++)
        launch_on_rows(reduce_kernel<mean_reduction>, &level->patches[q],
                       mean_reduction{mean_terms(level, q, field), m}, &m->digits[0]);
    for (int q = 0; q < level->npatches; q++)
        launch_on_rows(reduce_kernel<mean_again_reduction>, &level->patches[q],
                       mean_again_reduction{{mean_terms(level, q, field)}, m}, &m->digits_again[0]);
    for (int q = 0; q < level->npatches; q++)
        launch_on_rows(subtract_mean_kernel, &level->patches[q], x, m, cells);
}
