/* SPDX-License-Identifier: BSD-3-Clause */
/* The only file that is compiled with the macros about the build, so that a new revision compiles
 * nothing else. */
#include "cli/build_info.h"

const struct build_info build_info = {BUILD_VERSION, BUILD_GIT_REVISION, BUILD_COMPILER,
                                      BUILD_FLAGS};
