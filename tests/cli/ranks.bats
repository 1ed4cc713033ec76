#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every rank is seen: what each measures by itself, a slow one that is named, expected rates that are met or
# missed, and what run/check-result --strict doubts. tests/app/ranks_test.c has the statistics.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    work=$BATS_TEST_TMPDIR
    report=$work/report.json
}

# hpgmg RANKS ARGUMENT...: sets status; $work/stdout and $work/stderr
hpgmg() {
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    catch $MPIRUN -n "$ranks" "$HPGMG${disturbed:-}" --backend cpu --solves 2 "$@"
}

# timed hpgmg RANKS ARGUMENT...: the same, ended after half a minute
timed() {
    local MPIRUN="timeout 30 $MPIRUN"
    "$@"
}

has() { # EXPRESSION: a line of stdout matches
    grep -qE -- "$1" "$work/stdout"
}

lacks() { # EXPRESSION: no line of stdout matches
    ! has "$1"
}

json() { # FILTER
    jq -r "$1" "$report"
}

# refused RANKS PART ARGUMENT...: status 2, one line of error, and nothing was begun
refused() {
    local part=$2
    hpgmg "$1" "${@:3}"
    [ "$status" -eq 2 ] && [ ! -s "$work/stdout" ] && [ "$(grep -c '^hpgmg-gpu: error: ' "$work/stderr")" -eq 1 ] &&
        grep -qF -- "$part" "$work/stderr"
}

# --- what ranks measure --------------------------------------------------------------------------

@test "every rank is in the report" {
    hpgmg 4 --ranks-table --json "$report" 4 2
    [ "$status" -eq 0 ]
    tests/cli/validate_json.py "$report"
    for rate in "copy, GB/s" "smoothing, Gcells/s"; do
        has "^  $rate +4( +[0-9.e+-]+){3}\$"
    done
    [ "$(grep -cE "^ +[0-3]( +[0-9.e+-]+){3} +host $(hostname), processors [0-9,-]+" "$work/stdout")" -eq 4 ]
    [ "$(json '[.rank_table[].rank] | tostring')" = '[0,1,2,3]' ]
    # each of the 4 ranks sends and receives two or three layers of two faces of 32x16 cells and of an edge: 16 bytes a cell
    [ "$(json '.solves[0].stages[] | select(.stage == "halo" and .level == 0) | (.bytes - .calls * 139264) / 75776 | . == floor and . >= 0 and . <= 6')" = true ]
    [ "$(json '[.rank_rates[] | .min <= .median and .median <= .max and .ranks == 4] | all')" = true ]
    [ "$(json '([.rank_table[].copy_bytes_per_second] | add) / .copy_bytes_per_second | . > 0.999 and . < 1.001')" = true ]
}

@test "the most neighbours are not rank 0's" {
    hpgmg 4 --domain 4x1x1 --json "$report" 3 1
    [ "$(json .environment.neighbours)" -eq 2 ]
}

@test "one rank has no table, and --quiet measures nothing" {
    hpgmg 1 --json "$report" 3 8
    [ "$status" -eq 0 ]
    lacks "Rates of single ranks"
    [ "$(json '.rank_table | length')" = 1 ]
    hpgmg 2 --quiet --json "$report" 3 8
    [ "$(json '(.rank_table | length), (.rank_rates | length), .copy_bytes_per_second' | xargs)" = "0 0 null" ]
    hpgmg 2 --quiet --levels 32 3 8
    [ "$(grep -cx "hpgmg-gpu: warning: options without effect on this run: --levels" "$work/stderr")" -eq 1 ]
    tests/cli/validate_json.py "$report"
    refused 1 "--quiet and --ranks-table contradict each other" --quiet --ranks-table 3 8
}

