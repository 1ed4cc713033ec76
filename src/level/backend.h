/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_BACKEND_H
#define LEVEL_BACKEND_H
/* A backend: where the fields of a level live and who works on them. A level knows its backend; no
 * other code asks. There is one table per backend: struct backend moves data, its struct passes
 * (operators/) computes. */
#include "level/level.h"
#include "level/plan.h"

struct passes;
struct recording;

struct backend {
    const char *name; /* as reports print it: "cpu" */
    int row_align;    /* doubles; see level_create */
    bool on_device;   /* fields live where host code cannot reach them */

    /* `length` doubles, zero-filled, first touched by the threads that will work on them. Dies if
     * memory runs out. */
    double *(*allocate)(long length, const char *what);
    void (*release)(double *data);

    /* Carries out the copies; `from` or `to` may be a message buffer in host memory, and for a
     * device the field of a level below that lives on the host. */
    void (*copy)(const struct copy_list *list, const double *from, double *to);
    /* The list is about to be freed: frees what copy() keeps of it. */
    void (*forget)(const struct copy_list *list);

    /* Allocates the buffers of messages that the host sends, where copy() reaches them. */
    const struct message_memory *messages;

    /* `count` consecutive values of a field from and to host memory. */
    void (*upload)(double *field, const double *values, long count);
    void (*download)(const double *field, double *values, long count);
    /* Waits for all work begun so far. */
    void (*synchronise)(void);

    /* Work begun between record_begin and record_end is recorded instead of done; replay does it,
     * any number of times, and waits. All are NULL where a backend does its work at once. */
    void (*record_begin)(void);
    struct recording *(*record_end)(void);
    void (*replay)(struct recording *recording);
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
