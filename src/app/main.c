/* hpgmg-gpu: options -> hierarchy -> benchmark -> report. */
#include <stdio.h>
#include "app/benchmark.h"
#include "app/build_info.h"
#include "app/json_report.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/report.h"
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"

/* Says on rank 0 why the run cannot be; every rank returns the same status. */
static enum status refuse(enum status status, const char *message)
{
    if (comm_rank() == 0)
        fprintf(stderr, "hpgmg-gpu: error: %s\n", message);
    return status;
}

/* Fields that the fullest rank of a node needs, against what the node has left. All ranks agree. */
static enum status check_memory(const struct hierarchy_choice *choice, char *message, int size)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    const double needed = (double)hierarchy_bytes(choice, &shape, comm_size()) * comm_node_size();
    double available = (double)memory_available_bytes();
    comm_min_f64(MPI_COMM_WORLD, &available, 1);
    if (available == 0.0 || needed <= available)
        return STATUS_VALID;
    snprintf(message, (size_t)size,
             "this size needs %.0f bytes of memory a node, %.0f are available; choose fewer boxes "
             "or a smaller LOG2_BOX_DIM",
             needed, available);
    return STATUS_MEMORY;
}

static enum status check_environment(const struct options *o, char *message, int size)
{
    if (o->backend == BACKEND_GPU) {
        snprintf(message, (size_t)size,
                 "--backend gpu: this build has no GPU backend; use --backend cpu or auto");
        return STATUS_ENVIRONMENT;
    }
    if (o->json && !json_report_available()) {
        snprintf(message, (size_t)size,
                 "--json: this build has no cJSON library; README.md says how to add it");
        return STATUS_ENVIRONMENT;
    }
    return STATUS_VALID;
}

static enum status run_benchmark(const struct options *o, const struct hierarchy_choice *choice)
{
    struct json_report *json = NULL;
    if (o->json && !(json = json_report_open(o->json)))
        return STATUS_SYSTEM;
    progress_enable(!o->quiet);
    struct hierarchy *h = hierarchy_create(choice);
    report_hierarchy(h, o);
    struct benchmark *b = benchmark_run(h, o);
    enum status status = b->nreasons == 0 ? STATUS_VALID : STATUS_INVALID;
    report_results(h, o, b);
    if (json && !json_report_write(json, h, o, b))
        status = STATUS_SYSTEM;
    benchmark_destroy(b);
    hierarchy_destroy(h);
    return status;
}

static enum status run(int argc, char **argv)
{
    struct options options;
    char message[512];
    enum status status = options_parse(&options, argc, argv, message, sizeof message);
    if (status != STATUS_VALID)
        return refuse(status, message);
    if (options.help || options.version) {
        if (comm_rank() == 0 && options.help)
            options_print_help(stdout);
        else if (comm_rank() == 0)
            report_version();
        return STATUS_VALID;
    }
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&options);
    status = check_environment(&options, message, sizeof message);
    if (status == STATUS_VALID && options.dry_run)
        report_dry_run(&choice, &options);
    else if (status == STATUS_VALID)
        status = check_memory(&choice, message, sizeof message);
    if (status != STATUS_VALID)
        refuse(status, message);
    else if (!options.dry_run)
        status = run_benchmark(&options, &choice);
    options_release(&options);
    return status;
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    const enum status status = run(argc, argv);
    comm_finish();
    return status;
}
