/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of fields: norms, dot products, checksums; subtracting the mean. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"
#include "cuda/core/atomic_max.cuh"
#include "operators/hash.h"
#include "operators/sum.h"

enum { LANES = 32, ROWS = 8, BLOCKS = 4 }; /* of a block; blocks per multiprocessor */

/* Calls f(element of a field, i, j, k) for every second cell of each row, from the first one on. A
 * warp works on whole rows. */
template <class F>
static __device__ void for_row_vectors(const struct cells &c, F f)
{
    const int j = blockIdx.x * ROWS + threadIdx.y;
    if (j >= c.n[1])
        return;
    for (int k = blockIdx.y; k < c.n[2]; k += gridDim.y) {
        const long row = c.offset + j * c.sj + k * c.sk;
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

/* A reduction has SUMS sums modulo 2⁶⁴ and MAXIMA maxima: none depends on the order of its terms.
 * add() adds a cell's term to these words. begin() is called first, and is false if there is
 * nothing to do. */
template <class Reduction>
static __device__ void combine(unsigned long long *to, const unsigned long long *from)
{
    for (int w = 0; w < Reduction::WORDS; w++)
        to[w] = w < Reduction::SUMS ? to[w] + from[w] : larger(to[w], from[w]);
}

/* The words of all threads of a block, with those in device memory. */
template <class Reduction>
static __device__ void reduce_block(unsigned long long *words, unsigned long long *mine)
{
    __shared__ unsigned long long of_warps[ROWS][Reduction::WORDS];
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        unsigned long long other[Reduction::WORDS];
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
        w < Reduction::SUMS ? atomicAdd(&words[w], mine[w]) : atomicMax(&words[w], mine[w]);
}

/* A term is the cell's x, or x·y if there is a y. */
template <class Reduction>
static __global__ void __launch_bounds__(LANES *ROWS, BLOCKS)
    reduce_kernel(const __grid_constant__ struct cells c, const double *x, const double *y,
                  Reduction reduction, unsigned long long *words)
{
    unsigned long long mine[Reduction::WORDS] = {0};
    if (!reduction.begin())
        return;
    for_row_vectors(c, [&](long cell, int i, int j, int k) {
        double2 term = *(const double2 *)(x + cell);
        if (y) {
            const double2 other = *(const double2 *)(y + cell);
            term = make_double2(term.x * other.x, term.y * other.y);
        }
        reduction.add(term.x, i, j, k, mine);
        if (i + 1 < c.n[0])
            reduction.add(term.y, i + 1, j, k, mine);
    });
    reduce_block<Reduction>(words, mine);
}

struct magnitude_reduction {
    static constexpr int SUMS = 0, WORDS = 1;
    DEVICE_MEMBER bool begin()
    {
        return true;
    }
    DEVICE_MEMBER void add(double term, int, int, int, unsigned long long *words) const
    {
        words[0] = larger(words[0], magnitude_bits(term));
    }
};

DEVICE void add_digits(double term, double scale, unsigned long long *words)
{
    int64_t digits[SUM_DIGITS] = {0};
    sum_digits(term, scale, digits);
    for (int d = 0; d < SUM_DIGITS; d++)
        words[d] += (unsigned long long)digits[d];
}

struct digits_reduction {
    static constexpr int SUMS = SUM_DIGITS, WORDS = SUMS;
    double scale;
    DEVICE_MEMBER bool begin()
    {
        return true;
    }
    DEVICE_MEMBER void add(double term, int, int, int, unsigned long long *words) const
    {
        add_digits(term, scale, words);
    }
};

/* Words in device memory that kernels reduce into; the host fetches them after the launches. */
enum { REDUCTION_WORDS = SUM_DIGITS };

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

template <class Reduction>
static void reduce(const struct level *l, enum field x, enum field y, const Reduction &reduction,
                   unsigned long long result[REDUCTION_WORDS])
{
    unsigned long long *words = reduction_words();
    const double *other = y == NUM_FIELDS ? NULL : l->fields[y];
    for (int q = 0; q < l->npatches; q++)
        launch_on_rows(reduce_kernel<Reduction>, &l->patches[q], l->fields[x], other, reduction,
                       words);
    fetch_words(words, result);
}

uint64_t cuda_product_norm(const struct level *level, enum field x, enum field y)
{
    unsigned long long values[REDUCTION_WORDS];
    reduce(level, x, y, magnitude_reduction{}, values);
    return values[0];
}

uint64_t cuda_norm(const struct level *level, enum field x)
{
    return cuda_product_norm(level, x, (enum field)NUM_FIELDS);
}

void cuda_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                         int64_t digits[3])
{
    unsigned long long values[REDUCTION_WORDS];
    reduce(level, x, y, digits_reduction{sum_scale(exponent)}, values);
    for (int d = 0; d < SUM_DIGITS; d++)
        digits[d] += (int64_t)values[d];
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
    if (m->largest == 0)
        return 0.0;
    return isfinite(bits_to_double(m->largest)) ? sum_value(digits, sum_exponent(m->largest))
                                                : bits_to_double(0x7ff8000000000000ull);
}

static __global__ void begin_mean_kernel(struct mean *m)
{
    const unsigned long long largest = m->largest;
    *m = {};
    m->last_largest = largest;
}

struct mean_reduction {
    static constexpr int SUMS = SUM_DIGITS, WORDS = SUMS + 1;
    const struct mean *m;
    double scale;
    DEVICE_MEMBER bool begin()
    {
        scale = sum_scale(sum_exponent(m->last_largest));
        return true;
    }
    DEVICE_MEMBER void add(double term, int, int, int, unsigned long long *words) const
    {
        add_digits(term, scale, words);
        words[SUMS] = larger(words[SUMS], magnitude_bits(term));
    }
};

struct mean_again_reduction {
    static constexpr int SUMS = SUM_DIGITS, WORDS = SUMS;
    const struct mean *m;
    double scale;
    DEVICE_MEMBER bool begin()
    {
        scale = sum_scale(sum_exponent(m->largest));
        return !guess_is_right(m) && isfinite(bits_to_double(m->largest));
    }
    DEVICE_MEMBER void add(double term, int, int, int, unsigned long long *words) const
    {
        add_digits(term, scale, words);
    }
};

static __global__ void __launch_bounds__(LANES *ROWS, BLOCKS)
    subtract_mean_kernel(const __grid_constant__ struct cells c, double *x, const struct mean *m,
                         double cells)
{
    const double mean = sum_of_mean(m) / cells;
    /* The last plane first: the caches still hold what was read last. */
    struct cells down = c;
    down.offset += (c.n[2] - 1) * c.sk;
    down.sk = -c.sk;
    for_row_vectors(down, [&](long cell, int i, int, int) {
        double2 *u = (double2 *)(x + cell);
        if (i + 1 < c.n[0])
            *u = make_double2(u->x + -mean, u->y + -mean);
        else
            u->x += -mean;
    });
}

template <class Reduction>
static void add_up(const struct level *l, const double *x, struct mean *m,
                   unsigned long long *words)
{
    for (int q = 0; q < l->npatches; q++)
        launch_on_rows(reduce_kernel<Reduction>, &l->patches[q], x, (const double *)NULL,
                       Reduction{m}, words);
}

void cuda_subtract_mean(struct level *level, enum field field)
{
    static struct mean *m;
    double *x = level->fields[field];
    const double cells = (double)level->dim * level->dim * level->dim;
    cuda_keep_bytes((void **)&m, sizeof *m, "a mean");
    begin_mean_kernel<<<1, 1, 0, cuda_stream()>>>(m);
    CUDA_LAUNCHED();
    add_up<mean_reduction>(level, x, m, m->digits);
    add_up<mean_again_reduction>(level, x, m, m->digits_again);
    for (int q = 0; q < level->npatches; q++)
        launch_on_rows(subtract_mean_kernel, &level->patches[q], x, m, cells);
}

struct checksum_reduction {
    static constexpr int SUMS = 1, WORDS = 1;
    uint64_t dim, lo[3];
    DEVICE_MEMBER bool begin()
    {
        return true;
    }
    DEVICE_MEMBER void add(double x, int i, int j, int k, unsigned long long *words) const
    {
        const uint64_t index = lo[0] + i + dim * (lo[1] + j + dim * (lo[2] + k));
        words[0] += hash_cell(index, x);
    }
};

uint64_t cuda_checksum(const struct level *level, enum field x)
{
    uint64_t sum = 0;
    for (int q = 0; q < level->npatches; q++) {
        struct level one =
            *level; /* the level as if this were its only patch: global indices differ by patch */
        one.npatches = 1;
        one.patches = &level->patches[q];
        const struct box b = level->patches[q].box;
        unsigned long long values[REDUCTION_WORDS];
        reduce(&one, x, (enum field)NUM_FIELDS,
               checksum_reduction{(uint64_t)level->dim,
                                  {(uint64_t)b.lo[0], (uint64_t)b.lo[1], (uint64_t)b.lo[2]}},
               values);
        sum += values[0];
    }
    return sum;
}