@test "ranks without a box on the finest level, and levels without smoothing" {
    hpgmg 3 --ranks-table --json "$report" 4 1
    [ "$status" -eq 0 ]
    tests/cli/validate_json.py "$report"
    [ "$(json '[.rank_table[].smoothed_cells_per_second | type] | tostring')" = '["number","null","null"]' ]
    hpgmg 2 --ranks-table --json "$report" 4 1
    [ "$status" -eq 0 ]
    [ "$(json '[.rank_table[].smoothed_cells_per_second != null] | tostring')" = '[true,false]' ]
    has "^ +1 +[0-9.]+ +-?[0-9]+ +host"
    hpgmg 2 --boundary periodic --levels 1 --cycle v --json "$report" 3 1
    [ "$status" -eq 0 ]
    [ "$(json '[.rank_table[].smoothed_cells_per_second] | tostring')" = '[null,null]' ]
}

@test "measuring ranks changes no bit of the solution" {
    local options with
    for options in "--order 4" "--solver idr --boundary periodic" "--smoother jacobi --fuse off" "--smoother chebyshev --order 4 --loops plain"; do
        # shellcheck disable=SC2086  # several options
        hpgmg 3 --checksum $options 3 8
        with=$(grep '^checksum' "$work/stdout")
        # shellcheck disable=SC2086
        hpgmg 3 --checksum --quiet $options 3 8
        [ "$with" ]
        [ "$with" = "$(grep '^checksum' "$work/stdout")" ]
    done
}

@test "a slow rank is named, and --strict doubts the times" {
    for rank in 0 2; do
        disturbed=-disturbed HPGMG_SLOW=$rank:20000 hpgmg 3 --json "$report" 3 8
        [ "$status" -eq 0 ]
        has "^  OUTLIER: rank $rank: smoothing at 0\.[0-9]+ of the median of all ranks; host $(hostname),( processors [0-9].*)?$"
        [ "$(json ".rank_outliers[] | select(.rate == \"smoothing\" and .rank == $rank).of_median < 0.5")" = true ]
    done
    # Of two ranks nobody knows which one is as it should be.
    disturbed=-disturbed HPGMG_SLOW=1:20000 hpgmg 2 --json "$report" 3 8
    has "^  UNEQUAL: smoothing: half of the ranks are [0-9.e+]+ times as fast as the others$"
    lacks OUTLIER
    [ "$(json '.rank_outliers[] | select(.rate == "smoothing") | .rank, .of_median > 1.5' | xargs)" = "null true" ]
    tests/cli/validate_json.py "$report"
    run run/check-result --strict "$report"
    [ "$status" -eq 1 ] && [[ $output == *"DOUBTFUL: half of the ranks: smoothing at "* ]]
    disturbed=-disturbed HPGMG_SLOW=1:20000 hpgmg 3 --json "$report" 3 8
    run run/check-result --strict "$report"
    [ "$status" -eq 1 ] && [[ $output == *"DOUBTFUL: rank 1: smoothing at 0."*" of the median of all ranks"* ]]
}

# --- expectations --------------------------------------------------------------------------------

# check RANKS LINE...: run/check-result's answer to the report and these expectations, on so many ranks: sets status and $output
check() {
    local ranks=$1
    shift
    [ "$ranks" -eq 0 ] || hpgmg "$ranks" --json "$report" ${options:-} 3 8
    printf '%s\n' "$@" >"$work/expectations"
    run run/check-result --expect "$work/expectations" "$report"
}

@test "expectations that are met" {
    check 2 "# of any machine" "dof-per-second = 1000" "dof-per-second-2h=1e3" "" "dof-per-second-4h = 1e2" "cycles = 1 # F-cycle" \
        "rank-spread = 1e9"
    [ "$status" -eq 0 ]
    [ "$output" = "EXPECTED: all 5 met" ]
    hpgmg 1 --input inputs/smoke.ini --json "$report"
    run run/check-result --expect inputs/smoke.expect "$report"
    [ "$status" -eq 0 ]
    [ "$output" = "EXPECTED: all 2 met" ]
}

@test "every expectation can be missed: status 1 and a line for each" {
    check 2 "dof-per-second = 1e20" "dof-per-second-2h = 1e3" "dof-per-second-4h = 1e20" "rank-spread = 1e-9" "cycles = 2"
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[0]} =~ ^MISSED:\ dof-per-second:\ [0-9.e+]+,\ expected\ at\ least\ 9.5e\+19$ ]]
    [[ ${lines[1]} =~ ^MISSED:\ dof-per-second-4h:\  ]]
    [[ ${lines[2]} =~ ^MISSED:\ rank-spread:\ [0-9.e+-]+,\ expected\ at\ most\ 1e-09$ ]]
    [ "${lines[3]}" = "MISSED: cycles: 1, expected 2" ]
    check 0 "dof-per-second-2h = 1e20" "cycles = 1" # what is met comes last
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ]
    [ "$(jq '.rank_rates = [{ranks: 3, min: 1, median: 4, max: 5}, {ranks: 1, min: 1, median: 9, max: 9},
        {ranks: 3, min: 4, median: 4, max: 5}]' "$report" >"$work/three" && run/check-result --expect <(echo "rank-spread = 0.74") "$work/three")" = \
        "MISSED: rank-spread: 0.75, expected at most 0.74" ]
    run/check-result --expect <(echo "rank-spread = 0.75") "$work/three"
}

