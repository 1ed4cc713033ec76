/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-lab: measures a machine and single kernels. */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "cli/option_check.h"
#include "cli/build_info.h"
#include "cli/command_line.h"
#include "cli/environment.h"
#include "cli/nearest.h"
#include "cli/tuning_choice.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "lab/lab.h"
#include "operators/backend_cpu.h"

enum { SCHEMA = 4 }; /* raised when a key of the report goes away or changes its meaning */

static const struct subcommand subcommands[] = {
    {"machine", &machine_options, "[options]",
     "Measures the machine: memory, access patterns, arithmetic, latencies.", false,
     machine_command},
    {"memory", &memory_options, "[options] [EXPERIMENT...]",
     "Experiments on memory: strides, layouts, transfers, and work per element.", false,
     memory_command},
    {"methods", &methods_options, "[options] [EXPERIMENT...]",
     "Small kernels in several ways: interpolation, convolution, LU in batches, masks.", false,
     methods_command},
    {"kernel", &kernel_options, "[options] N",
     "Times the kernels of one stage of the solver, and says what limits each.", false,
     kernel_command},
    {"ladder", &ladder_options, "[options] N",
     "Times a red and a black half-sweep, from the simplest kernel to hpgmg-gpu's own.", false,
     ladder_command},
    {"exchange", &exchange_options, "[options] N",
     "Times the halo exchange of one level between ranks, by every transport.", true,
     exchange_command},
    {"tune", &tune_options, "[options]",
     "Finds tile sizes of the GPU's kernels; writes a file for hpgmg-gpu --tuning.", false,
     tune_command},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof subcommands[0] };

void print_machine(const struct lab *lab)
{
    const struct environment *e = &lab->environment;
    if (lab->note[0] && comm_rank() == 0)
        warn("%s", lab->note);
    if (lab->backend->on_device)
        printf("GPU: %s, driver %d.%d\n", e->gpu, e->cuda_driver / 1000,
               e->cuda_driver % 1000 / 10);
    else
        printf("CPU: %s, %d threads\n", e->cpu, e->threads);
    if (tuning_path())
        printf("tuning: %s\n", tuning_path());
}

void spread_add_json(struct json *object, const struct spread *s)
{
    struct json *seconds = json_add_object(object, "seconds");
    JSON_NUMBERS(seconds, {"median", s->median}, {"min", s->min}, {"max", s->max},
                 {"samples", s->samples});
}

/* The highest status of all ranks, so that no rank waits for one that has given up. */
static enum status worst(enum status status)
{
    return (enum status)comm_max_u64(MPI_COMM_WORLD, (uint64_t)status);
}

static void print_help(void)
{
    printf("Usage: hpgmg-lab SUBCOMMAND [options]\n"
           "Measures machines, and the kernels of hpgmg-gpu one by one.\n\n");
    for (int s = 0; s < SUBCOMMANDS; s++)
        printf("  %-14s %s\n", subcommands[s].name, subcommands[s].summary);
    printf(
        "  --help         Prints this text; after a subcommand, its options.\n"
        "  --list-kernels Prints the names of all GPU kernels.\n"
        "  --version      Prints version and build.\n\n"
        "Exit: 0 all results right, 1 some wrong, 2 usage, 3 environment, 4 memory, 5 system.\n");
}

static void print_subcommand_help(const struct subcommand *s)
{
    printf("Usage: hpgmg-lab %s %s\n%s\n\n", s->name, s->usage, s->summary);
    option_print_help(s->options, stdout);
    experiments_print(s->name);
}

static const struct subcommand *find_subcommand(const char *word, char *message, int size)
{
    struct nearest search = {.word = word};
    for (int s = 0; s < SUBCOMMANDS; s++) {
        if (strcmp(subcommands[s].name, word) == 0)
            return &subcommands[s];
        nearest_try(&search, subcommands[s].name);
    }
    snprintf(message, (size_t)size, "unknown subcommand '%.60s'; %s%s%s", word,
             search.best ? "did you mean " : "--help lists all", search.best ? search.best : "",
             search.best ? "?" : "");
    return NULL;
}

/* The backend that was asked for; with auto the GPU where there is one, and else a note. */
static enum status choose_backend(struct lab *lab, char *message, int size)
{
    bool on_gpu;
    const enum status status =
        gpu_choose(lab->options.backend, "measuring the CPU", &on_gpu, lab->note, sizeof lab->note);
    lab->backend = on_gpu ? &backend_cuda : &backend_cpu;
    if (status != STATUS_VALID)
        snprintf(message, (size_t)size, "%s", lab->note);
    return status;
}

