#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables "Coefficients that jump" of docs/NUMERICS.md are what the program prints.
set -eu
cd "$(dirname "$0")/../.."
diff <("$BUILD/tests/library/jumps_test" cpu --table) \
    <(sed -n '/^| `mg` | 1e+02/,/^$/p; /^| `idr` | 1e+02/,/^$/p; /^| `auto` | 1e+02/,/^$/p' docs/NUMERICS.md)
