/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_OPTIONS_TABLE_H
#define APP_OPTIONS_TABLE_H
/* The table behind options.h: one row per option. To add an option: one member of struct options
 * and one row. */
#include "app/options.h"
#include "cli/option.h"

extern const struct option_row option_table[];
extern const int option_count;
extern const struct option_list options_list; /* the same as a list */

#endif
