/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of the kernel that hands over to the host, and of the host's side, in one schedule of
 * coroutines: blocks begin and go on in any order. When the host works, all cells have come, and
 * nothing is read of its answer before it is complete; replay after replay. */
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
extern "C" {
#include <cmocka.h>
}
#include "cuda/core/launch.cuh"
/* What the host's side asks CUDA: the stream is never done. */
typedef int cudaError_t;
enum { cudaErrorNotReady = 600 };
#define CUDA_CALL(status) assert_int_equal(status, 0)
static int cuda_stream()
{
    return 0;
}
static cudaError_t cudaStreamQuery(int)
{
    return cudaErrorNotReady;
}
static void give_up(struct wait_timeout *, int, int)
{
    fail_msg("the kernel gave up");
}
#include "cuda/hand_over_kernel.cuh"

extern "C" double timer_seconds(void)
{
    return 0.0;
}

enum { BLOCKS = 3, REPLAYS = 3, MAX_ROUNDS_LATE = 8 };

struct hand_over_case {
    std::vector<double> on_device,
        on_host; /* first the cells that go down, then those that come up */
    std::vector<struct move> moves;
    unsigned ndown, nup, replay;
};

static double value_down(unsigned replay, unsigned cell)
{
    return 1000000.0 * replay + cell;
}

/* The host reads the cells of this replay, and answers with others. */
static void work(void *data, int first)
{
    struct hand_over_case *c = (struct hand_over_case *)data;
    assert_int_equal(first, 7);
    for (unsigned x = 0; x < c->ndown; x++)
        assert_true(c->on_host[x] == value_down(c->replay, x));
    for (unsigned x = 0; x < c->nup; x++)
        c->on_host[c->ndown + x] = -value_down(c->replay, x);
}

static struct hand_over_case make_case(unsigned ndown, unsigned nup)
{
    struct hand_over_case c = {};
    c.ndown = ndown;
    c.nup = nup;
    c.on_device.assign(ndown + nup, 0.0);
    c.on_host.assign(ndown + nup, 0.0);
    for (unsigned x = 0; x < ndown + nup; x++)
        c.moves.push_back(x < ndown ? move{&c.on_device[x], &c.on_host[x]}
                                    : move{&c.on_host[x], &c.on_device[x]});
    return c;
}

/* The kernel's blocks and the host's thread. Blocks begin up to MAX_ROUNDS_LATE rounds late. */
static bool replay(struct cuda_hand_over &h, struct hand_over_case &c, std::mt19937 &random)
{
    struct wait_timeout timeout = {~0ull, 0, 0, 0};
    std::vector<emulated::block> blocks(BLOCKS + 1);
    std::array<unsigned, BLOCKS> late;
    for (unsigned b = 0; b <= BLOCKS; b++) {
        blocks[b].index = {b, 0, 0};
        blocks[b].grid = {BLOCKS, 1, 1};
        blocks[b].extent = {b < BLOCKS ? (unsigned)THREADS : 1u, 1, 1};
        emulated::prepare(blocks[b], (int)blocks[b].extent.x, 0);
    }
    for (unsigned &rounds : late)
        rounds = random() % MAX_ROUNDS_LATE;
    return emulated::run_blocks(blocks, random, [&] {
        const unsigned block = emulated::now->index.x;
        if (block == BLOCKS) {
            cuda_hand_over_answer(h, c.replay);
            return;
        }
        for (unsigned round = 0; round < late[block]; round++)
            emulated::wait_for_others();
        hand_over_kernel(c.moves.data(), c.ndown, c.nup, h.counts, h.words, &timeout, 1);
    });
}

/* All replays of one hand-over of so many cells. */
static void check(unsigned ndown, unsigned nup, unsigned seed)
{
    std::mt19937 random(seed);
    struct hand_over_case c = make_case(ndown, nup);
    struct hand_over_words words = {};
    struct hand_over_counts counts = {};
    struct cuda_hand_over h = {};
    h.work = work;
    h.data = &c;
    h.first = 7;
    h.blocks = BLOCKS;
    h.counts = &counts;
    h.words = &words;
    for (c.replay = 1; c.replay <= REPLAYS; c.replay++) {
        for (unsigned x = 0; x < ndown; x++)
            c.on_device[x] = value_down(c.replay, x);
        assert_true(replay(h, c, random));
        for (unsigned x = 0; x < nup; x++)
            assert_true(c.on_device[ndown + x] == -value_down(c.replay, x));
    }
    assert_int_equal(counts.answered, REPLAYS);
}

/* Cells for all threads of all blocks several times over, and for some threads of one. */
static void cells_are_complete(void **)
{
    for (unsigned seed = 0; seed < 4; seed++) {
        check(BLOCKS * THREADS * LOADS, BLOCKS * THREADS * LOADS, seed);
        check(BLOCKS * THREADS * 2 + 5, 40, seed);
        check(40, BLOCKS * THREADS * 3 - 7, seed);
    }
    check(0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
