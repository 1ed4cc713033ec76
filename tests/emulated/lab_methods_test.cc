/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of `hpgmg-lab methods` whose threads work together: every factor of every matrix of a
 * batch and every pixel of an image is what the definition gives, and nothing else is written. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "lab/method_kernels.cuh"

static std::mt19937 random_order(1);

static void run_blocks(int x, int y, int z, int threads, const std::function<void()> &kernel)
{
    const int grid[3] = {x, y, z};
    assert_true(emulated::run_grid(grid, random_order, kernel, threads, threads));
}

/* The last block has idle threads; behind the batch there is room for one matrix more. */
template <int SIZE, int WIDTH>
static void factorise_batch(void **)
{
    const long n = 2 * LU_THREADS / WIDTH + 1, elements = SIZE * SIZE;
    std::vector<double> in((n + 1) * elements), out((n + 1) * elements, NAN);
    for (long m = 0; m < n; m++)
        for (int j = 0; j < SIZE; j++)
            for (int i = 0; i < SIZE; i++)
                in[m * elements + i + j * SIZE] = product_value(m, i, j);
    run_blocks(3, 1, 1, LU_THREADS, [&] { lu_kernel<SIZE, WIDTH>(in.data(), out.data(), n); });
    for (long m = 0; m < n; m++)
        for (int j = 0; j < SIZE; j++)
            for (int i = 0; i < SIZE; i++)
                assert_true(out[m * elements + i + j * SIZE] == factor_value(m, i, j));
    for (int e = 0; e < elements; e++)
        assert_true(std::isnan(out[n * elements + e]));
}

/* L times U is the matrix. */
static void product_is_that_of_the_factors(void **)
{
    for (long m = 0; m < 50; m++)
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++) {
                double sum = 0.0;
                for (int k = 0; k < 16; k++)
                    sum += (k < i ? factor_value(m, i, k) : k == i) *
                           (k <= j ? factor_value(m, k, j) : 0.0);
                assert_true(product_value(m, i, j) == sum);
            }
}

/* A strip of 64 rows and a part of one, columns that two blocks share. */
static void convolve_images(void **)
{
    enum { WIDTH = 150, HEIGHT = 90, IMAGES = 2 };
    std::vector<float> in(WIDTH * HEIGHT * IMAGES), out(in.size(), NAN);
    for (size_t x = 0; x < in.size(); x++)
        in[x] = (float)(x * 7 % 101);
    struct bench_operands o = {};
    o.in[3] = in.data();
    o.out = out.data();
    o.a = WIDTH;
    o.b = HEIGHT;
    o.c = IMAGES;
    run_blocks(2, 2, IMAGES, COLUMN_THREADS, [&] { rolling_kernel(o); });
    for (long x = 0; x < (long)in.size(); x++) {
        static const int weights[TAPS] = {1, 6, 15, 20, 15, 6, 1};
        const long i = x % WIDTH, j = x / WIDTH % HEIGHT;
        long sum = 0;
        if (i < RADIUS || i >= WIDTH - RADIUS || j < RADIUS || j >= HEIGHT - RADIUS) {
            assert_true(std::isnan(out[x]));
            continue;
        }
        for (int q = 0; q < TAPS; q++)
            for (int t = 0; t < TAPS; t++)
                sum += weights[q] * weights[t] * (long)in[x + (q - RADIUS) * WIDTH + t - RADIUS];
        assert_true(out[x] == (float)sum / 4096.0f);
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test((factorise_batch<4, 4>)),
        cmocka_unit_test((factorise_batch<8, 8>)),
        cmocka_unit_test((factorise_batch<16, 16>)),
        cmocka_unit_test((factorise_batch<4, 32>)),
        cmocka_unit_test((factorise_batch<16, 32>)),
        cmocka_unit_test(product_is_that_of_the_factors),
        cmocka_unit_test(convolve_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
