/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_OPTION_CHECK_H
#define CLI_OPTION_CHECK_H
/* Whether all ranks were started alike. Each reads its own command line, and a launcher that is
 * told to, a wrapper or a file that differs from node to node can make these differ; ranks that
 * disagree would wait for each other for ever. */
#include "base/status.h"
#include "cli/option.h"

/* Collective over the world. `status` and `message` are what reading the options of the list left
 * on this rank. Returns STATUS_VALID if that is what all ranks got, and the same options; else on
 * all ranks the same status and message, which names a rank if it is not rank 0's own, and options
 * are released. Of paths the first 255 bytes count. */
enum status check_options_agree(const struct option_list *list, void *options, enum status status,
                                char *message, int size);

#endif
