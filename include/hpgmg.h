/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPGMG_H
#define HPGMG_H
/* Geometric multigrid for −∇·(β∇u) = f or αu − ∇·(β∇u) = f in a box of equal cells, of order 2 or
 * 4, on CPUs and GPUs. docs/API.md explains the calls by examples.
 *
 * u, f and α are means over cells, β are means over faces; to order 2, values at the centres are
 * the same. Cells are numbered from 0 in each direction i, j, k.
 *
 * Functions return a status. None but hpgmg_check() prints or ends the program because of a wrong
 * argument, a wrong order of calls, or memory that does not suffice. hpgmg_message() then says what
 * was wrong. If a call of MPI or of CUDA fails, the job ends by MPI_Abort with a line on stderr.
 *
 * Functions that are "collective" must be called by all ranks of the solver's communicator, and
 * return the same status on all of them. A call with a handle that is not live returns at once on
 * the rank that made it.
 *
 * A process calls these functions from one thread at a time, the one that initialised MPI. They use
 * OpenMP threads. Solvers are independent of each other, with these exceptions, which are the
 * process's: the GPU and the streams on it.
 *
 * A process that is forked after the first hpgmg_create() cannot use the library: the functions
 * return HPGMG_ENVIRONMENT there. The parent goes on as before. */
#include <stddef.h>

#ifndef HPGMG_MPI
#define HPGMG_MPI 1 /* 0 in an installation of `make MPI=0` */
#endif
#if HPGMG_MPI
#include <mpi.h>
typedef MPI_Comm hpgmg_comm;
#define HPGMG_COMM_WORLD MPI_COMM_WORLD
#else /* one rank */
typedef int hpgmg_comm;
#define HPGMG_COMM_WORLD 1
#endif

#define HPGMG_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

enum hpgmg_status {
    HPGMG_OK = 0,
    HPGMG_NOT_CONVERGED = 1, /* the tolerance was not reached; u is what the last cycle left, or
                                is not set if the residual diverged or is not finite */
    HPGMG_ARGUMENT = 2,      /* an argument, an option or a value of the data is wrong */
    HPGMG_ORDER = 3,         /* something must be called before, or MPI is not running */
    HPGMG_MISMATCH = 4,      /* the ranks called different functions or with different arguments */
    HPGMG_MEMORY = 5,        /* there is too little memory */
    HPGMG_ENVIRONMENT = 6, /* no GPU or transport as demanded, too many OpenMP threads, or a forked
                              process */
};

/* The last failed call of this process in one line; "" if none has failed. Valid until the next
 * call. */
HPGMG_API const char *hpgmg_message(void);

/* Around a call whose failure ends the program: hpgmg_check(hpgmg_solve(…)). Returns if the status
 * is HPGMG_OK. Else prints hpgmg_message() on stderr and ends the job with the status as exit
 * status, by MPI_Abort if MPI is running. */
HPGMG_API void hpgmg_check(enum hpgmg_status status);

/* A solver: the levels of one domain, with the data that was set. */
struct hpgmg;

/* Makes a solver for cells[0]×cells[1]×cells[2] cells on the ranks of comm. It keeps a
 * duplicate. The domain is 0 … lengths[d] in direction d. Cells need not be cubes: the sides
 * lengths[d]/cells[d] may differ (docs/API.md). Each of cells must be a multiple of 4; multigrid is
 * fast if they have a large power of two in common. There must be at least as many boxes of 4³
 * cells as ranks.
 *
 * options: names and values in turn, then NULL, or NULL for none: those of the command line of
 * hpgmg-gpu (docs/API.md lists them), as {"order", "4", "boundary", "periodic", NULL}. The default
 * of rtol is 1e-8. Numbers have a decimal point in every locale, and so have messages.
 *
 * MPI must be running. *solver becomes NULL on failure. Collective over comm. */
HPGMG_API enum hpgmg_status hpgmg_create(struct hpgmg **solver, hpgmg_comm comm, const int cells[3],
                                         const double lengths[3], const char *const *options);

