#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --dry-run --ranks: what ranks of a job would set up, against runs of that job and known numbers.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export CUDA_VISIBLE_DEVICES=
    work=$BATS_TEST_TMPDIR
}

simulated() { # ARGUMENT...: its output is in $work/stdout
    "$HPGMG" --backend cpu --dry-run "$@" >"$work/stdout"
}

# row TITLE KEY: the rows of the table whose line begins with the words KEY
row() {
    sed -n "/= $1/,/^$/p" "$work/stdout" | tr -s ' ' | grep -E "^ $2 "
}

@test "ranks of a cube of 2x2x2 have 7 neighbours, 4 of them on the other node" {
    simulated --ranks 8 --ranks-per-node 4 5 1
    [[ "$(row Levels 0)" == " 0 64^3 8x 32^3 8 8 "* ]]
    [[ "$(row Messages '0 halo')" == " 0 halo 8 7.0 7 4.0 4 "* ]]
    [ "$(row Set-up '[0-7] 1 7 4' | wc -l)" -eq 8 ]
}

@test "without --ranks-per-node every neighbour is on another node" {
    simulated --ranks 8 5 1
    [[ "$(row Messages '0 halo')" == " 0 halo 8 7.0 7 7.0 7 "* ]]
}

@test "bytes of fields are those of a dry run of as many ranks" {
    simulated --ranks 2 4 8
    $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run 4 8 >"$work/real"
    local total mean
    total=$(sed -n '/= Hierarchy/,/^$/p' "$work/real" | tr -s ' ' | sed -n 's/^ 0 .* cpu //p')
    mean=$(row Levels 0 | sed 's/.* \([0-9.]* [kMG]*B\) [0-9.]* [kMG]*B$/\1/')
    awk -v t="${total% *}" -v m="${mean% *}" 'BEGIN { exit !(t > 1.99 * m && t < 2.01 * m) }'
}

@test "boxes, cells and bytes above 2^31" {
    simulated --ranks 100000 --ranks-per-node 8 9 8 # 45056^3 cells
    [[ "$(row Levels 0)" == " 0 45056^3 681472x512^3 295328 100000 "*" GB "* ]]
    [[ "$(row Set-up 0)" == " 0 3 7 0 "*" GB "* ]]
    run "$HPGMG" --backend cpu --dry-run --ranks 10000000 4 1000
    [ "$status" -eq 2 ]
    [[ $output == *"boxes, more than 2147483647"* ]]
}

@test "refusals in one line" {
    run "$HPGMG" --backend cpu --ranks 8 5 1
    [ "$status" -eq 2 ]
    [[ $output == *"--ranks: needs --dry-run"* ]]
    run "$HPGMG" --backend cpu --dry-run --ranks-per-node 8 5 1
    [ "$status" -eq 2 ]
    [[ $output == *"--ranks-per-node: needs --ranks"* ]]
    run $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run --ranks 8 5 1
    [ "$status" -ne 0 ]
    [ "$(grep -c "hpgmg-gpu: error: --ranks: one process simulates all ranks" <<<"$output")" -eq 1 ]
    local ranks
    for ranks in 0 -1 1.5 10000001 4294967297; do
        run "$HPGMG" --backend cpu --dry-run --ranks $ranks 5 1
        [ "$status" -eq 2 ]
        [[ $output == *"--ranks: wrong value '$ranks'"* ]]
    done
}
