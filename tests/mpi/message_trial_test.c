/* SPDX-License-Identifier: BSD-3-Clause */
/* The trial of messages finds memory whose messages do not arrive, on whichever rank that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "comm/comm.h"
#include "level/backend.h"
#include "level/message_trial.h"
#include "operators/backend_cpu.h"

static int bad_rank;
static long bad_length; /* of both messages of a rank */

/* As if the last value of one rank's messages had not arrived. */
static void lose_last(const double *field, double *values, long count)
{
    backend_cpu.download(field, values, count);
    if (comm_rank() == bad_rank && count == bad_length)
        values[count - 1] = 0.0;
}

static void messages_from_the_host_arrive(void **state)
{
    (void)state;
    assert_true(messages_arrive(&backend_cpu));
}

static void a_lost_value_is_found(void **state)
{
    (void)state;
    struct backend losing = backend_cpu;
    losing.download = lose_last;
    for (bad_rank = 0; bad_rank < comm_size(); bad_rank++) {
        bad_length = 16;
        assert_false(messages_arrive(&losing));
        bad_length = 1 << 18;
        assert_false(messages_arrive(&losing));
        bad_length = 1;
        assert_true(messages_arrive(&losing));
    }
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_from_the_host_arrive),
        cmocka_unit_test(a_lost_value_is_found),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finish();
    return failed;
}
