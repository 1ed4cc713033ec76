#ifndef LEVEL_BACKEND_H
#define LEVEL_BACKEND_H
/* A backend: where the fields of a level live and who works on them. A level knows its backend;
 * nobody else asks. There is one table per backend; the part that moves data is here, the part that
 * computes is struct passes (operators/). */
#include "level/level.h"
#include "level/plan.h"

struct passes;

struct backend {
    const char *name; /* as reports print it: "cpu" */
    int row_align;    /* doubles; see level_create */

    /* `length` doubles, zero-filled, first touched by the threads that will work on them. Dies if
     * there are none. */
    double *(*allocate)(long length, const char *what);
    void (*release)(double *data);

    /* Carries out the copies; `from` or `to` may be a message buffer in host memory. */
    void (*copy)(const struct copy_list *list, const double *from, double *to);

    const struct passes *passes;
};

#endif
