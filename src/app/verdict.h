/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_VERDICT_H
#define APP_VERDICT_H
/* The verdict on a run: a list of checks, each with its value, its bounds and their grounds. A run
 * is VALID if no check failed and the residual on h passed. */
#include <stdbool.h>
#include "app/options.h"

struct benchmark;

enum check_state { CHECK_PASSED, CHECK_FAILED, CHECK_NOT_MADE, NUM_CHECK_STATES };

enum { GROUNDS_SIZE = 160, CHECK_TEXT_SIZE = 240 };

struct check {
    const char *name; /* "residual", "repetition", "error", "order" */
    const char *size; /* "h", "2h", "4h" */
    enum check_state state;
    double value, lowest, highest; /* NaN: there is none */
    char grounds[GROUNDS_SIZE]; /* what failed, why it was not made, or the source of the bounds */
};

/* Residual and repetition of three sizes, error, order. */
enum { MAX_CHECKS = 8 };
enum { VERDICT_SIZE = MAX_CHECKS * CHECK_TEXT_SIZE };

struct verdict {
    bool valid, accuracy_checked; /* error and order both passed */
    int nchecks, accuracy; /* the number of the check of the error; that of the order follows */
    struct check checks[MAX_CHECKS];
};

/* Judges the sizes and the Richardson analysis of b, which must be complete. Equal records get
 * equal verdicts. */
struct verdict verdict_of(const struct benchmark *b, const struct options *options);

/* VALID, VALID (accuracy not checked: …), VALID (error not checked: …) if only the order passed, or
 * INVALID (…), with the texts of the checks that were not
 * made or failed. Returns text. */
const char *verdict_text(const struct verdict *verdict, char *text, int size);

/* A check in words, with its value if it failed. Returns text. */
const char *check_text(const struct check *check, char *text, int size);

/* "passed", "failed", "not checked" */
const char *check_state_text(enum check_state state);

#endif
