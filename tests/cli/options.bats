#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Wrong command lines and input files as a user meets them: the exit status, one line on stderr, nothing
# on stdout. That each message is the right one for each value is tested in tests/app/options_test.c.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    MPIRUN=${MPIRUN:-mpirun --oversubscribe --timeout 60}
    work=$(mktemp -d)
}

teardown() {
    rm -rf "$work"
}

explain() { # what the last command did, shown if the test fails
    echo "status $status; stdout:"
    cat "$work/stdout"
    echo "stderr:"
    cat "$work/stderr"
}

hpgmg() { # ARGUMENT...
    status=0
    timeout 100 ${bound:-} "$HPGMG" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    explain
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

# refused_file PART LINE...: the same for an input file of these lines
refused_file() {
    local part=$1
    shift
    printf '%s\n' "$@" >"$work/input.ini"
    refused "$part" --input "$work/input.ini" 3 1
}

# refused_on RANKS PART ARGUMENT...: the same under mpirun, which adds lines of its own
refused_on() {
    local ranks=$1 part=$2
    shift 2
    status=0
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$HPGMG" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    explain
    [ "$status" -eq 2 ]
    one_error_line "$part"
}

# --- sizes ---------------------------------------------------------------------------------------

@test "no arguments" { refused "missing LOG2_BOX_DIM"; }
@test "one argument" { refused "missing BOXES_PER_RANK" 3; }
@test "three arguments" { refused "unexpected argument '9'" 3 1 9; }
@test "box size is a word" { refused "LOG2_BOX_DIM: wrong value 'abc'" abc 1; }
@test "number of boxes is a word" { refused "BOXES_PER_RANK: wrong value 'def'" 3 def; }
@test "box size too small" { refused "an integer from 2 to 10" 1 1; }
@test "box size too large" { refused "an integer from 2 to 10" 11 1; }
@test "box size negative" { refused "LOG2_BOX_DIM: wrong value '-3'" -3 1; }
@test "box size overflows" { refused "LOG2_BOX_DIM: wrong value" 4294967299 1; }
@test "box size with trailing junk" { refused "LOG2_BOX_DIM: wrong value '3x'" 3x 1; }
@test "box size is no integer" { refused "LOG2_BOX_DIM: wrong value '3.0'" 3.0 1; }
@test "zero boxes" { refused "BOXES_PER_RANK: wrong value '0'" 3 0; }
@test "negative boxes" { refused "BOXES_PER_RANK: wrong value '-1'" 3 -1; }
@test "number of boxes overflows" { refused "BOXES_PER_RANK" 3 99999999999999999999; }
@test "an empty argument" { refused "LOG2_BOX_DIM: missing value" "" 1; }

# --- names ---------------------------------------------------------------------------------------

@test "misspelt option" { refused "did you mean --smoother?" --smother gsrb 3 1; }
@test "unknown option" { refused "unknown option '--bananas'" --bananas 3 1; }
@test "abbreviated option" { refused "did you mean --checksum?" --check 3 1; }
@test "ambiguous abbreviation" { refused "unknown option '--so'" --so mg 3 1; }
@test "short option" { refused "unknown option '-x'" -x 3 1; }
@test "one dash" { refused "did you mean --order?" -order 2 3 1; }
@test "unknown option after the sizes" { refused "unknown option" 3 1 --bananas; }

# --- values --------------------------------------------------------------------------------------

@test "wrong order" { refused "--order: wrong value '3'; legal: 2, 4" --order 3 3 1; }
@test "wrong equation" { refused "legal: poisson, helmholtz" --equation laplace 3 1; }
@test "wrong boundary" { refused "legal: dirichlet, periodic" --boundary neumann 3 1; }
@test "misspelt choice" { refused "did you mean chebyshev?" --smoother chebychev 3 1; }
@test "wrong bottom solver" { refused "--bottom: wrong value" --bottom gmres 3 1; }
@test "missing value at the end" { refused "--rtol: missing value" 3 1 --rtol; }
@test "missing value before an option" { refused "--json: missing value" --json --quiet 3 1; }
@test "empty value" { refused "--order: missing value" --order= 3 1; }
@test "value for a flag" { refused "--checksum: takes no value" --checksum=1 3 1; }
@test "tolerance not a number" { refused "--rtol: wrong value 'nan'" --rtol nan 3 1; }
@test "tolerance infinite" { refused "--rtol: wrong value 'inf'" --rtol inf 3 1; }
@test "tolerance zero" { refused "--rtol: wrong value '0'" --rtol 0 3 1; }
@test "tolerance negative" { refused "--rtol: wrong value '-1e-8'" --rtol -1e-8 3 1; }
@test "tolerance one" { refused "below 1" --rtol 1 3 1; }
@test "zero cycles" { refused "--max-cycles: wrong value" --rtol 1e-8 --max-cycles 0 3 1; }
@test "zero solves" { refused "--solves: wrong value '0'" --solves 0 3 1; }
@test "no time" { refused "--min-time: wrong value '0'" --min-time 0 3 1; }
@test "a value of two lines" { refused "--order: wrong value '2?4'" --order $'2\n4' 3 1; }

# --- combinations --------------------------------------------------------------------------------

@test "the same option twice" { refused "--order: given twice" --order 2 --order 4 3 1; }
@test "the same flag twice" { refused "--quiet: given twice" --quiet --quiet 3 1; }
@test "quiet and breakdown" { refused "contradict" --quiet --breakdown 3 1; }
@test "dry run and checksum" { refused "contradict" --dry-run --checksum 3 1; }
@test "dry run and JSON" { refused "contradict" --dry-run --json "$work/report.json" 3 1; }
@test "count and time of solves" { refused "contradict" --solves 3 --min-time 1 3 1; }
@test "a threshold for the CPU alone" {
    refused "contradict" --backend cpu --cpu-below 4096 3 1
    refused "--backend cpu has all levels on the CPU" --cpu-below never --backend cpu 3 1
}
@test "cycles without a tolerance" { refused "needs --rtol" --max-cycles 3 3 1; }

# --- input files ---------------------------------------------------------------------------------

@test "missing file" { refused "No such file" --input "$work/none.ini" 3 1; }
@test "a folder as input file" { refused "Is a directory" --input "$work" 3 1; }
@test "unknown key" { refused_file "input.ini:1: unknown key 'bananas'" "bananas = 2"; }
@test "misspelt key" { refused_file "did you mean order?" "ordre = 2"; }
@test "key twice" { refused_file "input.ini:3: order: given twice" "order = 2" "" "order = 2"; }
@test "wrong value in a file" { refused_file "input.ini:2: order: wrong" "# why" "order = 3"; }
@test "empty value in a file" { refused_file "input.ini:1: order: missing value" "order ="; }
@test "a line without =" { refused_file "input.ini:1: expected" "order"; }
@test "a section" { refused_file "input.ini:1: there are no sections" "[run]" "order = 2"; }
@test "input in a file" { refused_file "only allowed on the command line" "input = other.ini"; }
@test "a flag's value" { refused_file "legal: true, false" "quiet = yes"; }
@test "contradiction in a file" { refused_file "contradict" "quiet = true" "breakdown = true"; }

@test "unreadable file" {
    # root reads everything unless it is bound
    [ "$(id -u)" -ne 0 ] || bound="setpriv --bounding-set -dac_override,-dac_read_search"
    echo "order = 2" >"$work/input.ini"
    chmod 0 "$work/input.ini"
    refused "Permission denied" --input "$work/input.ini" 3 1
}

@test "only one size in a file" {
    echo "log2-box-dim = 3" >"$work/input.ini"
    refused "missing BOXES_PER_RANK" --input "$work/input.ini"
}

# --- the machine ---------------------------------------------------------------------------------

@test "a problem larger than memory" { fails_with 4 "memory" 10 1000000; }

# memory_of RANKS SIZE...: what a size that is too large needs and what there is, in bytes, of each node
memory_of() {
    local ranks=$1
    shift
    status=0
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$HPGMG" --backend cpu "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    explain >&2
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

@test "JSON into a folder that is not there" {
    fails_with 5 "$work/none/report.json" --json "$work/none/report.json" 3 1
}

@test "JSON over a folder" { fails_with 5 "$work" --json "$work" 3 1; }

# --- on several ranks one line, too --------------------------------------------------------------

@test "one rank: misspelt option" { refused_on 1 "did you mean --order?" --ordr 2 3 1; }
@test "three ranks: misspelt option" { refused_on 3 "did you mean --order?" --ordr 2 3 1; }
@test "three ranks: no arguments" { refused_on 3 "missing LOG2_BOX_DIM"; }
@test "three ranks: wrong tolerance" { refused_on 3 "--rtol: wrong value" --rtol nan 3 1; }
@test "three ranks: missing file" { refused_on 3 "No such file" --input "$work/none" 3 1; }

# apart MESSAGE OPTIONS OPTIONS: rank 0 has the first options, ranks 1 and 2 the others; that is told in one line
apart() {
    # shellcheck disable=SC2086  # commands with options
    run $MPIRUN -n 1 "$HPGMG" --backend cpu --quiet $2 : -n 2 "$HPGMG" --backend cpu --quiet $3
    [ "$status" -eq 2 ]
    [ "$(grep -c 'hpgmg-gpu: error: ' <<<"$output")" -eq 1 ]
    grep -qxF "hpgmg-gpu: error: $1" <<<"$output"
}

@test "ranks apart: a choice" {
    apart "--order: rank 0 has '2', rank 1 '4'; all ranks need the same options" "3 1" "--order 4 3 1"
}
@test "ranks apart: a size" {
    apart "BOXES_PER_RANK: rank 0 has '1', rank 1 '8'; all ranks need the same options" "3 1" "3 8"
}
@test "ranks apart: a flag" { apart "--checksum: rank 0 has 'true', rank 1 'false'; all ranks need the same options" "--checksum 3 1" "3 1"; }
@test "ranks apart: the end of a long value" {
    apart "--json: rank 0 has '$work/report', rank 1 '$work/repOrt'; all ranks need the same options" \
        "--json $work/report 3 1" "--json $work/repOrt 3 1"
}
@test "ranks apart: an error of one" {
    apart "rank 1: unknown option '--ordr'; did you mean --order?" "3 1" "--ordr 4 3 1"
}
@test "ranks apart: an error of rank 0" { apart "unknown option '--ordr'; did you mean --order?" "--ordr 4 3 1" "3 1"; }
@test "ranks apart: only one is asked for help" {
    apart "LOG2_BOX_DIM: rank 0 has '3', rank 1 '0'; all ranks need the same options" "3 1" "--help"
}
@test "three ranks: wrong value in a file" {
    echo "order = 3" >"$work/input.ini"
    refused_on 3 "input.ini:1: order: wrong value" --input "$work/input.ini"
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
    [ "$(grep -c '^ *[12] .* 1x .* 1  *1  cpu' "$work/stdout")" -eq 2 ] # 16³ and 8³
    # shellcheck disable=SC2086
    $MPIRUN -n 2 "$HPGMG" --backend cpu --dry-run --agglomerate-below never 4 8 >"$work/stdout"
    [ "$(grep -c '^ *1 .* 8x .* 2  cpu' "$work/stdout")" -eq 1 ]
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
@test "wrong transport" { refused "--transport: wrong value 'peers'" --transport peers 3 1; }

@test "wrong threshold" { refused "--cpu-below: wrong value 'always'" --cpu-below always 3 1; }
@test "threshold zero" { refused "--cpu-below: wrong value '0'" --cpu-below 0 3 1; }

# --- what is asked for ---------------------------------------------------------------------------

@test "--help goes to stdout and is all that happens" {
    hpgmg --help
    [ "$status" -eq 0 ]
    [ ! -s "$work/stderr" ]
    grep -q '^Usage: hpgmg-gpu \[options\] LOG2_BOX_DIM BOXES_PER_RANK$' "$work/stdout"
    [ "$(wc -l <"$work/stdout")" -le 48 ]
}

@test "--version names the program and what it was built with" {
    hpgmg --version
    [ "$status" -eq 0 ]
    [ ! -s "$work/stderr" ]
    head -n 1 "$work/stdout" | grep -q '^hpgmg-gpu [0-9]'
    grep -q -- '-ffp-contract=off' "$work/stdout"
}

@test "--help is printed once on three ranks" {
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --help >"$work/stdout"
    [ "$(grep -c '^Usage:' "$work/stdout")" -eq 1 ]
}

@test "both sizes from a file" {
    hpgmg --input inputs/smoke.ini
    [ "$status" -eq 0 ]
    tail -n 1 "$work/stdout" | grep -q '^VERDICT: VALID'
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
