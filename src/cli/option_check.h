/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Checks that all ranks have the same options. Each rank reads its own command line, which
 * launchers, wrappers and files that differ between nodes can make different; ranks that disagree
 * would deadlock. */
#include "base/status.h"
#include "cli/option.h"

/* All ranks return status and message of the first rank whose status is not 0; 0 if there is none.
 * The message then names the rank, unless it is 0. Collective over the world. */
int check_statuses_agree(int status, char *message, int size);

/* `status` and `message` are this rank's result of reading the options. Returns STATUS_VALID if all
 * ranks read the same options without an error. Else all ranks return the same status and message,
 * which names the rank unless it is 0, and options are released. Compares the first 255 bytes of
 * texts. Collective over the world. */
enum status check_options_agree(const struct option_list *list, void *options, enum status status,
                                char *message, int size);
