#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Results of gcc and clang are bitwise identical. The test is skipped if there is no clang.
set -u
: "${HPGMG:?is set by tests/run-all}"
. tests/support/ranks.bash
if ! command -v clang >/dev/null; then
    echo "no clang to compare with"
    exit 77
fi
make --no-print-directory CC=clang MODE=release CUDA=0 build/clang-release/hpgmg-gpu >/dev/null || exit 1
bad=0

# checksum PROGRAM ARGUMENTS...: of a run that is VALID and ends with status 0; else nothing
checksum() {
    local program=$1 output
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    output=$($MPIRUN -n 1 "$program" --backend cpu --quiet --checksum --solves 1 "$@" 5 1) &&
        grep -q '^VERDICT: VALID' <<<"$output" && sed -n 's/^checksum: //p' <<<"$output"
}

for options in "--order 2" "--order 4" "--order 4 --smoother chebyshev --boundary periodic" \
    "--order 2 --smoother l1jacobi --equation helmholtz" "--problem p6 --order 4" "--solver idr --boundary periodic" \
    "--coefficients constant --order 4 --smoother jacobi"; do
    # shellcheck disable=SC2086  # options are words
    ours=$(checksum "$HPGMG" $options) theirs=$(checksum build/clang-release/hpgmg-gpu $options)
    if [ -z "$ours" ] || [ "$ours" != "$theirs" ]; then
        echo "$options: ${ours:-no answer} and ${theirs:-no answer}"
        bad=1
    fi
done
exit $bad