@test "what was not measured is missed, and so is what an INVALID run has" {
    check 1 "rank-spread = 5"
    [ "$status" -eq 1 ]
    [ "$output" = "MISSED: rank-spread: not measured, expected at most 5" ]
    options="--levels 2" check 1 "dof-per-second-4h = 1"
    [ "$output" = "MISSED: dof-per-second-4h: not measured, expected at least 0.95" ]
    options="--rtol 1e-30 --max-cycles 3" check 1 "dof-per-second = 1"
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 2 ]
    [ "${lines[0]}" = "MISSED: dof-per-second: not measured, expected at least 0.95" ]
    [[ ${lines[1]} == "INVALID: h: max-cycles reached"* ]]
}

@test "the tolerance is a part of the rate" {
    local rate
    check 1 "dof-per-second = 1"
    rate=$(json '.solves[0].dof_per_second * 1e3')
    check 0 "dof-per-second = $rate" "tolerance = 0.9999999"
    [ "$status" -eq 0 ]
    check 0 "tolerance = 0.99" "dof-per-second = $rate"
    [ "$status" -eq 1 ]
}

@test "bad files of expectations are refused in one line" {
    local case
    hpgmg 1 --quiet --json "$report" 3 8
    for case in "tolerance = 0.2|expects nothing" "|expects nothing" "dof-per-secnd = 1|:1: dof-per-secnd: unknown key; keys are dof-per-second," \
        "cycles = 1\ncycles = 1|:2: cycles: given twice" "dof-per-second = fast|:1: dof-per-second: wrong value 'fast'; legal: above 0 and below 1e+30" \
        "\ncycles|:2: cycles: wrong value ''" "cycles = nan|:1: cycles: wrong value 'nan'" "tolerance = 1|:1: tolerance: wrong value '1'; legal: above 0 and below 1"; do
        check 0 "$(printf '%b' "${case%|*}")"
        [ "$status" -eq 2 ] && [ "${#lines[@]}" -eq 1 ] && [[ $output == "check-result: error: --expect: $work/expectations"*"${case#*|}"* ]] ||
            { echo "$case: status $status, $output"; return 1; }
    done
    run run/check-result --expect "$work/none" "$report"
    [ "$status" -eq 2 ] && [[ $output == *"No such file"* ]]
}

# --- strict --------------------------------------------------------------------------------------

# steady [FILTER]: run/check-result --strict of the report of the last run with times and ranks that nobody doubts, and edited
steady() {
    jq ".solves[].samples = [range(10) | 1] | .rank_outliers = [] | .warnings = [] | ${1:-.}" "$report" >"$work/steady.json"
    run run/check-result --strict "$work/steady.json"
}

