# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# What tests need to start ranks of $HPGMG (./hpgmg-gpu): MPIRUN, and few threads that sleep while they wait, since there
# may be fewer cores than ranks.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} OMP_WAIT_POLICY=passive
project=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
# The library and its version, as the program names them.
mpi=$("${HPGMG:-./hpgmg-gpu}" --version 2>/dev/null | sed -n 's/^ *MPI *//p')
case $mpi in
# Programs of `make MPI=0` run on one rank, whatever MPIRUN was, and tests that want more are skipped. Tests that call make
# must not build the folder anew with MPI.
none*) export MPI=0 MPIRUN=$project/tests/one-rank ;;
MPICH*) [ ! -e "${BUILD:-}/tests/yielding.so" ] || export LD_PRELOAD=$BUILD/tests/yielding.so ;;
esac
# shellcheck source=run/mpi.sh
. "$project/run/mpi.sh"

# Runs a command and sets status; its output is in $work/stdout and $work/stderr, and shown if the test fails.
# shellcheck disable=SC2154  # work is the test's
catch() { # COMMAND...
    status=0
    "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    echo "$*: status $status; stdout:"
    cat "$work/stdout"
    echo "stderr:"
    cat "$work/stderr"
}
