/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_BACKEND_H
#define LEVEL_BACKEND_H
/* A backend: where the fields of a level live and who works on them. A level knows its backend;
 * nobody else asks. There is one table per backend; the part that moves data is here, the part that
 * computes is struct passes (operators/). */
#include <stdint.h>
#include "level/level.h"
#include "level/plan.h"

struct passes;
struct recording;

struct backend {
    const char *name; /* as reports print it: "cpu" */
    int row_align;    /* doubles; see level_create */
    bool on_device;   /* fields live where host code cannot reach them */

    /* `length` doubles, zero-filled, first touched by the threads that will work on them. Dies if
     * there are none. */
    double *(*allocate)(long length, const char *what);
    void (*release)(double *data);

    /* Carries out the copies; `from` or `to` may be a message buffer in host memory, and for a
     * device the field of a level below that lives on the host. */
    void (*copy)(const struct copy_list *list, const double *from, double *to);
    /* The list is about to go: drops what copy() remembered of it. */
    void (*forget)(const struct copy_list *list);

    /* Where copy() finds the buffers of messages that the host sends. */
    const struct message_memory *messages;

    /* `count` neighbouring values of a field from and to host memory. */
    void (*upload)(double *field, const double *values, long count);
    void (*download)(const double *field, double *values, long count);
    /* Waits for all work begun so far. */
    void (*synchronise)(void);

    /* Between record_begin and record_end, work is recorded and not done. replay does the recorded
     * work any number of times, waits for it, and raises *norm to the norm that a recorded pass
     * leaves. All are NULL where a backend does its work at once. */
    void (*record_begin)(void);
    struct recording *(*record_end)(void);
    void (*replay)(struct recording *recording, uint64_t *norm);
    void (*record_destroy)(struct recording *recording);

    /* A second stream, for two things at the same time. It follows all work begun before
     * fork_stream; use_second_stream says whether work is begun on it or on the first one; work
     * after join_stream follows both. NULL where a backend does its work at once. */
    void (*fork_stream)(void);
    void (*use_second_stream)(bool on);
    void (*join_stream)(void);

    /* Events time work that the host does not wait for: record_event(n) follows all work begun so
     * far; seconds_between waits for event `to` and returns the seconds since event `from`. Both
     * are NULL where the host's clock times work. */
    void (*record_event)(int number);
    double (*seconds_between)(int from, int to);

    const struct passes *passes;
};

#endif