# doubted LINE [FILTER]: status 1 and this line alone
doubted() {
    steady "$2"
    [ "$status" -eq 1 ] && [ "$output" = "$1" ] || { echo "$2: status $status, $output"; return 1; }
}

@test "an option without effect is warned of, and --strict doubts it" {
    local option
    for option in "--transport staged" "--overlap-above 5" "--levels 32"; do
        # shellcheck disable=SC2086
        hpgmg 2 $option --json "$report" 3 8
        [ "$status" -eq 0 ]
        lacks WARNING
        [ "$(grep -cx "hpgmg-gpu: warning: options without effect on this run: ${option% *}" "$work/stderr")" -eq 1 ]
        run run/check-result --strict "$report"
        [ "$status" -eq 1 ] && [[ $output == *"DOUBTFUL: options without effect on this run: ${option% *}"* ]]
    done
    for option in "--loops plain" "--levels 3"; do
        # shellcheck disable=SC2086
        hpgmg 1 $option --json "$report" 3 8
        [ "$(json '[.warnings[] | select(startswith("options"))] | length')" -eq 0 ]
    done
}

@test "--strict doubts noisy times, outliers, ranks that were not measured, and INVALID runs" {
    hpgmg 2 --json "$report" 3 8
    steady
    [ "$status" -eq 0 ] && [ "$output" = "STRICT: nothing to doubt" ]
    doubted "DOUBTFUL: 2h: noisy, spread or drift of 11.0 %, not at most 10 %" '.solves[1].samples = [1, 1.11]'
    doubted "DOUBTFUL: h: noisy, spread or drift of inf %, not at most 10 %" '.solves[0].samples = [1]'
    steady '.solves[0].samples = [1, 1.09]'
    [ "$status" -eq 0 ]
    doubted "DOUBTFUL: rank 1: copy at 0.89 of the median of all ranks" '.rank_outliers = [{rank: 1, rate: "copy", of_median: 0.89}]'
    doubted "DOUBTFUL: the ranks were not measured: the run was --quiet" '.rank_table = []'
    doubted "INVALID: h: wrong" '.verdict = "INVALID" | .reasons = ["h: wrong"]'
    run run/check-result --strict --expect <(echo "cycles = 1") "$work/steady.json" # which is INVALID
    [ "$status" -eq 1 ]
    steady
    run run/check-result --strict --expect <(echo "cycles = 1") "$work/steady.json"
    [ "$status" -eq 0 ] && [ "$output" = "EXPECTED: all 1 met
STRICT: nothing to doubt" ]
}

# --- ranks without boxes --------------------------------------------------------------------------

# A rank that takes part in what it has no level for, or not in what all do, makes the others wait for ever.
@test "levels on several ranks, but not on all, have the solution of one rank" {
    # 16 boxes on three ranks, and 2h is two boxes on two of them; eight boxes on nine ranks
    local options one
    # shellcheck disable=SC2086  # several options
    for options in "" "--cycle v --rtol 1e-6 --breakdown" "--boundary periodic --order 4 --solver idr --rtol 1e-6"; do
        hpgmg 1 --checksum --domain 4x2x2 $options 3 16
        one=$(grep '^checksum: ' "$work/stdout")
        timed hpgmg 3 --checksum --domain 4x2x2 --agglomerate-below 600 --timeline "$work/trace" $options 3 6
        [ "$status" -eq 0 ]
        has '^ +1 +16x8x8 +2x +8\^3 +2 +2 '
        has "^$one\$"
    done
    hpgmg 1 --checksum 3 8
    one=$(grep '^checksum: ' "$work/stdout")
    timed hpgmg 9 --checksum --quiet --timeline "$work/trace" 3 1
    [ "$status" -eq 0 ]
    grep -qx "hpgmg-gpu: warning: 1 of 9 ranks have no boxes" "$work/stderr"
    has "^$one\$"
}
