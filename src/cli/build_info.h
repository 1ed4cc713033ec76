/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_BUILD_INFO_H
#define CLI_BUILD_INFO_H
/* What the program was built from, and how. */

const char *build_version(void);      /* of the program */
const char *build_git_revision(void); /* "unknown" outside git; ends in -dirty if files differ */
const char *build_compiler(void);     /* first line of its --version */
const char *build_flags(void);        /* of the compiler */

#endif
