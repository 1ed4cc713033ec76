/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The last lines of main() where tests need MPI. Include it after cmocka.h. */
#include <stdbool.h>
#include <stdio.h>
#include "base/memory.h"
#include "comm/comm.h"

/* Ends MPI. Returns the exit status, which is 1 if tests failed or left memory allocated. */
static inline int finish_tests(int failed)
{
    const bool leak = memory_live_blocks() != 0;
    if (leak)
        fprintf(stderr, "error: the tests have left memory allocated\n");
    comm_finish();
    return failed != 0 || leak;
}

/* Runs an array of tests between the start and the end of MPI. */
#define RUN_WITH_MPI(tests, argc, argv)                                                            \
    (comm_start(&(argc), &(argv)), finish_tests(cmocka_run_group_tests(tests, NULL, NULL)))
