#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The CPU's loops over rows are vectorised, also those that select cells by colour: each function
# has arithmetic on vectors of doubles in the machine code. (Their results are the same without.)
set -euo pipefail
archive=$BUILD/modules.a
case $(uname -m):$BUILD in x86_64:*-release) ;; *)
    echo "skipped: not an optimised build for x86-64"
    exit 77
    ;;
esac
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
for name in fv2_residual fv2_weighted fv2_coloured fv2_two_step fv2_constant_coloured fv4_coloured; do
    code=$(objdump -d --no-show-raw-insn "$archive" | awk -v name="<$name>:" '$2 == name { inside = 1 } /^$/ { inside = 0 } inside')
    # The last loop of fv4_coloured has D⁻¹'s product; those of its fluxes have none.
    grep -qE 'v?(mul|fmadd[0-9]*)pd' <<<"$code" || { echo "$name: no vectors"; exit 1; }
done
