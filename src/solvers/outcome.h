/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What a solver was asked for, what a solve has reached, and when it is over. */
#include "solvers/program.h"

enum { MAX_CYCLES = 10000 }; /* after the F-cycle */

/* What is wrapped around the cycles. */
enum outer {
    OUTER_NONE,
    OUTER_IDR,  /* IDR(3) from the beginning */
    OUTER_AUTO, /* IDR(3) where cycles converge slowly or diverge */
};

struct solver_choice {
    bool f_cycle; /* start with one F-cycle; else V-cycles from zero. Not with OUTER_IDR */
    enum outer outer;
    bool continues;    /* solver_continue() may be called */
    bool measures_rhs; /* every solve begins with solver_set_rhs(), as HPGMG's do */
    double rtol;       /* go on until ‖r‖_max < rtol·‖f‖_max or ‖r‖_max < atol; */
    double atol;       /* both 0: only the F-cycle (or one V-cycle) */
    int max_cycles;    /* V-cycles at most, after the F-cycle; at most MAX_CYCLES */
    /* OUTER_AUTO: whether this rank has memory for `bytes` more bytes. Collective over the
     * ranks of the level; NULL: it is. */
    bool (*has_room)(const struct level *level, size_t bytes);
};

enum outcome {
    OUTCOME_DONE,       /* no tolerance was asked for, or it was reached */
    OUTCOME_LIMIT,      /* max_cycles did not reach it */
    OUTCOME_SLOW,       /* the same, and the last 10 cycles did not halve the residual */
    OUTCOME_DIVERGED,   /* the residual has grown: u is no solution */
    OUTCOME_ROUNDING,   /* rounding errors of the residual keep it above the tolerance */
    OUTCOME_NOT_FINITE, /* the residual is NaN or infinite */
    OUTCOME_BREAKDOWN,  /* IDR: an inner product is zero or not finite */
    NUM_OUTCOMES,
};
const char *outcome_text(enum outcome outcome);
/* Whether u approximates the solution, if not to the tolerance. */
bool outcome_has_solution(enum outcome outcome);

struct solve_result {
    enum outcome outcome;
    double seconds;                 /* on this rank, of the whole solve */
    double first;                   /* relative residual of the u that the solve began from */
    int cycles;                     /* entries of history */
    int f_cycles;                   /* the first of these are F-cycles: 0 or 1 */
    int outer_cycles;               /* the last of these are V-cycles within IDR */
    bool lacks_room;                /* OUTER_AUTO: there was no memory for IDR */
    double history[MAX_CYCLES + 1]; /* relative residual ‖f − A u‖_max / ‖f‖_max after each cycle */
};
/* The last relative residual. */
double solve_residual(const struct solve_result *r);

struct solver {
    struct hierarchy *hierarchy;
    int top;
    struct solver_choice choice;
    double rhs_norm; /* ‖f‖_max: see solver_set_rhs() */
    int exponent;  /* of rhs_norm, in the scale of correction levels when programs were recorded */
    double target; /* relative residual to reach; 0: none */
    /* NULL where not used */
    struct program *first, *next, *residual, *preconditioner;
};

/* Appends a relative residual to the history and sets the outcome; true if the solve is over. */
bool solve_record(const struct solver *s, struct solve_result *r, double residual);

/* The outcome so far, with LIMIT or SLOW as long as cycles may go on. */
enum outcome solve_judge(const struct solver *s, const struct solve_result *r);
/* LIMIT or SLOW. */
bool outcome_may_improve(enum outcome outcome);
/* All cycles of a solve, the F-cycle among them. */
int solve_cycle_limit(const struct solver *s, const struct solve_result *r);
/* True if the last cycles were so slow that IDR is faster, or if they diverge. */
bool solve_is_slow(const struct solve_result *r);