/* The same for cells whose widths differ along a direction: widths[d][i], 0 <= i < cells[d], is the
 * width in direction d of the cells with index i there, and the domain begins at 0. Order 2
 * and variable coefficients only. All data stays the caller's: f, α and β are values at the centres
 * of these cells and faces. The residual is weighted by volume: ‖V(f − Au)‖/‖Vf‖, V the volume of a
 * cell; where solutions differ by a constant, f must have the sum ΣVf = 0, and u gets the mean
 * Σu = 0. hpgmg_get gives f, α and β up to rounding. Smooth changes of widths keep the second order
 * of accuracy. Collective over comm. */
HPGMG_API enum hpgmg_status hpgmg_create_stretched(struct hpgmg **solver, hpgmg_comm comm,
                                                   const int cells[3],
                                                   const double *const widths[3],
                                                   const char *const *options);

/* Both for the module of Fortran, hpgmg.f90: *comm is Fortran's handle of a communicator. comm NULL
 * stands for MPI_COMM_WORLD. One of lengths and widths is NULL. */
HPGMG_API enum hpgmg_status hpgmg_create_fortran(struct hpgmg **solver, const int *comm,
                                                 const int cells[3], const double lengths[3],
                                                 const double *const widths[3],
                                                 const char *const *options);

/* Releases the solver and sets *solver to NULL. *solver may be NULL already. Before MPI_Finalize.
 * Collective. */
HPGMG_API enum hpgmg_status hpgmg_destroy(struct hpgmg **solver);

/* Cells lo[d] … lo[d] + n[d] − 1 in each direction d. */
struct hpgmg_box {
    int lo[3], n[3];
};

/* The boxes of this rank, which together cover the domain on all ranks. The array is the solver's.
 * Data in boxes of its own choice is moved least, but any boxes may be used. Not collective. */
HPGMG_API enum hpgmg_status hpgmg_boxes(const struct hpgmg *solver, int *count,
                                        const struct hpgmg_box **boxes);

/* The sides of a cell, lengths[d]/cells[d]; of cells whose widths differ, their harmonic means. Not
 * collective. */
HPGMG_API enum hpgmg_status hpgmg_cell_sizes(const struct hpgmg *solver, double sizes[3]);

enum hpgmg_field {
    HPGMG_U = 0,      /* the solution; set it as the initial guess */
    HPGMG_F = 1,      /* the right-hand side */
    HPGMG_ALPHA = 2,  /* with equation helmholtz and variable coefficients */
    HPGMG_BETA_I = 3, /* on the faces in direction i; with variable coefficients */
    HPGMG_BETA_J = 4,
    HPGMG_BETA_K = 5,
};

/* Values of a field in a box, in the caller's memory: that of cell lo + (i,j,k) is
 * data[i·stride[0] + j·stride[1] + k·stride[2]]. Strides count doubles. Strides that are all 0
 * stand for an array without gaps, i fastest.
 *
 * Of β in direction d there is one value more in that direction: number i is the low face of cell
 * lo + i, and the last one is the high face of the last cell. Where boxes meet, the box behind the
 * face has its value; the last values count on the high side of the domain only, and there not if
 * direction d is periodic.
 *
 * data is in host memory, or in the memory of the GPU that the solver runs on: all blocks of a rank
 * alike. The GPU's work on it must be finished before the call, and is finished after it. */
struct hpgmg_block {
    struct hpgmg_box box;
    double *data; /* hpgmg_set reads it */
    ptrdiff_t stride[3];
};

/* Sets a field from the blocks of all ranks, which must cover every cell once. They need not be the
 * solver's boxes, and a rank may have none. Values must be finite, and those of β not negative;
 * else the field counts as not set. Memory: one field, on several ranks up to three, which the
 * solver keeps for calls with the same blocks while there is enough. Collective. */
HPGMG_API enum hpgmg_status hpgmg_set(struct hpgmg *solver, enum hpgmg_field field, int count,
                                      const struct hpgmg_block *blocks);

