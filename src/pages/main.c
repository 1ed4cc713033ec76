/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-pages PROGRAM: what the program's --help says, for the lab with that of all subcommands.
 * `make install` makes a man page of it; it needs no MPI. */
#include <stdio.h>
#include <string.h>
#include "app/options.h"
#include "lab/lab.h"

int main(int argc, char **argv)
{
    const char *program = argc == 2 ? argv[1] : "";
    if (strcmp(program, options_program.name) == 0) {
        options_print_help(stdout);
    } else if (strcmp(program, lab_program.name) == 0) {
        requests[0].answer();
        for (const struct subcommand *s = subcommands; s->name; s++) {
            printf("\n");
            subcommand_print_help(s);
        }
    } else {
        fprintf(stderr, "usage: hpgmg-pages hpgmg-gpu|hpgmg-lab\n");
        return STATUS_USAGE;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? STATUS_VALID : STATUS_SYSTEM;
}
