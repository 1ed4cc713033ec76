/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What a backend provides. This folder lies below the backends and below all that uses them: it has
 * no code. Other code finds a level's backend through the level and never asks which one it is. A
 * backend is one table per purpose. It has memory and passes; the other tables are NULL where it
 * does its work at once. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "backend/copies.h"
#include "base/real.h"

struct passes;
struct recording;

/* Fields, and moving their cells. */
struct backend_memory {
    /* `length` values, zero-filled, first touched by the threads that will work on them. Dies if
     * there is no memory for `what`. */
    real *(*allocate)(long length, const char *what);
    void (*release)(real *data);

    /* Copies cuboids. `from` or `to` may be a message buffer of the backend `staging`. A device
     * also accesses fields of host levels that are used with it. The list says which precision each
     * end has, whatever that of the backend is. */
    void (*copy)(const struct copy_list *list, const void *from, void *to);
    /* Releases what copy() keeps for this list. */
    void (*forget)(const struct copy_list *list);

    /* Copies `count` contiguous values of a field from and to host memory. */
    void (*upload)(real *field, const double *values, long count);
    void (*download)(const real *field, double *values, long count);
    /* Waits until all work begun so far is done. Does nothing where work is done at once. */
    void (*synchronise)(void);

    /* Lets copy() of the device whose staging this is access `bytes` bytes of host memory; false if
     * it cannot. And takes that back. NULL where no device needs it. */
    bool (*lock_pages)(real *data, size_t bytes);
    void (*unlock_pages)(real *data);
};

/* Part of a recording that the host does, while the device waits for it: the device makes the
 * copies `down`, the host does its work, and the device makes the copies `up`. */
struct hand_over {
    struct plan_copies down[MAX_PLAN_COPIES], up[MAX_PLAN_COPIES];
    void (*work)(void *data, int first);
    void *data;
    int first;   /* for work */
    int longest; /* cells along the longest side of the level that is handed over */
};

/* What the hand-overs of a recording have taken since it was made, in seconds. */
struct hand_over_times {
    double total; /* from the first copy down to the last copy up, on the device */
    double host;  /* of these, the host's work */
};

/* Between begin and end, work is recorded and not done. */
struct backend_recorder {
    /* Gets all hand-overs of the recording. False, with nothing begun, if the device cannot hand
     * over. */
    bool (*begin)(const struct hand_over *hand_overs, int count);
    void (*hand_over)(int index); /* records one of them */
    struct recording *(*end)(void);
    /* Does the recorded work, any number of times, waits for it, and raises *norm to the norm that
     * a recorded pass leaves. */
    void (*replay)(struct recording *recording, uint64_t *norm);
    struct hand_over_times (*times)(const struct recording *recording);
    void (*destroy)(struct recording *recording);
    /* True if work on the device can wait for the host. It cannot where a launch returns only when
     * its work is done, as under some debuggers. */
    bool (*can_wait_for_host)(void);
};

/* A second stream, for two things at the same time. It follows all work begun before fork;
 * use_second says whether work is begun on it or on the first one; work after join follows both. */
struct backend_streams {
    void (*fork)(void);
    void (*use_second)(bool on);
    void (*join)(void);
};

/* Events time work that the host does not wait for: record(n) follows all work begun so far;
 * seconds_between waits for event `to` and returns the seconds since event `from`. Without them the
 * host's clock times work. */
struct backend_events {
    void (*record)(int number);
    double (*seconds_between)(int from, int to);
};

struct backend {
    const char *name; /* as reports print it: "cpu" */
    int real_bytes;   /* of a value: 8, or 4 */
    int row_align;    /* values; see level_create */
    bool on_device;   /* host code cannot access the fields */
    bool wraps;       /* its passes compute ghosts in periodic directions that a box spans, as they
                         do behind walls; halo plans leave these out */
    /* The backend whose memory copy() and MPI can both access; NULL: this one. */
    const struct backend *staging;
    /* The same for levels of single precision; NULL on those, and if there is none. */
    const struct backend *single;
    const struct backend_memory *memory;
    const struct passes *passes;
    const struct backend_recorder *recorder;
    const struct backend_streams *streams;
    const struct backend_events *events;
};
