/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/option_check.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "comm/comm.h"

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

static enum status compare(const struct option_row *row, const void *options, char *message,
                           int size)
{
    char buffer[OPTION_TEXT_SIZE], own[256], first[256];
    snprintf(own, sizeof own, "%s", option_text(row, options, buffer));
    memcpy(first, own, sizeof first);
    comm_broadcast(comm_world(), first, sizeof first);
    const int64_t own_rank = strcmp(own, first) != 0 ? comm_rank() : comm_size();
    const int other = (int)comm_min_i64(comm_world(), own_rank);
    if (other == comm_size())
        return STATUS_VALID;
    comm_broadcast_from(comm_world(), other, own, sizeof own);
    snprintf(message, (size_t)size,
             "%s%s: rank 0 has '%s', rank %d '%s'; all ranks need the same options",
             option_dashes(row), option_word(row), first, other, own);
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
    const bool parsed = status == STATUS_VALID;
    status = (enum status)check_statuses_agree(status, message, size);
    for (int i = 0; status == STATUS_VALID && i < list->count; i++)
        status = compare(&list->rows[i], options, message, size);
    if (status != STATUS_VALID && parsed)
        option_release(list, options);
    return status;
}
