/* SPDX-License-Identifier: BSD-3-Clause */
/* How rows of a table of options are written: a file that has one defines AT(member), where the
 * member lies in its struct of options, and includes this. */
#include "cli/option.h"

#define ANYWHERE (OPTION_COMMAND_LINE | OPTION_FILE)
#define SHAPES .uses = ANYWHERE | OPTION_SHAPES
#define CHOICE(member, list, first)                                                                \
    .kind = OPTION_CHOICE, AT(member), SHAPES, .choices = (list), .initial = (first)
#define SIDES(member, list, first)                                                                 \
    .kind = OPTION_SIDES, AT(member), SHAPES, .choices = (list), .initial = (first)
#define NUMBER(type, member, first) .kind = (type), AT(member), SHAPES, .initial = (first)
#define FLAG(member) .kind = OPTION_FLAG, AT(member), .uses = ANYWHERE, .unset = "false"
#define REQUEST(member)                                                                            \
    .kind = OPTION_FLAG, AT(member), .uses = OPTION_COMMAND_LINE | OPTION_REQUEST, .unset = "false"
#define PATH(member) .kind = OPTION_PATH, AT(member), .unset = "", .argument = "FILE"
