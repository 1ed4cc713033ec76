/* SPDX-License-Identifier: BSD-3-Clause */
/* The trial of messages finds memory whose messages do not arrive, on whichever rank that is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "level/message_trial.h"
#include "cpu/cpu.h"
#include "support/death.h"

static int bad_rank;
static long bad_length; /* of both messages of a rank */

/* As if the last value of one rank's messages had not arrived. */
static void lose_last(const double *field, double *values, long count)
{
    backend_cpu.memory->download(field, values, count);
    if (comm_rank() == bad_rank && count == bad_length)
        values[count - 1] = 0.0;
}

/* As if the second message of one rank were the first one again. */
static void stay_the_same(const double *field, double *values, long count)
{
    backend_cpu.memory->download(field, values, count);
    for (long i = 0; i < count && comm_rank() == bad_rank; i++)
        values[i] = fabs(values[i]);
}

/* As if one rank's messages had arrived one place too early. */
static void shift(const double *field, double *values, long count)
{
    backend_cpu.memory->download(field, values, count);
    for (long i = 0; i + 1 < count / 2 && comm_rank() == bad_rank; i++)
        values[i] = values[i + 1];
}

static void messages_from_the_host_arrive(void **state)
{
    (void)state;
    assert_true(messages_arrive(&backend_cpu));
}

static struct backend_memory memory_with(void (*download)(const double *, double *, long))
{
    struct backend_memory memory = *backend_cpu.memory;
    memory.download = download;
    return memory;
}

static void a_lost_value_is_found(void **state)
{
    (void)state;
    const struct backend_memory memory = memory_with(lose_last);
    struct backend losing = backend_cpu;
    losing.memory = &memory;
    for (bad_rank = 0; bad_rank < comm_size(); bad_rank++) {
        bad_length = 16;
        assert_false(messages_arrive(&losing));
        bad_length = 1 << 18;
        assert_false(messages_arrive(&losing));
        bad_length = 1;
        assert_true(messages_arrive(&losing));
    }
}

static void old_values_are_found(void **state)
{
    (void)state;
    const struct backend_memory memory = memory_with(stay_the_same);
    struct backend stale = backend_cpu;
    stale.memory = &memory;
    for (bad_rank = 0; bad_rank < comm_size(); bad_rank++)
        assert_false(messages_arrive(&stale));
}

static void wrong_places_are_found(void **state)
{
    (void)state;
    const struct backend_memory memory = memory_with(shift);
    struct backend shifting = backend_cpu;
    shifting.memory = &memory;
    for (bad_rank = 0; bad_rank < comm_size(); bad_rank++)
        assert_false(messages_arrive(&shifting));
}

static struct messages message_to(int peer)
{
    struct messages m = {.count = 1, .length = 1};
    m.list = memory_alloc(sizeof *m.list, "message");
    m.list[0] = (struct message){peer, 0, 1};
    m.buffer = backend_cpu.memory->allocate(1, "message");
    return m;
}

static struct exchange with_other;

static void try_for_a_moment(void)
{
    exchange_selftest(&with_other, &backend_cpu, 0.05);
}

/* On several ranks, rank 1 sends nothing until rank 0 has given up. */
static void a_message_that_does_not_come_ends_the_job(void **state)
{
    (void)state;
    struct exchange *x = &with_other;
    const int rank = comm_rank();
    if (comm_size() < 2)
        return;
    if (rank < 2)
        exchange_create(x, message_to(1 - rank), message_to(1 - rank), sizeof(double));
    const int status = rank == 0 ? death_of(try_for_a_moment) : STATUS_SYSTEM;
    comm_barrier(comm_world());
    bool ends = true;
    if (rank == 1)
        exchange_start(x);
    if (rank < 2) {
        ends = exchange_ends(x, TRIAL_SECONDS);
        backend_cpu.memory->release(x->sends.buffer);
        backend_cpu.memory->release(x->receives.buffer);
        exchange_destroy(x);
    }
    assert_int_equal(status, STATUS_SYSTEM);
    assert_true(ends);
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_from_the_host_arrive),
        cmocka_unit_test(a_lost_value_is_found),
        cmocka_unit_test(old_values_are_found),
        cmocka_unit_test(wrong_places_are_found),
        cmocka_unit_test(a_message_that_does_not_come_ends_the_job),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finish();
    return failed;
}
