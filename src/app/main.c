/* SPDX-License-Identifier: BSD-3-Clause */
/* hpgmg-gpu: options -> hierarchy -> benchmark -> report. */
#include <stdio.h>
#include <string.h>
#include "app/benchmark.h"
#include "app/delay.h"
#include "app/fault.h"
#include "app/json_report.h"
#include "app/options.h"
#include "app/options_table.h"
#include "app/progress.h"
#include "app/report.h"
#include "app/threshold.h"
#include "app/transport.h"
#include "base/check.h"
#include "base/memory.h"
#include "cli/option_check.h"
#include "cli/build_info.h"
#include "cli/command_line.h"
#include "cli/gpu_choice.h"
#include "cli/thread_stack.h"
#include "cli/tuning_choice.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "solvers/size.h"

/* Says on rank 0 why the run cannot be; every rank returns the same status. */
static enum status refuse(enum status status, char *message)
{
    message_make_one_line(message);
    if (comm_rank() == 0)
        fprintf(stderr, "hpgmg-gpu: error: %s\n", message);
    return status;
}

/* Refuses a size whose fields do not fit: `needed` by the ranks that share one memory, of which
 * `available` bytes are left on the rank that has least. 0 available: unknown. All ranks agree. */
static enum status check_bytes(double needed, double available, const char *where, char *message,
                               int size)
{
    comm_min_f64(MPI_COMM_WORLD, &available, 1);
    if (available == 0.0 || needed <= available)
        return STATUS_VALID;
    snprintf(message, (size_t)size,
             "this size needs %.0f bytes of memory a %s, %.0f are available; choose fewer boxes or "
             "a smaller LOG2_BOX_DIM",
             needed, where, available);
    return STATUS_MEMORY;
}

static enum status check_memory(const struct hierarchy_choice *choice, char *message, int size)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    const double on_host = (double)hierarchy_bytes(choice, &shape, comm_size(), false);
    const double on_device = (double)hierarchy_bytes(choice, &shape, comm_size(), true);
    const struct cuda_device *gpu = choice->backend->on_device ? cuda_device() : NULL;
    double node_size = comm_node_size(); /* of the fullest node, or ranks would not agree */
    comm_max_f64(MPI_COMM_WORLD, &node_size, 1);
    const int ranks = (int)node_size, gpus = gpu ? gpu->count : 1;
    const int sharing = (ranks + gpus - 1) / gpus;
    enum status status =
        check_bytes(on_host * ranks, (double)memory_available_bytes(), "node", message, size);
    if (status == STATUS_VALID && gpu)
        status = check_bytes(on_device * sharing, (double)gpu->free_bytes, "GPU", message, size);
    return status;
}

/* What is left to choose where there are GPUs. Several of them keep all levels: a level on the CPU
 * would bring the host into cycles that need none. */
static void choose_thresholds(struct options *o, struct hierarchy_choice *choice)
{
    if (o->agglomerate_below == 0 && comm_size() > 1)
        o->agglomerate_below = threshold_try_agglomeration(o);
    if (o->cpu_below == 0)
        o->cpu_below = comm_size() > 1 ? CPU_BELOW_NEVER : threshold_try_cpu(o);
    *choice = benchmark_hierarchy_choice(o, true);
}

static enum status check_environment(const struct options *o, char *message, int size)
{
    if (!o->json || json_report_available())
        return thread_stack_check(message, size);
    snprintf(message, (size_t)size,
             "--json: this build has no cJSON library; README.md says how to add it");
    return STATUS_ENVIRONMENT;
}

/* note: a warning to give once nothing else can be refused, or "". */
static enum status run_benchmark(const struct options *o, const struct hierarchy_choice *choice,
                                 const char *note)
{
    struct json_report *json = NULL;
    if (o->json && !(json = json_report_open(o->json)))
        return STATUS_SYSTEM;
    if (note[0] && comm_rank() == 0)
        warn("%s", note);
    progress_enable(!o->quiet);
    struct hierarchy *h = hierarchy_create(choice);
    char message[256];
    enum status status = delay_install(message, sizeof message);
    if (status == STATUS_VALID)
        status = fault_install(h, message, sizeof message);
    if (status != STATUS_VALID) {
        if (json)
            json_report_discard(json);
        hierarchy_destroy(h);
        return refuse(status, message);
    }
    report_hierarchy(h, o);
    struct benchmark *b = benchmark_run(h, o);
    status = b->verdict.valid ? STATUS_VALID : STATUS_INVALID;
    report_results(h, o, b);
    if (json && !json_report_write(json, h, o, b))
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
    if (!o->kernels || strcmp(o->kernels, "default") == 0)
        return STATUS_VALID;
    if (on_gpu && cuda_choose_kernels(o->kernels, reason, sizeof reason))
        return STATUS_VALID;
    snprintf(message, (size_t)size, "--kernels: %s",
             on_gpu ? reason : "all levels run on the CPU, which has --loops");
    return STATUS_USAGE;
}

static enum status run(int argc, char **argv)
{
    struct options options;
    char message[512] = "";
    enum status status = options_parse(&options, argc, argv, message, sizeof message);
    status = check_options_agree(&options_list, &options, status, message, sizeof message);
    if (status != STATUS_VALID)
        return refuse(status, message);
    if (options.help || options.version || options.list_kernels) {
        if (comm_rank() == 0)
            answer_request(&options);
        return STATUS_VALID;
    }
    status = check_environment(&options, message, sizeof message);
    bool on_gpu = false;
    char note[512] = "";
    if (status == STATUS_VALID)
        status =
            gpu_choose(options.backend, "all levels run on the CPU", &on_gpu, note, sizeof note);
    if (status != STATUS_VALID && note[0])
        snprintf(message, sizeof message, "%s", note);
    if (status == STATUS_VALID)
        status = transport_choose(&options, on_gpu, message, sizeof message);
    if (status == STATUS_VALID)
        status = choose_kernels(&options, on_gpu, message, sizeof message);
    if (status == STATUS_VALID)
        status = tuning_choose(options.tuning, on_gpu, message, sizeof message);
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
        refuse(status, message);
    else if (!options.dry_run)
        status = run_benchmark(&options, &choice, note);
    cuda_close();
    options_release(&options);
    return status;
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    enum status status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "hpgmg-gpu: error: standard output could not be written whole\n");
        status = STATUS_SYSTEM;
    }
    comm_finish();
    return status;
}
