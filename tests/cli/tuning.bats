#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Files of tuned choices: what is wrong in one is named with its line; the shipped ones are right; without a GPU a good one
# changes nothing, and the lab does not tune.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    export CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    file=$BATS_TEST_TMPDIR/tuning.txt
}

solve() { # OPTION...
    run "$HPGMG" --backend cpu --quiet --solves 1 --checksum "$@" 3 1
}

# refused MESSAGE LINE...: a file of those lines ends the run with one line and status 2
refused() {
    local message=$1
    shift
    printf '%s\n' "$@" >"$file"
    solve --tuning "$file"
    [ "$status" -eq 2 ]
    [ "$output" = "hpgmg-gpu: error: $file:$message" ]
}

head1="hpgmg-gpu tuning 1"
head2="device NVIDIA H200"

@test "good files change nothing without a GPU" {
    solve --tuning none
    [ "$status" -eq 0 ]
    local expected=$output
    for shipped in tuning/*.txt; do
        solve --tuning "$shipped"
        [ "$status" -eq 0 ]
        [ "$(grep checksum <<<"$output")" = "$(grep checksum <<<"$expected")" ]
    done
    printf '%s\n' "$head1" "$head2" "" "# a word" "  " "4 residual+norm helmholtz 96 16 0" >"$file"
    solve --tuning "$file"
    [ "$status" -eq 0 ]
}

@test "every shipped file is named after its device" {
    for shipped in tuning/*.txt; do
        device=$(sed -n '2s/^device //p' "$shipped")
        [ "$shipped" = "tuning/${device// /-}.txt" ]
    done
}

@test "no such file" {
    solve --tuning "$file"
    [ "$status" -eq 2 ]
    [ "$output" = "hpgmg-gpu: error: $file: No such file or directory" ]
}

@test "the lab reads the same files" {
    for words in "kernel --stage smooth" ladder; do
        # shellcheck disable=SC2086
        run "$HPGMG_LAB" $words --backend cpu --samples 1 --tuning "$file" 8
        [ "$status" -eq 2 ]
        [ "$output" = "hpgmg-lab: error: $file: No such file or directory" ]
        # shellcheck disable=SC2086
        run "$HPGMG_LAB" $words --backend cpu --samples 1 --tuning tuning/NVIDIA-H200.txt 8
        [ "$status" -eq 0 ]
        [[ $output != *"tuning: "* ]] # a CPU follows none
    done
}

@test "another version, and lines that are wrong" {
    refused "1: does not begin with 'hpgmg-gpu tuning 1'" "hpgmg-gpu tuning 2" "$head2"
    refused "2: does not name the device" "$head1" "2 smooth poisson 64 20 8"
    refused "1: ends before it has named the device" "$head1"
    refused "3: is not ORDER STAGE EQUATION N ROWS PLANES" "$head1" "$head2" "2 smooth poisson 64 20 8 1"
    refused "3: no kernel is tuned for stage 'prolong'" "$head1" "$head2" "2 prolong poisson 64 20 8"
    refused "3: 'laplace' is neither poisson nor helmholtz" "$head1" "$head2" "2 smooth laplace 64 20 8"
}
@test "a choice given twice" {
    refused "5: a second choice for order 2, smooth, poisson, 64^3" "$head1" "$head2" "2 smooth poisson 64 20 8" \
        "2 smooth helmholtz 64 20 8" "2 smooth poisson 64 10 4"
}
@test "what no kernel can do" {
    local numbers
    for numbers in "3 smooth 64 20 8" "2 smooth 64 19 8" "2 smooth 64 20 7" "4 smooth 64 20 8"; do
        read -r order stage n rows planes <<<"$numbers"
        refused "4: no kernel of order $order can do $stage on $n^3 with $rows rows and $planes planes" \
            "$head1" "$head2" "#" "$order $stage poisson $n $rows $planes"
    done
}
@test "too many choices" {
    mapfile -t lines < <(seq -f "2 smooth poisson %g 20 8" 64 192)
    refused "131: more than 128 choices" "$head1" "$head2" "${lines[@]}"
}

@test "the lab tunes GPUs only" {
    run "$HPGMG_LAB" tune --backend cpu --output "$file"
    [ "$status" -eq 3 ]
    [ "$output" = "hpgmg-lab: error: tune: what is tuned are kernels of a GPU" ]
    run "$HPGMG_LAB" tune --output "$file"
    [ "$status" -eq 3 ]
    [ "$output" = "hpgmg-lab: error: tune: what is tuned are kernels of a GPU, and there is none (--backend gpu says why)" ]
    [ ! -e "$file" ]
}
