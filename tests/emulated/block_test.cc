/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated block itself: it finds the races of threads that do not wait for each other, and
 * none between threads that do. */
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

enum { VALUES = 0, BARRIER = emulated::THREADS * 8, RUNS = 3 };

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
    put(VALUES + number * 8, number);
    wait();
    if (!(at(VALUES + next * 8) == next))
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
        put(VALUES + (int)threadIdx.x * 8, threadIdx.x);
        __syncwarp();
        at(VALUES + (int)(threadIdx.x ^ 1) * 8);
    };
    const auto warps = [] {
        put(VALUES + (int)threadIdx.x * 8, threadIdx.x);
        __syncwarp();
        at(VALUES + (int)(threadIdx.x ^ emulated::WARP) * 8);
    };
    assert_int_equal(count_races(neighbours), 0);
    assert_true(count_races(warps) > 0);
}

static void test_a_shuffle_orders_nothing(void **)
{
    const auto kernel = [] {
        const int lane = (int)threadIdx.x % emulated::WARP;
        put(VALUES + (int)threadIdx.x * 8, threadIdx.x);
        if (__shfl_sync(~0u, lane, lane ^ 1) != (lane ^ 1))
            abort();
        at(VALUES + (int)(threadIdx.x ^ 1) * 8);
    };
    assert_true(count_races(kernel) > 0);
}

static void test_overwriting_is_a_race(void **)
{
    const auto kernel = [] {
        if (threadIdx.x == 0)
            put(VALUES, 1.0);
        __syncthreads();
        at(VALUES);
        if (threadIdx.x == 0)
            put(VALUES, 2.0);
    };
    assert_true(count_races(kernel) > 0);
}

static void test_a_copy_is_there_once_committed_and_waited_for(void **)
{
    const auto kernel = [] {
        static const double value = 5.0;
        const int place = VALUES + (int)threadIdx.x * 8;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers_order),
        cmocka_unit_test(test_a_warp_orders_its_lanes_only),
        cmocka_unit_test(test_a_shuffle_orders_nothing),
        cmocka_unit_test(test_overwriting_is_a_race),
        cmocka_unit_test(test_a_copy_is_there_once_committed_and_waited_for),
        cmocka_unit_test(test_waiting_for_ever_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
