#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `make MPI=0`: src/serial in the place of an MPI library. No program runs as copies that do not know of each other.
# slow_serial.sh compares a whole program.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    work=$BATS_TEST_TMPDIR
}

# The tests' own settings would reach make through the environment.
makes() { # WORD...
    env -u MAKEFLAGS -u MAKELEVEL -u MODE -u BUILD make --no-print-directory CC=gcc MPI=0 CUDA=0 "$@"
}

@test "collectives, messages and files of one rank need no MPI library" {
    local objects=() tests=() file
    for file in src/comm/*.c src/base/check.c src/base/memory.c src/base/timer.c; do
        objects+=("$work/serial/$file.o")
    done
    for file in comm_test file_test; do
        tests+=("$work/serial/tests/mpi/$file.c.o")
    done
    makes MPICC=false CFLAGS=-O1 BUILD="$work/serial" "${objects[@]}" "${tests[@]}" >"$work/log" 2>&1 || { cat "$work/log"; false; }
    for file in comm_test file_test; do
        gcc -o "$work/$file" "$work/serial/tests/mpi/$file.c.o" "${objects[@]}" -lcmocka -lm
        "$work/$file"
        ! ldd "$work/$file" | grep libmpi
    done
}

@test "a switch of make is 0 or 1" {
    local wrong
    for wrong in CUDA=yes CUDA= MPI=no PROFILE=2 V=yes; do
        run makes "$wrong" info
        [ "$status" -eq 2 ]
        [[ $output == *": *** $wrong: a switch is 0 or 1.  Stop." ]]
    done
}

@test "settings of MPI=0 have a build folder of their own, and no header of an MPI library" {
    run makes info
    [ "$status" -eq 0 ]
    grep -qE '^BUILD +build/gcc-release-serial$' <<<"$output"
    ! grep -E '^(INCLUDES|ALL_NVCCFLAGS) .*-I[^ ]*mpi' <<<"$output"
}

@test "a program that a launcher of several ranks started alone is refused" {
    for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS; do
        # MPI libraries may look for the launcher that the others tell of.
        "$HPGMG" --version | grep -qE '^ *MPI +none' || [ $variable = SLURM_STEP_NUM_TASKS ] || continue
        run env $variable=2 "$HPGMG" --backend cpu --quiet 3 1
        echo "$variable: status $status: $output"
        [ "$status" -eq 3 ]
        [[ $output == *"error: the launcher started several ranks ($variable=2), but each is alone with its MPI library: "* ]]
        env $variable=1 "$HPGMG" --backend cpu --quiet --solves 1 3 1 | grep -q '^VERDICT: VALID'
    done
}