/* The value at a point of the domain. The function may call the library. It may leave by longjmp
 * or, in C++, by an exception, if it does so on all ranks. The call that it leaves then has set
 * nothing, and the call's temporary memory is lost. */
typedef double hpgmg_function(double x, double y, double z, void *data);

/* Sets a field to a function's means over cells or faces: to order 2 its values at the centres, to
 * order 4 by Gauss's rule with two points per direction. Every rank calls the function for its own
 * boxes, from this thread. Otherwise as hpgmg_set. Temporary memory: one field
 * more. Collective. */
HPGMG_API enum hpgmg_status hpgmg_set_function(struct hpgmg *solver, enum hpgmg_field field,
                                               hpgmg_function *function, void *data);

/* Writes a field that was set or, as u, solved for to the blocks of all ranks: any boxes within the
 * domain. After a solve β is 0 on Neumann walls, f has what values on walls add to it, and where
 * solutions differ by a constant it has lost its mean. Memory: as hpgmg_set. Collective. */
HPGMG_API enum hpgmg_status hpgmg_get(struct hpgmg *solver, enum hpgmg_field field, int count,
                                      const struct hpgmg_block *blocks);

/* Sets what holds on the wall in direction d (0 to 2) on its low (side 0) or high side (1): u = g
 * on a Dirichlet wall, ∂u/∂n = g on a Neumann wall, along the outward normal and in the coordinates
 * of `lengths`. Walls that were not set have g = 0. g are means over the walls' faces; for order 2,
 * values at their centres do.
 *
 * values[b] belongs to box b of hpgmg_boxes(), whose number is `count`: n[s]·n[t] values in host
 * memory, without gaps, s < t the other two directions, s fastest. It is not read for boxes that
 * are not at the wall. Values must be finite; else the wall keeps what it had. The side must not be
 * periodic. Temporary memory: one field. Collective. */
HPGMG_API enum hpgmg_status hpgmg_set_wall(struct hpgmg *solver, int direction, int side, int count,
                                           const double *const *values);

/* Sets it to a function's means over the wall's faces, as hpgmg_set_function does. Otherwise as
 * hpgmg_set_wall. Collective. */
HPGMG_API enum hpgmg_status hpgmg_set_wall_function(struct hpgmg *solver, int direction, int side,
                                                    hpgmg_function *function, void *data);

/* With what a solve begins. */
enum hpgmg_start {
    HPGMG_FROM_ZERO = 0,
    HPGMG_FROM_GUESS = 1, /* u as it was set, or as the last solve left it; no F-cycle then */
};

struct hpgmg_result {
    int cycles;      /* F-cycle, V-cycles and iterations together */
    double residual; /* max|f − A u| / max|f| after the last */
    double rhs_norm; /* max|f| with what values on walls add, without the mean */
    double rhs_mean; /* of f with that, which was subtracted where solutions differ by a constant;
                        else 0 */
    double seconds;  /* of this rank's solve */
    double
        setup_seconds; /* of making the operators before it; 0 if the coefficients were the same */
    const double *history; /* relative residual after each cycle; valid until the next solve */
    int krylov_cycles; /* the last of these cycles, which IDR(3) combined: with solver idr, or with
                          auto after cycles that were slow or diverged */
    const char *warning; /* what makes solves of this solver slow, in one line; "" if nothing is
                            known. Lives as long as the solver */
};

/* Solves to the tolerance rtol, or by one cycle without one. f must be set, and the coefficients
 * that the options ask for. Setting any of them again and solving again makes anew what depends on
 * it only. If f and all values on walls are 0, so is u. u has the mean 0 where solutions differ by
 * a constant. result may be NULL. Collective. */
HPGMG_API enum hpgmg_status hpgmg_solve(struct hpgmg *solver, enum hpgmg_start start,
                                        struct hpgmg_result *result);

#ifdef __cplusplus
}
#endif
#endif
