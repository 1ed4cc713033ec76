/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-gpu: options -> hierarchy -> benchmark -> record -> report. */
#include <stdio.h>
#include "app/benchmark.h"
#include "app/disturb.h"
#include "app/options.h"
#include "app/report.h"
#include "config/setup.h"
#include "app/simulation.h"
#include "app/solution_file.h"
#include "app/timeline.h"
#include "base/check.h"
#include "base/memory.h"
#include "cli/option_check.h"
#include "cli/build_info.h"
#include "cli/command_line.h"
#include "config/environment.h"
#include "config/memory_need.h"
#include "cli/output_file.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "solvers/size.h"

/* Refuses a size whose fields do not fit into the memory of a node or of a GPU, and names one that
 * does. */
static enum status check_memory(const struct hierarchy_choice *choice, char *message, int size)
{
    struct memory_need need;
    const char *where = memory_shortage(choice, &need);
    if (!where)
        return STATUS_VALID;
    const struct hierarchy_choice largest = memory_largest(*choice);
    const int length =
        snprintf(message, (size_t)size,
                 "this size needs %.0f bytes of memory per %s, but %.0f are available; ",
                 need.needed, where, need.available);
    snprintf(message + length, (size_t)(size - length),
             largest.boxes_per_rank > 0
                 ? "the largest size that fits is LOG2_BOX_DIM %d, BOXES_PER_RANK %ld"
                 : "no size fits",
             largest.log2_box_dim, largest.boxes_per_rank);
    return STATUS_MEMORY;
}

static void answer_request(const struct options *options)
{
    if (options->help)
        options_print_help(stdout);
    else if (options->list_kernels)
        cuda_list_kernels(stdout);
    else
        report_version();
}

/* One run, from the command line on. */
struct job {
    struct options options;
    struct hierarchy_choice choice;
    bool solves;                                    /* not only a request or a dry run */
    char note[512];                                 /* a warning, or "" */
    struct output_file *json, *timeline, *solution; /* rank 0's, if asked for */
};

static void discard(struct output_file *file)
{
    if (file)
        output_file_discard(file);
}

/* Opens the output files before the first solve, so a run cannot fail after solving. */
static enum status open_files(struct job *job)
{
    const struct options *o = &job->options;
    if (output_file_open_together("json", o->json, 0, &job->json) &&
        output_file_open_together("timeline", o->timeline, 0, &job->timeline) &&
        solution_file_open(o->write_solution, &job->choice, &job->solution))
        return STATUS_VALID;
    discard(job->json);
    discard(job->timeline);
    return STATUS_SYSTEM;
}

/* Machine, levels and memory of a run. */
static enum status choose_run(struct job *job, char *message, int size)
{
    const struct options *o = &job->options;
    bool on_gpu = false;
    enum status status = environment_check(message, size);
    if (status == STATUS_VALID)
        status = setup_gpu(&o->solver, &on_gpu, job->note, message, size);
    if (disturb)
        disturb(NULL);
    if (status == STATUS_VALID)
        status = setup_machine(&o->solver, on_gpu, message, size);
    job->choice = benchmark_hierarchy_choice(o, on_gpu);
    if (status == STATUS_VALID && o->ranks > 0)
        return simulation_run(&job->choice, o, message, size);
    if (status == STATUS_VALID)
        status = size_check(&job->choice, comm_size(), message, size);
    if (status != STATUS_VALID)
        return status;
    if (o->dry_run)
        report_dry_run(&job->choice, o);
    status = check_memory(&job->choice, message, size);
    if (status == STATUS_VALID && on_gpu && !o->dry_run)
        setup_thresholds(&job->options.solver, &job->choice);
    return status;
}

/* Everything that can be refused, before anything is solved. */
static enum status prepare(struct job *job, int argc, char **argv)
{
    struct options *o = &job->options;
    char message[512] = "";
    enum status status = options_parse(o, argc, argv, message, sizeof message);
    status = check_options_agree(&options_list, o, status, message, sizeof message);
    if (status == STATUS_VALID && (o->help || o->version || o->list_kernels)) {
        if (comm_rank() == 0)
            answer_request(o);
        return STATUS_VALID;
    }
    if (status == STATUS_VALID)
        status = choose_run(job, message, sizeof message);
    if (status != STATUS_VALID)
        return program_refuse(status, message);
    job->solves = !o->dry_run;
    return job->solves ? open_files(job) : STATUS_VALID;
}

static enum status report(const struct job *job, const struct hierarchy *h, const struct record *r)
{
    const struct options *o = &job->options;
    enum status status = r->verdict.valid ? STATUS_VALID : STATUS_INVALID;
    report_results(r);
    if (o->json && !report_write_json(job->json, r))
        status = STATUS_SYSTEM;
    if (o->timeline && !timeline_write(job->timeline, r->timeline, o, r->sizes[0].mean))
        status = STATUS_SYSTEM;
    if (o->write_solution && !solution_file_write(job->solution, h))
        status = STATUS_SYSTEM;
    return status;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    program_start("hpgmg-gpu", argc, argv);
    enum status status = prepare(&job, argc, argv);
    if (status == STATUS_VALID && job.solves) {
        if (job.note[0] && comm_rank() == 0)
            warn("%s", job.note);
        struct hierarchy *h = hierarchy_create(&job.choice);
        if (disturb)
            disturb(h);
        struct record *r = record_create(&job.options, h);
        report_hierarchy(r, h);
        benchmark_run(r, h, &job.options);
        status = report(&job, h, r);
        record_destroy(r);
        hierarchy_destroy(h);
    }
    cuda_close();
    option_release(&options_list, &job.options);
    return program_end(status);
}
