/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that is compiled with the macros about the build, so that a new revision compiles
 * nothing else. */
#include "cli/build_info.h"

const char *build_version(void)
{
    return BUILD_VERSION;
}

const char *build_git_revision(void)
{
    return BUILD_GIT_REVISION;
}

const char *build_compiler(void)
{
    return BUILD_COMPILER;
}

const char *build_flags(void)
{
    return BUILD_FLAGS;
}
