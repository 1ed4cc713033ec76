/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators, reductions and raw exchanges. Every rank draws the same random numbers, and
 * therefore knows the values of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/clock.h"
#include "comm/comm.h"
#include "support/death.h"
#include "support/random.h"

enum { CASES = 1000, MAX_RANKS = 64, VALUES = 5 };

static int64_t on_all_ranks(int64_t value)
{
    comm_sum_i64(MPI_COMM_WORLD, &value, 1);
    return value;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* |x| of a finite number, or sometimes infinity or NaN. */
static double random_norm(void)
{
    switch (random_int(0, 9)) {
    case 0:
        return INFINITY;
    case 1:
        return NAN;
    default:
        return ldexp((double)random_int(0, 1 << 30), random_int(-1074, 900));
    }
}

static void maxima_keep_nan(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        double mine = 0.0, largest = 0.0;
        for (int rank = 0; rank < comm_size(); rank++) {
            const double x = random_norm();
            if (isnan(x) || x > largest)
                largest = isnan(largest) ? largest : x;
            mine = rank == comm_rank() ? x : mine;
        }
        const uint64_t bits = comm_max_u64(MPI_COMM_WORLD, bits_of(fabs(mine)));
        double result;
        memcpy(&result, &bits, sizeof result);
        EXPECT(on_all_ranks(isnan(largest) ? !isnan(result) : result != largest) == 0);
    }
}

/* The highest bit is not a sign bit. */
static void maxima_are_of_unsigned_and_minima_of_signed_integers(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        uint64_t mine = 0, largest = 0;
        int64_t smallest = INT64_MAX;
        for (int rank = 0; rank < comm_size(); rank++) {
            const uint64_t x = random_bits();
            largest = x > largest ? x : largest;
            smallest = (int64_t)x < smallest ? (int64_t)x : smallest;
            mine = rank == comm_rank() ? x : mine;
        }
        EXPECT(on_all_ranks(comm_max_u64(MPI_COMM_WORLD, mine) != largest) == 0);
        EXPECT(on_all_ranks(comm_min_i64(MPI_COMM_WORLD, (int64_t)mine) != smallest) == 0);
    }
}

/* One rank has a NaN, each rank in turn. */
static void one_nan_is_enough(void **state)
{
    (void)state;
    for (int rank = 0; rank < comm_size(); rank++) {
        const double mine = rank == comm_rank() ? NAN : INFINITY;
        assert_true(comm_max_u64(MPI_COMM_WORLD, bits_of(fabs(mine))) > bits_of(INFINITY));
    }
}

static void integers_wrap_in_sums(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int count = random_int(1, VALUES);
        uint64_t expected[VALUES] = {0};
        int64_t mine[VALUES] = {0};
        for (int rank = 0; rank < comm_size(); rank++)
            for (int v = 0; v < count; v++) {
                const uint64_t x = random_bits();
                expected[v] += x;
                if (rank == comm_rank())
                    mine[v] = (int64_t)x;
            }
        comm_sum_i64(MPI_COMM_WORLD, mine, count);
        EXPECT(on_all_ranks(memcmp(mine, expected, sizeof mine) != 0) == 0);
    }
}

static void times_are_reduced(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        double sum = 0.0, low = INFINITY, high = -INFINITY, mine = 0.0;
        for (int rank = 0; rank < comm_size(); rank++) {
            const double x = random_int(-1000000, 1000000);
            sum += x;
            low = fmin(low, x);
            high = fmax(high, x);
            mine = rank == comm_rank() ? x : mine;
        }
        double sums[2] = {mine, 1.0}, lows[2] = {mine, 1.0}, highs[2] = {mine, 1.0};
        comm_sum_f64(MPI_COMM_WORLD, sums, 2);
        comm_min_f64(MPI_COMM_WORLD, lows, 2);
        comm_max_f64(MPI_COMM_WORLD, highs, 2);
        EXPECT(on_all_ranks(sums[0] != sum || lows[0] != low || highs[0] != high ||
                            sums[1] != comm_size() || lows[1] != 1.0 || highs[1] != 1.0) == 0);
    }
}

