#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# HPGMG_TUNING, a row of tile sizes to try: a wrong one is refused, also without a GPU, where a right one changes nothing.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    export CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
}

@test "a right row changes nothing without a GPU" {
    local row
    for row in none "" "2 smooth poisson 512 20 24" "4 residual+norm helmholtz 96 16 0"; do
        HPGMG_TUNING=$row run "$HPGMG" --backend cpu --solves 1 3 1
        [ "$status" -eq 0 ]
        [[ $output != *"tuning"* ]]
    done
}

@test "wrong rows" {
    local row program
    for row in "2 smooth poisson 64 20" "2 smooth poisson 64 20 8 1" "2 prolong poisson 64 20 8" "2 smooth laplace 64 20 8" \
        "3 smooth poisson 64 20 8" "2 smooth poisson 64 19 8" "2 smooth poisson 64 20 7" "4 smooth poisson 64 20 8" None; do
        for program in "$HPGMG --solves 1 3 1" "$HPGMG_LAB ladder --samples 1 8"; do
            # shellcheck disable=SC2086  # words
            HPGMG_TUNING=$row run $program --backend cpu
            echo "$row: $status $output"
            [ "$status" -eq 2 ]
            [[ $output == *"error: HPGMG_TUNING: '$row' is neither none nor ORDER STAGE EQUATION N ROWS PLANES of a kernel" ]]
        done
    done
}

@test "the lab tunes GPUs only" {
    run "$HPGMG_LAB" tune --backend cpu
    [ "$status" -eq 3 ]
    [ "$output" = "hpgmg-lab: error: tune: what is tuned are kernels of a GPU" ]
    run "$HPGMG_LAB" tune
    [ "$status" -eq 3 ]
    [ "$output" = "hpgmg-lab: error: tune: what is tuned are kernels of a GPU, and there is none (--backend gpu says why)" ]
}
