/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What is behind the functions of include/hpgmg.h. */
#include <stdbool.h>
#include "hpgmg.h"
#include "backend/context.h"
#include "comm/comm.h"
#include "config/solver_options.h"
#include "operators/wall_terms.h"
#include "solvers/solver.h"

enum { NUM_USER_FIELDS = HPGMG_BETA_K + 1 };

/* The last blocks that data came from or went to, as a level with one field, and the plan between
 * it and the finest level, NULL until it is used. */
struct staging {
    struct level *level;
    int centre;
    struct plan *plan;
};

/* The factors of a stretched grid in one backend's memory, by direction: widths of cells, and
 * inverse distances between cells by face, over the side of an equal cell and times it. */
struct stretch {
    const struct backend *backend; /* NULL: not made */
    double *share[3], *near[3];
};
enum { STRETCHED_BACKENDS = 3 }; /* CPU, GPU, host memory beside a GPU */

struct hpgmg {
    struct hpgmg *next; /* in the list of all solvers */
    struct world *world;
    struct context *context;
    int cells[3];
    double lengths[3];            /* of the equal cells together */
    double *widths[3], *edges[3]; /* of stretched cells, and from 0 on; NULL: cells are equal */
    struct stretch stretch[STRETCHED_BACKENDS];
    struct solver_options options;
    struct hierarchy *hierarchy;
    struct solver *solver; /* NULL until the operator is first made */
    struct hpgmg_box *boxes;
    struct staging set, get;
    bool is_set[NUM_USER_FIELDS];
    bool operator_is_old, rhs_is_old; /* data has been set since they were made */
    double f_norm;                    /* max|f| as it was set, with what walls add */
    struct wall_values walls;
    bool has_walls;
    /* What does not follow from walls and β: the terms, and those of F-cycles. */
    bool walls_are_old, cycle_walls_are_old;
    /* What walls add to f: NULL until the first solve with walls that were set. */
    struct wall_terms *wall_terms, *wall_inflow;
    struct solve_result result;
    char warning[160]; /* "" if there is none */
};

/* What the ranks are doing, for call_agree(). */
enum call {
    CALL_CREATE,
    CALL_DESTROY,
    CALL_SET,
    CALL_SET_FUNCTION,
    CALL_SET_WALL,
    CALL_GET,
    CALL_SOLVE
};

/* Sets hpgmg_message(), and returns status. */
enum hpgmg_status fail(enum hpgmg_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* HPGMG_ENVIRONMENT in a process that was forked after the library was first used: MPI and the
 * threads of OpenMP are those of its parent. */
enum hpgmg_status check_process(void);

/* HPGMG_ARGUMENT if the solver is not live. */
enum hpgmg_status check_solver(const struct hpgmg *solver);
/* Selects the solver's world and context, the GPU and numbers with a decimal point until
 * call_end(). */
void call_select(const struct hpgmg *solver);
/* Both in turn. */
enum hpgmg_status call_begin(const struct hpgmg *solver);
/* Selects what the caller had, and returns status. May be called twice. */
enum hpgmg_status call_end(enum hpgmg_status status);
/* `status` is what this rank thinks so far. HPGMG_MISMATCH if not all ranks do the same with the
 * same `detail`; else the status of the first rank that failed, with its message. Collective over
 * the world. */
enum hpgmg_status call_agree(enum call call, int detail, enum hpgmg_status status);
/* HPGMG_ARGUMENT with that message if the numbers differ between ranks. The same. */
enum hpgmg_status call_same(const char *what, const double *values, int count);

/* Adds the solver to the list of live ones, or removes it; the GPU is closed after the last. */
void solver_enlist(struct hpgmg *solver);
void solver_delist(struct hpgmg *solver);

/* Whether the solver has a user's field. */
bool has_field(const struct hpgmg *solver, enum hpgmg_field field);
const char *field_name(enum hpgmg_field field);

void staging_release(struct hpgmg *solver);
/* HPGMG_MEMORY if there is not so much memory left on some rank, also without what the solver keeps
 * of the last blocks. Collective. */
enum hpgmg_status check_room(struct hpgmg *solver, double bytes, bool on_device);
/* Sets blocks[].data to a function's means over the cells of the boxes, or over their low faces in
 * direction `centre`, without gaps. The caller frees them. The call ends meanwhile, since the
 * function may call the library or never return: an error, and all is to be left alone, if the
 * solver was destroyed. */
enum hpgmg_status sample_function(const struct hpgmg *solver, int centre, hpgmg_function *function,
                                  void *data, int count, struct hpgmg_block *blocks);
void release_blocks(int count, struct hpgmg_block *blocks);

/* After β in direction d was set: keeps it for its Neumann walls, where set-up makes it 0. */
void walls_keep_beta(struct hpgmg *solver, int d);
/* Before a solve, after the operator was made: puts what walls add into f. f_is_new: f was set
 * since the last time. */
void walls_add(struct hpgmg *solver, bool f_is_new);
/* After that, before an F-cycle. Overwrites u. Returns true if programs must be made anew. */
bool walls_prepare_cycle(struct hpgmg *solver);
void walls_release(struct hpgmg *solver);

/* Stretched grids (stretch.c). HPGMG_ARGUMENT unless all widths are positive. */
enum hpgmg_status stretch_check(const int cells[3], const double *const widths[3]);
/* The lengths of as many equal cells. */
void stretch_lengths(const int cells[3], const double *const widths[3], double lengths[3]);
void stretch_keep(struct hpgmg *s, const double *const widths[3]);
/* Makes the caller's values of a field those of the finest level, or the other way round (divides),
 * in all patches of a level. Does nothing if cells are equal. */
void stretch_field(struct hpgmg *s, const struct level *level, enum field field, int centre,
                   bool divides);
/* Where a point of a cell lies: shift is 0 at its low edge and 1 at the high one. */
double stretch_position(const struct hpgmg *s, int d, int cell, double shift);
void stretch_release(struct hpgmg *s);
