/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-lab: measures a machine and single kernels. */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "cli/build_info.h"
#include "cli/option_check.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"
#include "lab/lab.h"
#include "cpu/cpu.h"

enum { SCHEMA = 6 }; /* raised when a key of the report goes away or changes its meaning */

/* The highest status of all ranks, so that no rank waits for one that has given up. */
static enum status worst(enum status status)
{
    return (enum status)comm_max_u64(comm_world(), (uint64_t)status);
}

static const char *name_of(int number, const void *unused)
{
    (void)unused;
    return subcommands[number].name;
}

static void begin_report(struct lab *lab, const struct subcommand *s,
                         const struct option_list *list)
{
    const struct environment *e = &lab->environment;
    char buffer[OPTION_TEXT_SIZE];
    lab->json = json_object();
    JSON_NUMBERS(lab->json, {"schema", SCHEMA}, {"threads", e->threads},
                 {"cuda_driver", e->cuda_driver}, {"cuda_runtime", e->cuda_runtime});
    JSON_TEXTS(lab->json, {"program", check_program}, {"subcommand", s->name},
               {"version", build_info.version}, {"revision", build_info.revision},
               {"date", e->date}, {"host", e->host}, {"cpu", e->cpu},
               {"gpu", e->gpu[0] ? e->gpu : NULL}, {"backend", lab->backend->name},
               {"tuning", cuda_tuning_source()});
    struct json *options = json_add_object(lab->json, "options");
    for (int i = 0; i < list->count; i++)
        if (list->rows[i].uses & OPTION_SHAPES)
            json_add_text(options, list->rows[i].name,
                          option_text(&list->rows[i], &lab->options, buffer));
}

/* The file is opened before anything is measured, so that a wrong name is known early. */
static enum status measure(struct lab *lab, const struct subcommand *s,
                           const struct option_list *list)
{
    struct output_file *file;
    if (!output_file_open_together("json", lab->options.json, 0, &file))
        return STATUS_SYSTEM;
    environment_read(&lab->environment);
    begin_report(lab, s, list);
    refusal[0] = '\0';
    enum status status = s->run(lab);
    if (refusal[0])
        program_refuse(status, refusal);
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

/* The backend that was asked for, with auto the GPU where there is one and else a note, and the
 * tile sizes of its kernels. */
static enum status choose_machine(struct lab *lab)
{
    bool on_gpu;
    enum status status = environment_check(refusal, sizeof refusal);
    if (status != STATUS_VALID)
        return status;
    status =
        gpu_choose(lab->options.backend, "measuring the CPU", &on_gpu, lab->note, sizeof lab->note);
    lab->backend = on_gpu ? &backend_cuda : &backend_cpu;
    if (status != STATUS_VALID)
        return refuse(status, "%s", lab->note);
    return cuda_tuning_choose(on_gpu, refusal, sizeof refusal);
}

static enum status run_subcommand(const struct subcommand *s, int argc, char **argv)
{
    struct lab lab = {.subcommand = s->name};
    const struct option_list *list = lab_options_of(s->name);
    enum status status = lab_options_parse(list, &lab.options, argc, argv, refusal, sizeof refusal);
    status = check_options_agree(list, &lab.options, status, refusal, sizeof refusal);
    if (status == STATUS_VALID && lab.options.help) {
        subcommand_print_help(s);
        option_release(list, &lab.options);
        return STATUS_VALID;
    }
    if (status == STATUS_VALID)
        status = choose_machine(&lab);
    status = status == STATUS_VALID ? measure(&lab, s, list) : program_refuse(status, refusal);
    cuda_close();
    option_release(list, &lab.options);
    return status;
}

/* A request, or a subcommand. */
static enum status run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (comm_rank() > 0 && !freopen("/dev/null", "w", stdout))
        die(STATUS_SYSTEM, "/dev/null: cannot be opened");
    if (argc < 2)
        refuse(STATUS_USAGE,
               "missing subcommand, such as machine, memory or kernel; --help lists all");
    for (const struct request *r = requests; r->name; r++)
        if (strcmp(word, r->name) == 0) {
            r->answer();
            return STATUS_VALID;
        }
    const int s = argc > 1 ? find_name(word, name_of, NULL, "subcommand") : -1;
    if (s >= 0 && (comm_size() == 1 || subcommands[s].on_several_ranks))
        return run_subcommand(&subcommands[s], argc - 1, argv + 1);
    if (s >= 0)
        refuse(STATUS_USAGE, "%s works on one rank; run it without mpirun", word);
    return program_refuse(STATUS_USAGE, refusal);
}

int main(int argc, char **argv)
{
    program_start(lab_program.name, argc, argv);
    return program_end(run(argc, argv));
}
