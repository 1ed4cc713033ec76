#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `make MPI=0`: a program that needs no MPI library, gives the same answer, and is not started several times.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    work=$BATS_TEST_TMPDIR
}

checksum() { # PROGRAM ARGUMENT...
    "$1" --backend cpu --quiet --checksum --solves 1 "${@:2}" | grep '^checksum: '
}

@test "a build without mpicc has no libmpi, says so, and gives the same checksums" {
    local options serial=$work/serial/hpgmg-gpu
    # Compiled in a quarter of the time without optimisation, which changes no bit.
    env -u MAKEFLAGS -u MAKELEVEL -u MODE make --no-print-directory -j2 MPI=0 MPICC=false CUDA=0 CFLAGS=-O0 \
        BUILD="$work/serial" "$serial" >"$work/log" 2>&1 || { cat "$work/log"; false; }
    run ldd "$serial"
    [ "$status" -eq 0 ]
    [[ $output == *libgomp* && $output != *libmpi* ]]
    "$serial" --version | grep -qE '^ *MPI +none \(make MPI=0\)$'
    for options in "--order 2 4 8" "--order 4 --boundary periodic 3 8" "--order 4 --boundary neumann --agglomerate-below 1000 3 8"; do
        # shellcheck disable=SC2086  # several options
        [ "$(checksum "$serial" $options)" = "$(checksum "$HPGMG" $options)" ]
    done
}

@test "settings of MPI=0 have a build folder of their own, and do without mpicc" {
    run env -u MAKEFLAGS -u MAKELEVEL -u MODE -u BUILD make --no-print-directory CC=gcc MPI=0 MPICC=false info
    [ "$status" -eq 0 ]
    grep -qE '^BUILD +build/gcc-release-serial$' <<<"$output"
    ! grep -E '^(INCLUDES|ALL_NVCCFLAGS) .*(openmpi|mpich)' <<<"$output"
}

@test "a program that a launcher of several ranks started alone is refused" {
    for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS; do
        # MPI libraries may look for the launcher that the others tell of.
        "$HPGMG" --version | grep -qE '^ *MPI +none' || [ $variable = SLURM_STEP_NUM_TASKS ] || continue
        run env $variable=2 "$HPGMG" --backend cpu --quiet 3 1
        echo "$variable: status $status: $output"
        [ "$status" -eq 3 ]
        [[ $output == *"error: the launcher started several ranks ($variable=2), but each is alone with its MPI library: "* ]]
        env $variable=1 "$HPGMG" --backend cpu --quiet 3 1 | grep -q '^VERDICT: VALID'
    done
}
