/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of `hpgmg-lab methods` whose threads work together: every factor of every matrix of a
 * batch and every pixel of an image is what the definition gives, and nothing else is written. And
 * gradients, point by point. */
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

/* A field of 8^3 points of which no two are equal. */
enum { SIDE = 8, POINTS = SIDE * SIDE * SIDE };

static double field_at(int i, int j, int k)
{
    const long at = (i + SIDE) % SIDE + SIDE * ((j + SIDE) % SIDE + SIDE * ((k + SIDE) % SIDE));
    return (double)(at * at % 997);
}

/* Component d at a point, from the definition: differences of small integers are exact. */
static double slope_at(int order, int d, int i, int j, int k)
{
    double rise[3] = {0.0, 0.0, 0.0};
    for (int step = 1; step <= 2; step++) {
        const int x = step * (d == 0), y = step * (d == 1), z = step * (d == 2);
        rise[step] = field_at(i + x, j + y, k + z) - field_at(i - x, j - y, k - z);
    }
    return order == 2 ? 0.5 / WAVE_SPACING * rise[1]
                      : 1.0 / (12 * WAVE_SPACING) * (8.0 * rise[1] - rise[2]);
}

/* As a GPU calls it everywhere (inside: 0), and a CPU within rows (1): each point, nothing else. */
template <int ORDER, int COMPONENTS>
static void gradient_of_a_periodic_field(void **)
{
    static const auto cell = ORDER == 2        ? COMPONENTS == 3 ? cell_gradient_2 : cell_square_2
                             : COMPONENTS == 3 ? cell_gradient_4
                                               : cell_square_4;
    std::vector<double> in(POINTS), out(COMPONENTS * POINTS + 1);
    struct bench_operands o = {};
    o.in[0] = in.data();
    o.out = out.data();
    o.n = POINTS;
    o.a = SIDE;
    for (int inside = 0; inside < 2; inside++) {
        const int first = inside * CELL_EDGE, last = SIDE - first;
        std::fill(out.begin(), out.end(), NAN);
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                for (int i = 0; i < SIDE; i++)
                    in[i + SIDE * (j + SIDE * k)] = field_at(i, j, k);
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                for (int i = first; i < last; i++)
                    cell(&o, i, j, k, inside);
        for (int at = 0; at < POINTS; at++) {
            const int i = at % SIDE, j = at / SIDE % SIDE, k = at / SIDE / SIDE;
            double square = 0.0;
            for (int d = 0; d < 3; d++) {
                const double slope = slope_at(ORDER, d, i, j, k);
                square += slope * slope;
                if (COMPONENTS == 3 && i >= first && i < last)
                    assert_true(out[d * POINTS + at] == slope);
            }
            if (i < first || i >= last)
                assert_true(std::isnan(out[at]));
            else if (COMPONENTS == 1)
                assert_true(out[at] == square);
        }
        assert_true(std::isnan(out[COMPONENTS * POINTS]));
    }
}

/* exp(i k x) becomes i k exp(i k x) for each wave number; the highest has no slope. */
static void wave_numbers_of_a_transform(void **)
{
    enum { ROW = SIDE / 2 + 1, WAVES = SIDE * SIDE * ROW };
    static const int numbers[SIDE] = {0, 1, 2, 3, 0, -3, -2, -1};
    std::vector<double> in(2 * WAVES), out(2 * WAVES);
    struct bench_operands o = {};
    o.in[0] = in.data();
    o.out = out.data();
    o.a = SIDE;
    for (int d = 0; d < 3; d++) {
        o.b = d;
        for (long x = 0; x < WAVES; x++) {
            const long place[3] = {x % ROW, x / ROW % SIDE, x / ROW / SIDE};
            const double k = (double)numbers[place[d]] * WAVE_POINTS / SIDE / POINTS;
            in[2 * x] = 3.0;
            in[2 * x + 1] = 5.0;
            body_wave_slope(&o, x);
            assert_true(out[2 * x] == -5.0 * k && out[2 * x + 1] == 3.0 * k);
        }
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
        cmocka_unit_test((gradient_of_a_periodic_field<2, 3>)),
        cmocka_unit_test((gradient_of_a_periodic_field<2, 1>)),
        cmocka_unit_test((gradient_of_a_periodic_field<4, 3>)),
        cmocka_unit_test((gradient_of_a_periodic_field<4, 1>)),
        cmocka_unit_test(wave_numbers_of_a_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