static void rank_0_broadcasts(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        unsigned char sent[40], data[40] = {0};
        for (size_t at = 0; at < sizeof sent; at++)
            sent[at] = (unsigned char)random_bits();
        const int bytes = random_int(0, (int)sizeof sent);
        if (comm_rank() == 0)
            memcpy(data, sent, (size_t)bytes);
        comm_broadcast(MPI_COMM_WORLD, data, bytes);
        bool good = memcmp(data, sent, (size_t)bytes) == 0;
        for (int at = bytes; at < (int)sizeof data; at++)
            good = good && data[at] == 0;
        EXPECT(on_all_ranks(!good) == 0);
    }
}

/* Mistakes in this rank's communicator, whose members must be in the order of the world. */
static int64_t split_mistakes(MPI_Comm comm, const int *member)
{
    int64_t before[2] = {0, 0}; /* members below this rank; members */
    for (int rank = 0; rank < comm_size(); rank++) {
        before[0] += member[rank] && rank < comm_rank();
        before[1] += member[rank] != 0;
    }
    if (!member[comm_rank()])
        return comm != MPI_COMM_NULL;
    int64_t members = 1;
    int number = (int)before[0];
    comm_sum_i64(comm, &members, 1);
    comm_broadcast(comm, &number, sizeof number); /* the first member's number is 0 */
    const uint64_t highest = comm_max_u64(comm, (uint64_t)comm_rank());
    int64_t mistakes = members != before[1] || number != 0;
    for (int rank = comm_size() - 1; rank > (int)highest; rank--)
        mistakes += member[rank];
    return mistakes;
}

static void communicators_have_the_members(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        int member[MAX_RANKS];
        for (int rank = 0; rank < comm_size(); rank++)
            member[rank] = random_int(0, 2); /* non-zero: a member */
        MPI_Comm comm = comm_split(member[comm_rank()]);
        EXPECT(on_all_ranks(split_mistakes(comm, member)) == 0);
        comm_free(&comm);
        EXPECT(on_all_ranks(comm != MPI_COMM_NULL) == 0);
    }
}

/* --- exchanges --- */

/* counts[from][to]: doubles sent; 0 is no message. */
typedef int traffic[MAX_RANKS][MAX_RANKS];

static void random_traffic(traffic counts)
{
    for (int from = 0; from < comm_size(); from++)
        for (int to = 0; to < comm_size(); to++)
            counts[from][to] =
                from != to && random_bool() ? random_int(1, random_int(0, 19) ? 30 : 3000) : 0;
}

/* This rank's messages in one direction, with a buffer. */
static struct messages make_messages(traffic counts, bool sends)
{
    struct messages m = {.list = memory_alloc(MAX_RANKS * sizeof *m.list, "messages")};
    for (int peer = 0; peer < comm_size(); peer++) {
        const int length = sends ? counts[comm_rank()][peer] : counts[peer][comm_rank()];
        if (length > 0)
            m.list[m.count++] = (struct message){peer, m.length, length};
        m.length += length;
    }
    m.buffer = memory_alloc((size_t)m.length * sizeof *m.buffer, "message buffer");
    return m;
}

static double value_of(int from, int to, long element, int round)
{
    return ((round * 64.0 + from) * 64.0 + to) * 4096.0 + (double)element;
}

static void fill_sends(const struct messages *m, int round)
{
    for (int i = 0; i < m->count; i++)
        for (long e = 0; e < m->list[i].count; e++)
            m->buffer[m->list[i].offset + e] = value_of(comm_rank(), m->list[i].peer, e, round);
}

static int64_t receive_mistakes(const struct messages *m, int round)
{
    int64_t mistakes = 0;
    for (int i = 0; i < m->count; i++)
        for (long e = 0; e < m->list[i].count; e++)
            mistakes += m->buffer[m->list[i].offset + e] !=
                        value_of(m->list[i].peer, comm_rank(), e, round);
    return mistakes;
}

static void exchanges_are_used_again_and_again(void **state)
{
    (void)state;
    for (long number = 0; number < CASES / 10; number++) {
        random_begin(number);
        static traffic counts;
        struct exchange x;
        int64_t mistakes = 0;
        random_traffic(counts);
        exchange_create(&x, make_messages(counts, true), make_messages(counts, false),
                        sizeof(double));
        for (int round = 0; round < 10; round++) {
            fill_sends(&x.sends, round);
            exchange_start(&x);
            exchange_wait(&x);
            mistakes += receive_mistakes(&x.receives, round);
        }
        EXPECT(on_all_ranks(mistakes) == 0);
        memory_free(x.sends.buffer);
        memory_free(x.receives.buffer);
        exchange_destroy(&x);
    }
}

