/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_BACKEND_H
#define LEVEL_BACKEND_H
/* A backend: where the fields of a level live and who works on them. A level knows its backend;
 * nobody else asks. There is one table per backend; the part that moves data is here, the part that
 * computes is struct passes (operators/). */
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

    /* The backend whose memory MPI and copy() both access; NULL: this one. */
    const struct backend *staging;

    /* `count` neighbouring values of a field from and to host memory. */
    void (*upload)(double *field, const double *values, long count);
    void (*download)(const double *field, double *values, long count);
    /* Waits for all work begun so far. */
    void (*synchronise)(void);

    /* Work begun between record_begin and record_end is kept instead of done; replay does it, as
     * often as wanted, and waits. All are NULL where a backend does its work at once. */
    void (*record_begin)(void);
    struct recording *(*record_end)(void);
    void (*replay)(struct recording *recording);
    void (*record_destroy)(struct recording *recording);

    /* A second line of work beside the first, for two things at the same time: it follows all work
     * begun before branch; what is begun between aside(true) and aside(false) is on it; work after
     * join follows both. NULL where a backend does its work at once. */
    void (*branch)(void);
    void (*aside)(bool on);
    void (*join)(void);

    /* Marks on the time line of work that the host does not wait for: mark(n) follows all work
     * begun so far; seconds_between waits for mark `to` and says how long after mark `from` it was
     * reached. Both are NULL where the host's clock says it. */
    void (*mark)(int number);
    double (*seconds_between)(int from, int to);

    const struct passes *passes;
};

#endif
