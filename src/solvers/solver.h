/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_SOLVER_H
#define SOLVERS_SOLVER_H
/* Solving A u = f on one level of a hierarchy: one cycle, cycles to a tolerance, or CG
 * preconditioned by a V-cycle. */
#include "solvers/program.h"

enum { MAX_CYCLES = 10000 }; /* after the F-cycle */

struct solver_choice {
    bool f_cycle;   /* start with one F-cycle; else V-cycles from zero */
    bool mgpcg;     /* CG preconditioned by one V-cycle, instead of cycles */
    bool continues; /* solver_continue() may be called */
    double
        rtol; /* go on with V-cycles until ‖r‖/‖f‖ < rtol; 0: only the F-cycle (or one V-cycle) */
    int max_cycles; /* V-cycles or CG iterations at most, after the F-cycle; at most MAX_CYCLES */
};

enum outcome {
    OUTCOME_DONE,       /* no tolerance was asked for, or it was reached */
    OUTCOME_LIMIT,      /* max_cycles did not reach it */
    OUTCOME_STAGNATED,  /* three cycles in a row gained less than a tenth */
    OUTCOME_NOT_FINITE, /* the residual is NaN or infinite */
    OUTCOME_BREAKDOWN,  /* MG-PCG: a pivot was zero, negative or not finite */
    NUM_OUTCOMES,
};
const char *outcome_text(enum outcome outcome);

struct solve_result {
    enum outcome outcome;
    double seconds;                 /* on this rank, of the whole solve */
    int cycles;                     /* entries of history */
    double history[MAX_CYCLES + 1]; /* relative residual ‖f − A u‖_max / ‖f‖_max after each cycle */
};

struct solver {
    struct hierarchy *hierarchy;
    int top;
    struct solver_choice choice;
    double rhs_norm;                               /* ‖f‖_max: see solver_set_rhs() */
    struct program *first, *next, *preconditioner; /* NULL where not used */
};

/* Prepares to solve on level `top`, whose f must be set. Collective over the ranks of that level;
 * others may call it too. */
struct solver *solver_create(struct hierarchy *h, int top, struct solver_choice choice);
void solver_destroy(struct solver *s);

/* Measures f, which has changed since solver_create. Collective over the ranks of the level; others
 * may call it too. */
void solver_set_rhs(struct solver *s);

/* Solves from zero; u of level `top` is the result. Uses u and f of all coarser levels. Ranks
 * without boxes on the level return at once with an unusable result. */
void solver_run(struct solver *s, struct solve_result *result);
/* The same from the u that is there, with V-cycles only or, with mgpcg, CG. */
void solver_continue(struct solver *s, struct solve_result *result);

/* Calls fn for each program of the solver. */
void solver_programs(struct solver *s, void (*fn)(void *data, struct program *p), void *data);

/* `to` on level + 1 = restriction of `from` on level. */
void transfer_restrict(struct hierarchy *h, int level, enum field from, enum field to);

#endif
