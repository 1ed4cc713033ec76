#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# With MPICH, messages, collectives and plans are right, and results are bitwise identical to this build's. Builds with
# mpicc.mpich, as Debian names it beside Open MPI's; MPICH's ranks poll, so there are at most two of them here.
set -u
: "${HPGMG:?is set by tests/run-all}"
for command in mpicc.mpich mpirun.mpich; do
    command -v $command >/dev/null || { echo "no $command (Debian: mpich, libmpich-dev)"; exit 77; }
done
build=build/mpich
tests=(comm_test message_trial_test plan_test)
make --no-print-directory -j "$(nproc --all)" CC=gcc MODE=release MPICC=mpicc.mpich CUDA=0 BUILD=$build $build/hpgmg-gpu \
    "${tests[@]/#/$build/tests/mpi/}" >/dev/null || exit 1
bad=0
for test in "${tests[@]}"; do
    timeout 300 mpirun.mpich -n 2 "$build/tests/mpi/$test" >"$TMPDIR/log" 2>&1 || { bad=1 && cat "$TMPDIR/log"; }
done

# checksum COMMAND...: what the run prints of its solution
checksum() {
    "$@" --backend cpu --quiet --checksum --solves 1 2>&1 | sed -n 's/^checksum: //p'
}

for options in "--order 2 4 8" "--order 4 --boundary periodic --cycle v --rtol 1e-3 4 8" \
    "--order 4 --smoother chebyshev --agglomerate-below 5000 4 8"; do
    # shellcheck disable=SC2086  # options are words
    {
        ours=$(checksum "$HPGMG" $options)
        theirs=$(checksum mpirun.mpich -n 2 $build/hpgmg-gpu ${options% *} 4)
    }
    if [ -z "$ours" ] || [ "$ours" != "$theirs" ]; then
        echo "$options: ${ours:-no answer} and ${theirs:-no answer}"
        bad=1
    fi
done
exit $bad