static void add_option(void *data, const char *name, const char *value)
{
    json_add_text(data, name, value);
}

static void begin_report(struct lab *lab, const struct subcommand *s)
{
    const struct environment *e = &lab->environment;
    lab->json = json_object();
    JSON_NUMBERS(lab->json, {"schema", SCHEMA}, {"threads", e->threads},
                 {"cuda_driver", e->cuda_driver}, {"cuda_runtime", e->cuda_runtime});
    JSON_TEXTS(lab->json, {"program", check_program}, {"subcommand", s->name},
               {"version", build_info.version}, {"revision", build_info.revision},
               {"date", e->date}, {"host", e->host}, {"cpu", e->cpu},
               {"gpu", e->gpu[0] ? e->gpu : NULL}, {"backend", lab->backend->name},
               {"tuning", tuning_path()});
    lab_options_visit(s->options, &lab->options, add_option, json_add_object(lab->json, "options"));
}

/* The file is opened before anything is measured, so that a wrong name is known early. */
static enum status measure(struct lab *lab, const struct subcommand *s)
{
    char message[512] = "";
    const bool writes = lab->options.json && comm_rank() == 0;
    struct output_file *file = writes ? output_file_open("json", lab->options.json) : NULL;
    if (worst(writes && !file ? STATUS_SYSTEM : STATUS_VALID) != STATUS_VALID)
        return STATUS_SYSTEM;
    environment_read(&lab->environment);
    begin_report(lab, s);
    enum status status = s->run(lab, message, sizeof message);
    if (message[0])
        program_refuse(status, message);
    const bool complete = status == STATUS_VALID || status == STATUS_INVALID;
    if (complete)
        json_add_flag(lab->json, "valid", status == STATUS_VALID);
    if (file && !complete)
        output_file_discard(file);
    else if (file && !json_write(file, lab->json))
        status = STATUS_SYSTEM;
    json_destroy(lab->json);
    return worst(status);
}

static enum status run_subcommand(const struct subcommand *s, int argc, char **argv)
{
    struct lab lab = {.backend = NULL};
    char message[512];
    enum status status =
        lab_options_parse(s->options, &lab.options, argc, argv, message, sizeof message);
    status = check_options_agree(s->options, &lab.options, status, message, sizeof message);
    if (status == STATUS_VALID && lab.options.help) {
        print_subcommand_help(s);
        option_release(s->options, &lab.options);
        return STATUS_VALID;
    }
    if (status == STATUS_VALID)
        status = environment_check(message, sizeof message);
    if (status == STATUS_VALID)
        status = choose_backend(&lab, message, sizeof message);
    if (status == STATUS_VALID && option_find(s->options, "tuning", 0))
        status = tuning_choose(lab.options.tuning, lab.backend->on_device, message, sizeof message);
    status = status == STATUS_VALID ? measure(&lab, s) : program_refuse(status, message);
    cuda_close();
    option_release(s->options, &lab.options);
    return status;
}

static enum status run(int argc, char **argv)
{
    char message[256];
    if (comm_rank() > 0 && !freopen("/dev/null", "w", stdout))
        die(STATUS_SYSTEM, "/dev/null: cannot be opened");
    if (argc < 2) {
        snprintf(message, sizeof message,
                 "missing subcommand, such as machine, memory or kernel; --help lists all");
        return program_refuse(STATUS_USAGE, message);
    }
    if (strcmp(argv[1], "--help") == 0) {
        print_help();
        return STATUS_VALID;
    }
    if (strcmp(argv[1], "--list-kernels") == 0) {
        cuda_list_kernels(stdout);
        return STATUS_VALID;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("hpgmg-lab %s\n  revision    %s\n  compiler    %s\n", build_info.version,
               build_info.revision, build_info.compiler);
        return STATUS_VALID;
    }
    const struct subcommand *s = find_subcommand(argv[1], message, sizeof message);
    if (s && comm_size() > 1 && !s->on_several_ranks) {
        snprintf(message, sizeof message, "%s works on one rank; run it without mpirun", s->name);
        return program_refuse(STATUS_USAGE, message);
    }
    return s ? run_subcommand(s, argc - 1, argv + 1) : program_refuse(STATUS_USAGE, message);
}

int main(int argc, char **argv)
{
    program_start("hpgmg-lab", argc, argv);
    return program_end(run(argc, argv));
}
