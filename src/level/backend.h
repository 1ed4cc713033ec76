/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_BACKEND_H
#define LEVEL_BACKEND_H
/* A backend allocates the fields of a level and works on them. Other code finds the backend through
 * the level and never asks which one it is. Each backend has one table of functions: this one moves
 * data, its struct passes (operators/) computes. */
#include "level/level.h"
#include "level/plan.h"

struct passes;
struct recording;

struct backend {
    const char *name; /* as reports print it: "cpu" */
    int row_align;    /* doubles; see level_create */
    bool on_device;   /* host code cannot access the fields */

    /* `length` doubles, zero-filled, first touched by the threads that will work on them. Dies if
     * there is no memory for `what`. */
    double *(*allocate)(long length, const char *what);
    void (*release)(double *data);

    /* Copies cuboids. `from` or `to` may be a message buffer of the backend `staging`. A device
     * also accesses fields of host levels that are used beside it. */
    void (*copy)(const struct copy_list *list, const double *from, double *to);
    /* Releases what copy() keeps for this list. */
    void (*forget)(const struct copy_list *list);

    /* The backend whose memory copy() and MPI can both access; NULL: this one. */
    const struct backend *staging;

    /* Copies `count` contiguous values of a field from and to host memory. */
    void (*upload)(double *field, const double *values, long count);
    void (*download)(const double *field, double *values, long count);
    /* Waits until all work begun so far is done. Does nothing where work is done at once. */
    void (*synchronise)(void);

    /* Between record_begin and record_end, work is recorded and not done. replay does the recorded
     * work and waits for it; it may be called any number of times. All are NULL where a backend
     * does its work at once. */
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
