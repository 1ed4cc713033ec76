#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Wrong command lines and input files as a user meets them: the exit status, one line on stderr, nothing
# on stdout. tests/app/options_test.c has the message for each value.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    work=$(mktemp -d)
}

teardown() {
    rm -rf "$work"
}

hpgmg() { # ARGUMENT...
    catch timeout 100 "$HPGMG" "$@"
}

one_error_line() { # PART of it
    [ "$(grep -c '^hpgmg-gpu: error: ' "$work/stderr")" -eq 1 ] &&
        grep '^hpgmg-gpu: error: ' "$work/stderr" | grep -qF -- "$1" &&
        [ ! -s "$work/stdout" ]
}

# refused PART ARGUMENT...: status 2, and one line that names PART
refused() {
    fails_with 2 "$@"
}

fails_with() { # STATUS PART ARGUMENT...
    local wanted=$1 part=$2
    shift 2
    hpgmg "$@"
    [ "$status" -eq "$wanted" ]
    [ "$(wc -l <"$work/stderr")" -eq 1 ]
    one_error_line "$part"
}

# refused_on RANKS PART ARGUMENT...: the same under mpirun, which adds lines of its own
refused_on() {
    local ranks=$1 part=$2
    shift 2
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    catch $MPIRUN -n "$ranks" "$HPGMG" "$@"
    [ "$status" -eq 2 ]
    one_error_line "$part"
}

@test "wrong command lines" {
    refused "missing LOG2_BOX_DIM"
    refused "LOG2_BOX_DIM: missing value" "" 1
    refused "BOXES_PER_RANK: wrong value '-1'" 3 -1
    refused "unknown option '--check'; --help lists all" --check 3 1
    refused "unknown option" 3 1 --bananas
    refused "--order: wrong value '2?4'" --order $'2\n4' 3 1
    refused "--quiet: given twice" --quiet --quiet 3 1
    refused "contradict" --dry-run --json "$work/report.json" 3 1
    [ ! -e "$work/report.json" ]
}

@test "wrong input files" {
    refused "No such file" --input "$work/none.ini" 3 1
    refused "Is a directory" --input "$work" 3 1
    printf '%s\n' "order = 2" "" "order = 2" >"$work/input.ini"
    refused "input.ini:3: order: given twice" --input "$work/input.ini" 3 1
    echo "log2-box-dim = 3" >"$work/input.ini"
    refused "missing BOXES_PER_RANK" --input "$work/input.ini"
}

# --- the machine ---------------------------------------------------------------------------------

# memory_of RANKS SIZE...: what a size that is too large needs and what there is, in bytes, of each node
memory_of() {
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    catch $MPIRUN -n "$ranks" "$HPGMG" --backend cpu "$@" >&2
    [ "$status" -eq 4 ]
    sed -nE 's/.*: this size needs ([0-9]+) bytes of memory per node, but ([0-9]+) are available;.*/\1 \2/p' "$work/stderr"
}

@test "memory is what all ranks of a node need" {
    local one two
    read -r one _ <<<"$(memory_of 1 10 1000)"
    read -r two _ <<<"$(memory_of 2 10 500)"
    [ $((two * 100)) -gt $((one * 95)) ]
    [ $((two * 100)) -lt $((one * 120)) ]
}