static void ranks_know_their_place(void **state)
{
    (void)state;
    const int size = comm_node_size(), rank = comm_node_rank();
    if (comm_rank() == 0) /* alone */
        assert_int_equal(comm_node_rank(), 0);
    assert_true(comm_rank() >= 0 && comm_rank() < comm_size());
    assert_int_equal(on_all_ranks(1), comm_size());
    assert_int_equal(on_all_ranks(comm_rank()), (int64_t)comm_size() * (comm_size() - 1) / 2);
    assert_true(size >= 1 && size <= comm_size() && rank >= 0 && rank < size);
    comm_barrier(MPI_COMM_WORLD);
}

/* Even ranks name one thing, odd ranks another; then each rank its own, and all the same. */
static void ranks_that_name_one_thing_share_it(void **state)
{
    (void)state;
    int64_t mistakes = 0;
    for (int things = 1; things <= MAX_RANKS; things++) {
        char name[8] = "GPU-";
        name[4] = (char)('a' + comm_rank() % things);
        const struct sharers s = comm_sharers(name, sizeof name);
        mistakes += s.lower != comm_rank() / things;
        mistakes += s.count != (comm_size() - comm_rank() % things + things - 1) / things;
    }
    EXPECT(on_all_ranks(mistakes) == 0);
}

static void the_library_has_a_name(void **state)
{
    (void)state;
    char text[200] = "", cut[5];
    comm_library(text, sizeof text);
    comm_library(cut, sizeof cut);
    assert_int_equal(strlen(cut), 4);
    assert_memory_equal(cut, text, 4);
    assert_null(strchr(text, '\n'));
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    assert_int_equal(memory_live_blocks(), 0);
}

/* --- swaps and nodes --- */

/* The value that `from` sends to `to`. */
static long gift(int from, int to, long round)
{
    return (round * MAX_RANKS + from) * MAX_RANKS + to;
}

/* With every rank, itself included, and with the neighbours on a ring only. */
static void swaps_bring_what_peers_gave(void **state)
{
    (void)state;
    for (long round = 0; round < 20; round++) {
        int peers[MAX_RANKS], count = 0;
        long out[MAX_RANKS], in[MAX_RANKS];
        int64_t mistakes = 0;
        for (int rank = 0; rank < comm_size(); rank++) {
            const int away = abs(rank - comm_rank());
            if (round % 2 == 0 || away == 1 || (comm_size() > 2 && away == comm_size() - 1))
                peers[count++] = rank;
        }
        for (int p = 0; p < count; p++)
            out[p] = gift(comm_rank(), peers[p], round);
        comm_swap(count, peers, out, in, (int)sizeof(long));
        for (int p = 0; p < count; p++)
            mistakes += in[p] != gift(peers[p], comm_rank(), round);
        EXPECT(on_all_ranks(mistakes) == 0);
    }
}

/* This test runs on one node. Of two nodes, one has the lower ranks and at most one rank more than
 * the other. */
static void ranks_know_who_is_on_their_node(void **state)
{
    (void)state;
    int64_t mistakes = 0;
    const int half = (comm_size() + 1) / 2;
    for (int rank = 0; rank < comm_size(); rank++)
        mistakes += !comm_on_node(rank);
    comm_mock_nodes(2);
    for (int rank = 0; rank < comm_size(); rank++)
        mistakes += comm_on_node(rank) != ((rank < half) == (comm_rank() < half));
    comm_mock_nodes(0);
    EXPECT(on_all_ranks(mistakes) == 0);
    EXPECT(comm_node_size() == comm_size());
}

/* --- errors --- */

static void broadcast_from_nobody(void)
{
    int data = 0;
    comm_broadcast_from(MPI_COMM_WORLD, comm_size(), &data, sizeof data);
}

/* MPI returns errors, so that the program can name the call and set its own status. */
static void errors_of_mpi_are_told(void **state)
{
    (void)state;
    EXPECT(on_all_ranks(death_of(broadcast_from_nobody) != STATUS_SYSTEM) == 0);
}

