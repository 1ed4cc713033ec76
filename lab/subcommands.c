/* SPDX-License-Identifier: BSD-3-Clause */
/* What hpgmg-lab can be asked for. */
#include <stdio.h>
#include "cli/build_info.h"
#include "cuda/cuda.h"
#include "lab/lab.h"

const struct program_text lab_program = {
    "hpgmg-lab",
    "SUBCOMMAND [options]",
    "Measures machines, and the kernels of hpgmg-gpu one by one.",
    NULL,
    "0 all results right, 1 some wrong, 2 usage, 3 environment, 4 memory, 5 system.",
};

const struct subcommand subcommands[] = {
    {"machine", "[options]",
     "Measures the machine: memory, access patterns, arithmetic, latencies.", false,
     machine_command},
    {"memory", "[options] [EXPERIMENT...]",
     "Experiments on memory: strides, layouts, transfers, and work per element.", false,
     memory_command},
    {"methods", "[options] [EXPERIMENT...]",
     "Small kernels in several ways: interpolation, convolution, LU in batches, masks.", false,
     methods_command},
    {"kernel", "[options] N",
     "Times the kernels of one stage of the solver, and says what limits each.", false,
     kernel_command},
    {"ladder", "[options] N",
     "Times a red and a black half-sweep, from the simplest kernel to hpgmg-gpu's own.", false,
     ladder_command},
    {"exchange", "[options] N",
     "Times the halo exchange of one level between ranks, by every transport.", true,
     exchange_command},
    {"tune", "[options]",
     "Finds tile sizes of the GPU's kernels; prints rows for src/cuda/tuning.def.", false,
     tune_command},
    {NULL, NULL, NULL, false, NULL},
};

static void print_help(void)
{
    const struct program_text *p = &lab_program;
    printf("Usage: %s %s\n%s\n\n", p->name, p->usage, p->summary);
    for (const struct subcommand *s = subcommands; s->name; s++)
        printf("  %-14s %s\n", s->name, s->summary);
    for (const struct request *r = requests; r->name; r++)
        printf("  %-14s %s\n", r->name, r->summary);
    printf("\nExit: %s\n", p->exit_statuses);
}

static void print_kernels(void)
{
    cuda_list_kernels(stdout);
}

static void print_version(void)
{
    printf("%s %s\n  revision    %s\n  compiler    %s\n", lab_program.name, build_info.version,
           build_info.revision, build_info.compiler);
}

const struct request requests[] = {
    {"--help", "Prints this text; after a subcommand, its options.", print_help},
    {"--list-kernels", "Prints the names of all GPU kernels.", print_kernels},
    {"--version", "Prints version and build.", print_version},
    {NULL, NULL, NULL},
};
