/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The options of a solver, for the program and the library: operator, cycle, and where levels live.
 * To add one, add a member here and a row to solver_options.def, which has its name, default, help
 * and legal values. The program's table of options (app/options.h) has the same rows. */
#include "cli/command_line.h"
#include "operators/stencil.h"
#include "solvers/solver.h"

enum coefficients { COEFFICIENTS_VARIABLE, COEFFICIENTS_CONSTANT };
enum cycle_kind { CYCLE_F, CYCLE_V, CYCLE_W };
enum precision { PRECISION_DOUBLE, PRECISION_MIXED };
enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_GPU };
enum transport_kind { TRANSPORT_AUTO, TRANSPORT_PEER, TRANSPORT_CUDA_AWARE, TRANSPORT_STAGED };

/* Values of `never`: no level has fewer cells, and none is large enough. */
enum { BELOW_NEVER = 1, OVERLAP_NEVER = -1 };

/* Enumerations are stored as int, so that one table can point at all of them. */
struct solver_options {
    int order;         /* 2, 4 */
    int equation;      /* enum equation */
    int boundary[6];   /* enum boundary by side: low i, high i, low j, … */
    int coefficients;  /* enum coefficients */
    int smoother;      /* enum smoother */
    int sweeps[2];     /* before and after the coarse correction; 0,0: the smoother's own */
    double weight;     /* of the smoother; 0: its own */
    int levels;        /* at most; 0: as many as the size allows */
    int cycle;         /* enum cycle_kind */
    int precision;     /* enum precision */
    long single_above; /* with mixed precision, levels of more cells are corrected in single */
    double rtol;       /* 0: one F-cycle; with --cycle v or --solver idr 1e-10 unless given */
    double atol;
    int max_cycles;         /* the most V-cycles, with a tolerance */
    int outer;              /* enum outer */
    int bottom;             /* enum bottom_method */
    int backend;            /* enum backend_choice */
    long cpu_below;         /* levels of fewer cells live on the CPU; 0: auto */
    long agglomerate_below; /* 2×2×2 boxes merge below this number of cells; 0: auto */
    int transport;          /* enum transport_kind, between GPUs */
    long overlap_above;     /* cells per GPU from which halo exchange overlaps; 0: auto */
    char *kernels;          /* names with commas between them; NULL: all */
    int plain_loops;        /* of the CPU backend */
    int unfused;            /* every operation is a stage of its own */
};

/* The table for struct solver_options alone. */
extern const struct option_list solver_options_list;

/* The legal words of its rows. */
extern const struct choice order_choices[], equation_choices[], boundary_choices[],
    coefficient_choices[], smoother_choices[], cycle_choices[], precision_choices[],
    outer_choices[], bottom_choices[], backend_choices[], below_choices[], transport_choices[],
    overlap_choices[], loop_choices[], fuse_choices[];

/* What follows from other options, and what contradicts: for the options of the parser's struct,
 * which `o` is a part of. */
enum status solver_options_check(struct parser *p, struct solver_options *o);
/* Refuses a direction with one periodic side. */
enum status parser_check_boundary(struct parser *p, const int boundary[6]);

/* The sides that --boundary chose. */
struct sides boundary_sides(const int boundary[6]);
struct operator_choice options_operator(const struct solver_options *o);
/* True if cycles go on to a tolerance; else there is one. */
bool options_have_tolerance(const struct solver_options *o);
