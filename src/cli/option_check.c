/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/option_check.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "comm/comm.h"

enum { VALUE_SIZE = 256 };

/* All options as text, in the table's order. */
struct values {
    char text[MAX_OPTIONS][VALUE_SIZE];
};

static void describe(struct values *values, const struct option_list *list, const void *options)
{
    memset(values, 0, sizeof *values);
    for (int i = 0; i < list->count; i++) {
        char buffer[OPTION_TEXT_SIZE];
        snprintf(values->text[i], VALUE_SIZE, "%s", option_text(&list->rows[i], options, buffer));
    }
}

/* All ranks take status and message of the first rank that failed. */
static int fail_like(int rank, int status, char *message, int size)
{
    if (comm_rank() == rank && rank > 0) {
        char own[512];
        snprintf(own, sizeof own, "%s", message);
        snprintf(message, (size_t)size, "rank %d: %s", rank, own);
    }
    comm_broadcast_from(comm_world(), rank, &status, sizeof status);
    comm_broadcast_from(comm_world(), rank, message, size);
    return status;
}

/* The first option that differs from rank 0's, as its index times the number of ranks plus this
 * rank; INT64_MAX if none differs. */
static int64_t first_difference(const struct option_list *list, const struct values *own,
                                const struct values *first)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(own->text[i], first->text[i]) != 0)
            return (int64_t)i * comm_size() + comm_rank();
    return INT64_MAX;
}

static enum status compare(const struct option_list *list, const void *options, char *message,
                           int size)
{
    static struct values own, first;
    describe(&own, list, options);
    first = own;
    comm_broadcast(comm_world(), &first, sizeof first);
    const int64_t difference = comm_min_i64(comm_world(), first_difference(list, &own, &first));
    if (difference == INT64_MAX)
        return STATUS_VALID;
    const int row = (int)(difference / comm_size()), rank = (int)(difference % comm_size());
    const struct option_row *option = &list->rows[row];
    comm_broadcast_from(comm_world(), rank, own.text[row], VALUE_SIZE);
    snprintf(message, (size_t)size,
             "%s%s: rank 0 has '%s', rank %d '%s'; all ranks need the same options",
             option_dashes(option), option_word(option), first.text[row], rank, own.text[row]);
    return STATUS_USAGE;
}

int check_statuses_agree(int status, char *message, int size)
{
    const int64_t failing = comm_min_i64(comm_world(), status != 0 ? comm_rank() : comm_size());
    return failing < comm_size() ? fail_like((int)failing, status, message, size) : 0;
}

enum status check_options_agree(const struct option_list *list, void *options, enum status status,
                                char *message, int size)
{
    CHECK(list->count <= MAX_OPTIONS);
    const bool parsed = status == STATUS_VALID;
    status = (enum status)check_statuses_agree(status, message, size);
    if (status == STATUS_VALID)
        status = compare(list, options, message, size);
    if (status != STATUS_VALID && parsed)
        option_release(list, options);
    return status;
}