static long message_length;

static void create_exchange(bool sends)
{
    struct message message = {comm_rank(), 0, message_length};
    struct messages one = {1, &message, message_length, NULL}, none = {0};
    struct exchange x;
    exchange_create(&x, sends ? one : none, sends ? none : one, sizeof(double));
    memory_free(x.requests);
}

static void send_long_messages(void)
{
    create_exchange(true);
}

static void receive_long_messages(void)
{
    create_exchange(false);
}

/* MPI counts the elements of a message by int. */
static void messages_that_are_too_long_are_refused(void **state)
{
    (void)state;
    message_length = INT_MAX;
    assert_int_equal(death_of(send_long_messages), 0);
    assert_int_equal(death_of(receive_long_messages), 0);
    message_length++;
    assert_int_equal(death_of(send_long_messages), STATUS_USAGE);
    assert_int_equal(death_of(receive_long_messages), STATUS_USAGE);
}

/* Rank r's clock is r hours ahead; then the clocks agree, of one node and of nodes of one rank. All
 * ranks measure before one may fail. */
static void clocks_are_compared_with_that_of_rank_0(void **state)
{
    (void)state;
    const double ahead = 3600.0 * comm_rank();
    const bool is_other = comm_rank() > 0;
    timer_pretend(ahead, 0.0);
    const struct clock_offset apart = clock_measure();
    const double age = timer_seconds() - apart.at;
    timer_pretend(0.0, 0.0);
    const struct clock_offset shared = clock_measure();
    comm_mock_nodes(comm_size());
    const struct clock_offset alike = clock_measure();
    comm_mock_nodes(0);
    assert_true(fabs(apart.seconds + ahead) <= apart.error && apart.error < 60.0);
    assert_true((apart.error > 0.0) == is_other && age >= 0.0 && age < 60.0);
    assert_true(shared.seconds == 0.0 && shared.error == 0.0);
    assert_true(fabs(alike.seconds) <= alike.error && (alike.error > 0.0) == is_other);
}

static void drift_counts_if_it_is_larger_than_the_errors(void **state)
{
    (void)state;
    const struct clock_offset before = {10.0, 5.0, 0.5}, near = {14.0, 5.5, 0.25},
                              far = {14.0, 7.0, 0.25};
    struct clock_offset c = clock_between(&before, &near, 11.0);
    assert_true(c.at == 11.0 && c.seconds == 5.5 && c.error == 0.25);
    c = clock_between(&near, &before, 11.0);
    assert_true(c.seconds == 5.5 && c.error == 0.25);
    c = clock_between(&before, &far, 11.0);
    assert_true(c.at == 11.0 && c.seconds == 5.5 && c.error == 0.5);
    c = clock_between(&before, &far, 14.0);
    assert_true(c.seconds == 7.0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maxima_keep_nan),
        cmocka_unit_test(maxima_are_of_unsigned_and_minima_of_signed_integers),
        cmocka_unit_test(one_nan_is_enough),
        cmocka_unit_test(integers_wrap_in_sums),
        cmocka_unit_test(times_are_reduced),
        cmocka_unit_test(rank_0_broadcasts),
        cmocka_unit_test(communicators_have_the_members),
        cmocka_unit_test(exchanges_are_used_again_and_again),
        cmocka_unit_test(swaps_bring_what_peers_gave),
        cmocka_unit_test(ranks_know_who_is_on_their_node),
        cmocka_unit_test(ranks_that_name_one_thing_share_it),
        cmocka_unit_test(ranks_know_their_place),
        cmocka_unit_test(the_library_has_a_name),
        cmocka_unit_test(errors_of_mpi_are_told),
        cmocka_unit_test(messages_that_are_too_long_are_refused),
        cmocka_unit_test(clocks_are_compared_with_that_of_rank_0),
        cmocka_unit_test(drift_counts_if_it_is_larger_than_the_errors),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    void (*const abort_before)(int) = check_abort;
    comm_start(&argc, &argv);
    CHECK(comm_size() <= MAX_RANKS);
    CHECK(check_abort != abort_before);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finish();
    CHECK(check_abort == abort_before); /* die() must work without MPI again */
    return failed;
}