@test "a problem that is half as large again as memory" {
    local needed available n
    read -r needed available <<<"$(memory_of 1 10 1000)"
    # Sizes of n boxes per side lie so close that one is in the middle; 10240 is the side of the first.
    n=$(awk -v needed="$needed" -v available="$available" 'BEGIN {
        wanted = 10240 * (1.45 * available / needed) ^ (1 / 3)
        for (log2 = 4; log2 <= 10; log2++)
            for (side = 5; side <= 11; side++) {
                away = (side * 2 ^ log2 / wanted - 1) ^ 2
                if (!best || away < least) { best = log2 " " side ^ 3; least = away }
            }
        print best
    }')
    # Whoever goes on gets no memory, and says so in other words.
    [[ $HPGMG == *-asan/* ]] || ulimit -v 4000000
    # shellcheck disable=SC2086  # two words
    read -r needed available <<<"$(memory_of 1 $n)"
    [ "$needed" -lt $((2 * available)) ] # memory may come and go between the two calls
}

@test "a GPU where there is none" {
    export CUDA_VISIBLE_DEVICES=
    fails_with 3 "--backend" --backend gpu 3 1
}

# --- on several ranks one line, too --------------------------------------------------------------

@test "three ranks" {
    refused_on 3 "unknown option '--ordr'" --ordr 2 3 1
    echo "order = 3" >"$work/input.ini"
    refused_on 3 "input.ini:1: order: wrong value" --input "$work/input.ini"
}

# apart MESSAGE OPTIONS OPTIONS: rank 0 has the first options, ranks 1 and 2 the others; that is told in one line
apart() {
    # shellcheck disable=SC2086  # commands with options
    run $MPIRUN -n 1 "$HPGMG" --backend cpu --quiet $2 : -n 2 "$HPGMG" --backend cpu --quiet $3
    [ "$status" -eq 2 ]
    [ "$(grep -c 'hpgmg-gpu: error: ' <<<"$output")" -eq 1 ]
    grep -qxF "hpgmg-gpu: error: $1" <<<"$output"
}

@test "ranks apart: values" {
    apart "BOXES_PER_RANK: rank 0 has '1', rank 1 '8'; all ranks need the same options" "3 1" "3 8"
    apart "--json: rank 0 has '$work/report', rank 1 '$work/repOrt'; all ranks need the same options" \
        "--json $work/report 3 1" "--json $work/repOrt 3 1"
}
@test "ranks apart: an error of one, or of rank 0" {
    apart "rank 1: unknown option '--ordr'; --help lists all" "3 1" "--ordr 4 3 1"
    apart "unknown option '--ordr'; --help lists all" "--ordr 4 3 1" "3 1"
}
@test "ranks apart: only one is asked for help" {
    apart "LOG2_BOX_DIM: rank 0 has '3', rank 1 '0'; all ranks need the same options" "3 1" "--help"
}

@test "thresholds mean nothing without a GPU, and nothing is tried" {
    local threshold
    export CUDA_VISIBLE_DEVICES=
    hpgmg --backend cpu --cpu-below auto --checksum --solves 1 3 8
    [ ! -s "$work/stderr" ]
    grep '^checksum: ' "$work/stdout" >"$work/expected"
    for threshold in auto never 4096 1; do
        hpgmg --cpu-below $threshold --checksum --solves 1 3 8
        [ "$status" -eq 0 ]
        grep '^checksum: ' "$work/stdout" | diff "$work/expected" -
        [ "$(grep -c 'Levels on the CPU' "$work/stdout")" -eq 0 ]
    done
}

@test "small levels on one rank" {
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run --agglomerate-below 5000 4 8 >"$work/stdout"
    [ "$(grep -c '^ *[12] .* 1x .* 1  *1  *cpu' "$work/stdout")" -eq 2 ] # 16³ and 8³
    # shellcheck disable=SC2086
    $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run --agglomerate-below never 4 8 >"$work/stdout"
    [ "$(grep -c '^ *1 .* 8x .* 2  *cpu' "$work/stdout")" -eq 1 ]
}

@test "transports between CPUs" {
    local transport
    for transport in auto staged; do
        # shellcheck disable=SC2086
        $MPIRUN -n 2 "$HPGMG" --backend cpu --transport $transport --quiet --solves 1 3 1 | grep -q "VERDICT: VALID"
    done
    for transport in peer cuda-aware; do
        # shellcheck disable=SC2086
        run $MPIRUN -n 2 "$HPGMG" --backend cpu --transport $transport 3 1
        [ "$status" -eq 3 ]
        [[ $output == *"hpgmg-gpu: error: --transport $transport: this run uses no GPUs"* ]]
    done
}

# --- what is asked for ---------------------------------------------------------------------------

@test "--help goes to stdout once and is all that happens" {
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --help >"$work/stdout" 2>"$work/stderr"
    [ ! -s "$work/stderr" ]
    [ "$(grep -c '^Usage: hpgmg-gpu \[options\] LOG2_BOX_DIM BOXES_PER_RANK$' "$work/stdout")" -eq 1 ]
    [ "$(wc -l <"$work/stdout")" -le 58 ]
}

@test "--version names the program and what it was built with" {
    hpgmg --version
    [ "$status" -eq 0 ]
    [ ! -s "$work/stderr" ]
    head -n 1 "$work/stdout" | grep -q '^hpgmg-gpu [0-9]'
    grep -q -- '-ffp-contract=off' "$work/stdout"
}

@test "both sizes from a file" {
    hpgmg --input inputs/smoke.ini
    [ "$status" -eq 0 ]
    tail -n 2 "$work/stdout" | grep -q '^VERDICT: VALID'
}

@test "kernels are those of a GPU" {
    run "$HPGMG" --backend cpu --kernels generic 3 1
    [ "$status" -eq 2 ]
    [ "$output" = "hpgmg-gpu: error: --kernels: all levels run on the CPU, whose loops --loops chooses" ]
    run "$HPGMG" --backend cpu --kernels default --quiet --solves 1 3 1
    [ "$status" -eq 0 ]
}

@test "the kernels of the build are listed without a GPU" {
    run "$HPGMG" --list-kernels
    [ "$status" -eq 0 ]
    if [ "${lines[0]}" != "this build has no GPU kernels" ]; then
        grep -qE '^generic +[a-z]' <<<"$output"
        grep -qE '^tail +[a-z]' <<<"$output"
    fi
}
