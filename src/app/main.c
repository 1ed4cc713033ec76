/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-gpu: options -> hierarchy -> benchmark -> report. */
#include <stdio.h>
#include <string.h>
#include "app/benchmark.h"
#include "app/disturb.h"
#include "app/json_report.h"
#include "app/options.h"
#include "app/report.h"
#include "app/run_info.h"
#include "app/threshold.h"
#include "app/timeline.h"
#include "app/transport.h"
#include "base/check.h"
#include "base/memory.h"
#include "cli/option_check.h"
#include "cli/build_info.h"
#include "cli/command_line.h"
#include "cli/environment.h"
#include "cli/tuning_choice.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "solvers/size.h"

/* Refuses a size whose fields do not fit into the memory of a node or of a GPU. */
static enum status check_memory(const struct hierarchy_choice *choice, char *message, int size)
{
    const bool on_device = choice->backend->on_device;
    struct memory_need need = memory_need_of_node(choice);
    const bool node_fits = memory_need_fits(&need);
    if (node_fits && on_device)
        need = memory_need_of_gpu(choice);
    if (memory_need_fits(&need))
        return STATUS_VALID;
    snprintf(message, (size_t)size,
             "this size needs %.0f bytes of memory per %s, but %.0f are available; choose fewer "
             "boxes or a smaller LOG2_BOX_DIM",
             need.needed, node_fits ? "GPU" : "node", need.available);
    return STATUS_MEMORY;
}

/* What "auto" leaves open on GPUs, and threads for levels on the CPU. */
static void choose_thresholds(struct options *o, struct hierarchy_choice *choice)
{
    if (o->agglomerate_below == 0 && comm_size() > 1)
        o->agglomerate_below = threshold_try_agglomeration(o);
    if (o->cpu_below == 0)
        o->cpu_below = threshold_try_cpu(o);
    else
        threshold_try_threads(o);
    *choice = benchmark_hierarchy_choice(o, true);
}

/* note: a warning, or "", to print once nothing can be refused any more. */
static enum status run_benchmark(const struct options *o, const struct hierarchy_choice *choice,
                                 const char *note)
{
    struct output_file *json, *timeline; /* rank 0's */
    if (!json_file_open("json", o->json, &json))
        return STATUS_SYSTEM;
    if (!json_file_open("timeline", o->timeline, &timeline)) {
        if (json)
            output_file_discard(json);
        return STATUS_SYSTEM;
    }
    if (note[0] && comm_rank() == 0)
        warn("%s", note);
    struct hierarchy *h = hierarchy_create(choice);
    if (disturb)
        disturb(h);
    report_hierarchy(h, o);
    struct benchmark *b = benchmark_run(h, o);
    enum status status = b->verdict.valid ? STATUS_VALID : STATUS_INVALID;
    report_results(h, o, b);
    if (o->json && !json_report_write(json, h, o, b))
        status = STATUS_SYSTEM;
    if (o->timeline && !timeline_write(timeline, b->timeline, o, b->sizes[0].mean))
        status = STATUS_SYSTEM;
    benchmark_destroy(b);
    hierarchy_destroy(h);
    return status;
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

static enum status choose_kernels(const struct options *o, bool on_gpu, char *message, int size)
{
    char reason[256];
    const bool all = !o->kernels || strcmp(o->kernels, "default") == 0;
    if (!all && !(on_gpu && cuda_choose_kernels(o->kernels, reason, sizeof reason))) {
        snprintf(message, (size_t)size, "--kernels: %s",
                 on_gpu ? reason : "all levels run on the CPU, whose loops --loops chooses");
        return STATUS_USAGE;
    }
    if (on_gpu && o->fuse == FUSE_OFF)
        cuda_leave_out_tail();
    return STATUS_VALID;
}

/* Where the levels live, how they exchange messages, and with which kernels. note: see
 * gpu_choose(). */
static enum status choose_machine(const struct options *o, bool *on_gpu, char *note, char *message,
                                  int size)
{
    enum status status = gpu_choose(o->backend, "all levels run on the CPU", on_gpu, note, size);
    if (status != STATUS_VALID)
        snprintf(message, (size_t)size, "%s", note);
    if (disturb)
        disturb(NULL);
    if (status == STATUS_VALID)
        status = transport_choose(o, *on_gpu, message, size);
    if (status == STATUS_VALID)
        status = choose_kernels(o, *on_gpu, message, size);
    if (status == STATUS_VALID)
        status = tuning_choose(o->tuning, *on_gpu, message, size);
    return status;
}

static enum status run(int argc, char **argv)
{
    struct options options;
    char message[512] = "", note[512] = "";
    bool on_gpu = false;
    enum status status = options_parse(&options, argc, argv, message, sizeof message);
    status = check_options_agree(&options_list, &options, status, message, sizeof message);
    if (status != STATUS_VALID)
        return program_refuse(status, message);
    if (options.help || options.version || options.list_kernels) {
        if (comm_rank() == 0)
            answer_request(&options);
        return STATUS_VALID;
    }
    status = environment_check(message, sizeof message);
    if (status == STATUS_VALID)
        status = choose_machine(&options, &on_gpu, note, message, sizeof message);
    struct hierarchy_choice choice = benchmark_hierarchy_choice(&options, on_gpu);
    if (status == STATUS_VALID)
        status = size_check(&choice, comm_size(), message, sizeof message);
    if (status == STATUS_VALID && options.dry_run)
        report_dry_run(&choice, &options);
    else if (status == STATUS_VALID)
        status = check_memory(&choice, message, sizeof message);
    if (status == STATUS_VALID && !options.dry_run && on_gpu)
        choose_thresholds(&options, &choice);
    if (status != STATUS_VALID)
        program_refuse(status, message);
    else if (!options.dry_run)
        status = run_benchmark(&options, &choice, note);
    cuda_close();
    option_release(&options_list, &options);
    return status;
}

int main(int argc, char **argv)
{
    return program_main("hpgmg-gpu", argc, argv, run);
}
