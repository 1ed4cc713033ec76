/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated block itself: it finds the races of threads that do not wait for each other, and
 * none between threads that do. Both mechanisms of tile copies, on it. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda_pipeline.h"
#include "patch.h"

enum { CELL = (int)sizeof(real), ALIGNED = 16 / CELL /* cells, where tiles may begin */ };
enum { VALUES = 0, BARRIER = emulated::THREADS * CELL, RUNS = 3 };

static barrier_word *barrier()
{
    return (barrier_word *)(shared_memory + BARRIER);
}

/* Every thread writes its number and reads that of the thread `distance` further. */
template <class Wait>
static void pass_on(int distance, const Wait &wait)
{
    const int number = (int)threadIdx.x, next = (number + distance) % emulated::THREADS;
    if (number == 0)
        barrier_create(barrier(), emulated::THREADS);
    __syncthreads();
    put(VALUES + number * CELL, number);
    wait();
    if (!(at(VALUES + next * CELL) == next))
        abort();
}

template <class Kernel>
static long count_races(const Kernel &kernel)
{
    std::mt19937 random(1);
    emulated::races = 0;
    for (int run = 0; run < RUNS; run++)
        assert_true(emulated::run({0, 0, 0}, random, kernel));
    return emulated::races;
}

static void test_barriers_order(void **)
{
    assert_int_equal(count_races([] { pass_on(100, [] { __syncthreads(); }); }), 0);
    assert_int_equal(count_races([] {
                         pass_on(100, [] {
                             barrier_arrive(barrier());
                             barrier_wait(barrier(), 0);
                         });
                     }),
                     0);
}

static void test_a_warp_orders_its_lanes_only(void **)
{
    /* pairs of lanes; then pairs of warps, which come together but are told nothing */
    const auto neighbours = [] {
        put(VALUES + (int)threadIdx.x * CELL, threadIdx.x);
        __syncwarp();
        at(VALUES + (int)(threadIdx.x ^ 1) * CELL);
    };
    const auto warps = [] {
        put(VALUES + (int)threadIdx.x * CELL, threadIdx.x);
        __syncwarp();
        at(VALUES + (int)(threadIdx.x ^ emulated::WARP) * CELL);
    };
    assert_int_equal(count_races(neighbours), 0);
    assert_true(count_races(warps) > 0);
}

static void test_a_shuffle_orders_nothing(void **)
{
    const auto kernel = [] {
        const int lane = (int)threadIdx.x % emulated::WARP;
        put(VALUES + (int)threadIdx.x * CELL, threadIdx.x);
        if (__shfl_sync(~0u, lane, lane ^ 1) != (lane ^ 1))
            abort();
        at(VALUES + (int)(threadIdx.x ^ 1) * CELL);
    };
    assert_true(count_races(kernel) > 0);
}

static void test_overwriting_is_a_race(void **)
{
    const auto kernel = [] {
        if (threadIdx.x == 0)
            put(VALUES, (real)1.0);
        __syncthreads();
        at(VALUES);
        if (threadIdx.x == 0)
            put(VALUES, (real)2.0);
    };
    assert_true(count_races(kernel) > 0);
}

static void test_a_copy_is_there_once_committed_and_waited_for(void **)
{
    const auto kernel = [] {
        static const real value = 5.0;
        const int place = VALUES + (int)threadIdx.x * CELL;
        __pipeline_memcpy_async(shared_memory + place, &value, sizeof value);
        __pipeline_wait_prior(0);
        if (!std::isnan(at(place)))
            abort();
        __pipeline_commit();
        __pipeline_wait_prior(0);
        if (!(at(place) == value))
            abort();
    };
    assert_int_equal(count_races(kernel), 0);
}

static void test_waiting_for_ever_ends(void **)
{
    std::mt19937 random(1);
    assert_false(emulated::run({0, 0, 0}, random, [] {
        if (threadIdx.x > 0)
            __syncthreads();
    }));
}

/* Copies the tile with first cell (i,j,k) by warp 0; the other threads wait for it and read it. */
template <int WIDTH, int ROWS, class source>
static std::vector<real> copied(const source &from, int i, int j, int k)
{
    enum { TILE = BARRIER + 128 };
    std::vector<real> tile(WIDTH * ROWS, (real)NAN);
    assert_int_equal(count_races([&] {
                         const int number = (int)threadIdx.x;
                         if (number == 0)
                             barrier_create(barrier(), COPY_ARRIVALS<source>);
                         __syncthreads();
                         if (BY_ENGINE<source> ? number == 0 : number < emulated::WARP) {
                             begin_copies<source>(barrier(), WIDTH * ROWS * CELL);
                             tile_fetch<WIDTH, ROWS, WIDTH>(TILE, from, i, j, k, barrier());
                             end_copies<source>(barrier());
                         }
                         barrier_wait(barrier(), 0);
                         for (int c = number; c < WIDTH * ROWS; c += emulated::THREADS)
                             tile[c] = at(TILE + c * CELL);
                     }),
                     0);
    return tile;
}

/* Both mechanisms bring the same cells, and zeros beyond the ghosts. */
template <int WIDTH, int ROWS>
static void check_tiles()
{
    const emulated::box b = emulated::make_box(12, 8, 4);
    std::mt19937 random(WIDTH);
    const emulated::values x = emulated::random_field(b, random, 1.0, 2.0);
    const real *first = x.data() + b.origin;
    const CUtensorMap map = {first, b.c, WIDTH, ROWS};
    const struct field_source source = {first, b.c.sj, b.c.sk, {b.c.n[0], b.c.n[1], b.c.n[2]}};
    for (const int corner : {-6, -2, 2, 4}) {
        const int i = corner / 2 * ALIGNED;
        const std::vector<real> tile = copied<WIDTH, ROWS>(source, i, corner + 1, corner);
        assert_true(tile == (copied<WIDTH, ROWS>(map, i, corner + 1, corner)));
        assert_int_equal(std::count(tile.begin(), tile.end(), 0.0) == WIDTH * ROWS, corner == -6);
    }
}

static void test_tiles_by_both_mechanisms(void **)
{
    check_tiles<3 * ALIGNED, 5>();
    check_tiles<64, 3>();
    check_tiles<68, 9>();
    check_tiles<72, 20>();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers_order),
        cmocka_unit_test(test_a_warp_orders_its_lanes_only),
        cmocka_unit_test(test_a_shuffle_orders_nothing),
        cmocka_unit_test(test_overwriting_is_a_race),
        cmocka_unit_test(test_a_copy_is_there_once_committed_and_waited_for),
        cmocka_unit_test(test_waiting_for_ever_ends),
        cmocka_unit_test(test_tiles_by_both_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
