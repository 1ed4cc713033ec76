#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The sources are formatted, the scripts can be read, and clang has no warnings.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v clang >/dev/null || { echo "no clang"; exit 77; }
# Another version breaks some lines elsewhere.
clang-format --version 2>/dev/null | grep -q 'version 14\.' || { echo "no clang-format 14"; exit 77; }
# The build's own settings, such as MODE=asan, would reach make through the environment.
env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory lint >/dev/null
