#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `make MPI=0` without mpicc: the program has no libmpi, says so, and prints the checksums of the program with MPI.
set -u
: "${HPGMG:?is set by tests/run-all}"
cd "$(dirname "$0")/../.." || exit 1
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
# Optimisation would double the time of compiling, and changes no bit.
env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory CC=gcc MPI=0 MPICC=false CUDA=0 CFLAGS=-O0 \
    BUILD="$build" "$build/hpgmg-gpu" >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }

checksum() { # PROGRAM ARGUMENT...
    "$1" --backend cpu --quiet --checksum --solves 1 "${@:2}" | grep '^checksum: '
}

bad=0
ldd "$build/hpgmg-gpu" | grep libmpi && bad=1
"$build/hpgmg-gpu" --version | grep -qE '^ *MPI +none \(make MPI=0\)$' || { echo "--version names an MPI library"; bad=1; }
for options in "--order 2 4 8" "--order 4 --boundary periodic 3 8" \
    "--order 4 --boundary neumann --agglomerate-below 1000 3 8"; do
    # shellcheck disable=SC2086  # several options
    serial=$(checksum "$build/hpgmg-gpu" $options) with_mpi=$(checksum "$HPGMG" $options)
    if [ -z "$serial" ] || [ "$serial" != "$with_mpi" ]; then
        echo "$options: ${serial:-none} without MPI, ${with_mpi:-none} with it"
        bad=1
    fi
done
exit $bad
