#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Verdicts of whole runs: right answers are VALID, wrong ones are not, and a run whose accuracy
# cannot be judged says so. tests/app/verdict_test.c tries the checks one by one.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
}

# verdict ARGUMENT...: sets status, and verdict to the last line of stdout
verdict() {
    run "$HPGMG" --backend cpu --quiet --solves 1 "$@"
    verdict=${lines[-2]#VERDICT: }
}

# expect STATUS PATTERN ARGUMENT...
expect() {
    local wanted=$1 pattern=$2
    shift 2
    verdict "$@"
    # shellcheck disable=SC2053  # a pattern
    if [ "$status" -ne "$wanted" ] || [[ $verdict != $pattern ]]; then
        echo "$*: status $status, $verdict"
        return 1
    fi
}

# On one level, IDR calls the bottom solver in the middle of a step.
@test "IDR and the bottom solver on one level" {
    for bottom in bicgstab cg smooth; do
        for size in "2 1" "2 27"; do
            # shellcheck disable=SC2086
            expect 0 "VALID*" --solver idr --bottom $bottom $size
        done
    done
    expect 0 "VALID*" --solver idr 2 343
}

@test "a coarsest level that is not solved makes a wrong answer" {
    expect 1 "INVALID (h: error *" --problem p6 --equation helmholtz --boundary periodic --bottom smooth 4 27
    expect 0 "VALID*" --problem p6 --equation helmholtz --boundary periodic --bottom bicgstab 4 27
}

@test "smoothing that stops short of its tolerance is reported" {
    run "$HPGMG" --backend cpu --solves 1 --problem p6 --equation helmholtz --boundary periodic --bottom smooth 4 27
    [[ $output == *"hpgmg-gpu: warning: bottom solver: too few sweeps in "* ]]
}

@test "a tolerance that is reached too early for a right answer" {
    expect 1 "INVALID (h: error *" --cycle v --rtol 0.99 --order 4 6 1
    expect 0 VALID --cycle v --order 4 6 1
}

@test "what cannot be judged is not called checked" {
    expect 0 "VALID (accuracy not checked: the grid is too coarse to tell)" --problem p4 --boundary periodic --order 4 3 1
    expect 0 "VALID (accuracy not checked: too coarse: error *" --problem sine --order 4 6 1
    expect 0 "VALID (accuracy not checked: *" --order 4 2 1
}

@test "a right-hand side that is rounding noise on 4h is no failure" {
    expect 0 "VALID (accuracy not checked: *" --problem p4 --boundary periodic --smoother l1jacobi --coefficients constant --order 4 3 1
}

@test "10000 cycles may be asked for" {
    expect 1 "INVALID (h: limited by rounding errors*" --max-cycles 10000 --rtol 1e-30 3 1
    expect 0 "VALID*" --max-cycles 1023 --rtol 1e-8 3 1
}

@test "every check is printed with its result" {
    run "$HPGMG" --backend cpu --solves 1 --problem sine 5 8
    for line in "residual +all +passed" "repetition +all +passed" "error +h +passed" \
        "order +h +not checked .*too coarse"; do
        grep -qE "^  $line" <<<"$output"
    done
}

# --- the score -----------------------------------------------------------------------------------

@test "--benchmark sets what the rules fix, and refuses another value" {
    local report=$BATS_TEST_TMPDIR/report.json
    run "$HPGMG" --backend cpu --quiet --benchmark --solves 1 --json "$report" 4 8
    [ "$status" -eq 0 ]
    [[ ${lines[-1]} =~ ^SCORE:\ [0-9.e+]+\ DOF/s\ at\ h\ .*at\ 4h\ .*\ \(custom:\ 32768\ unknowns\ per\ node\ \<\ 2\^24\; ]]
    [ "$(jq -r '[.config.order, .config.bottom, .config.benchmark, .score.official] | @csv' "$report")" = '"4","bicgstab","true",false' ]
    jq -r '.config | to_entries[] | .key + " = " + .value' "$report" >"$BATS_TEST_TMPDIR/again"
    run "$HPGMG" --quiet --input "$BATS_TEST_TMPDIR/again"
    [ "$status" -eq 0 ]
    run "$HPGMG" --backend cpu --benchmark --order 2 4 8
    [ "$status" -eq 2 ]
    [[ $output == *"error: --benchmark: runs with --order 4 only"* ]]
    run "$HPGMG" --backend cpu --quiet --solves 1 --order 4 --coefficients constant --cycle v 3 8
    [[ ${lines[-1]} == *"(custom: --coefficients constant; --cycle v; --rtol 1e-10; --benchmark false; 4096 unknowns"* ]]
}

@test "mixed precision has a division of its own, and keeps the rules" {
    local report=$BATS_TEST_TMPDIR/report.json
    run "$HPGMG" --backend cpu --quiet --benchmark --precision mixed --solves 1 --json "$report" 4 8
    [ "$status" -eq 0 ]
    [[ $output == *"warning: no level has more than 262144 cells: all are in double precision"* ]]
    [[ ${lines[-1]} != *"--precision"* ]]
    [ "$(jq -r .score.division "$report")" = mixed ]
    run "$HPGMG" --backend cpu --quiet --precision mixed --single-above 500 --order 4 --solves 1 4 8
    [ "$status" -eq 0 ]
    [[ $output != *"double precision"* && ${lines[-1]} == *"--single-above 500"* ]]
    for smoother in gsrb chebyshev; do # only the first is bound by memory
        run "$HPGMG" --backend cpu --quiet --precision mixed --single-above 500 --order 2 --smoother $smoother --solves 1 4 8
        [ "$status" -eq 0 ]
        [ $smoother = chebyshev ] || [[ $output == *"warning: --precision mixed gains little or nothing here"* ]]
        [ $smoother = gsrb ] || [[ $output != *"gains little"* ]]
    done
    "$HPGMG" --backend cpu --quiet --solves 1 --json "$report" 4 8 >/dev/null
    [ "$(jq -r .score.division "$report")" = double ]
    run "$HPGMG" --backend cpu --precision single 4 8
    [ "$status" -eq 2 ]
    [[ $output == *"error: --precision: "*"double, mixed"* ]]
}

@test "run/check-result: a result that keeps the rules, and one that breaks each of them" {
    local report=$BATS_TEST_TMPDIR/report.json edit
    "$HPGMG" --backend cpu --quiet --benchmark --solves 1 --json "$report" 4 8 >/dev/null
    jq '.environment.revision = "abc" | .problem.dof = 16777216
        | .solves[] |= (.samples = [5.8, 5.9, 6, 6, 6, 6, 6, 6, 6.5, 9] | .dof_per_second = .dof / 6)' "$report" >"$report.good"
    run run/check-result "$report.good"
    [ "$status" -eq 0 ]
    [[ $output == "| "*" | 1 | 1 | 32³ | 5.461e+03 | 6.827e+02 | 8.533e+01 | - | - | abc | 20"*" |" ]]
    jq '.score.division = "mixed"' "$report.good" >"$report.mixed"
    run run/check-result "$report.mixed"
    [ "$status" -eq 0 ]
    [[ $output == *" | 32³, mixed | "* ]]
    jq '.solves[0].gpu = {joules_per_solve: 19.8216, dof_per_joule: 6771278.4}' "$report.good" >"$report.gpu"
    PYTHONIOENCODING=ascii run run/check-result "$report.gpu"
    [ "$status" -eq 0 ]
    [[ $output == "| "*" | 32³ | 5.461e+03 | 6.827e+02 | 8.533e+01 | 19.82 | 6.771e+06 | abc | 20"*" |" ]]
    for edit in '.config.order = "2"' '.problem.dof = 16777215' '.solves[1].samples[0] = 1' 'del(.solves[2])' \
        '.solves[0].samples = [.solves[0].samples[0]]' '.solves[0].dof_per_second *= 1.01' '.verdict = "INVALID"' \
        '.accuracy_checked = false' '.environment.revision = "abc-dirty"' '.environment.nodes = 2' \
        '.config.domain = "exact"' '.config.atol = "1e-5"' '.config.benchmark = "false"' 'del(.config.benchmark)' '.environment.revision = "unknown"' \
        '.environment.revision = ""' '.checks[1].state = "failed"' '.checks[0].state = "not checked"' \
        '.solves[2].samples = [6, 6, 6, 6, 6, 7, 7, 7, 7, 7] | .solves[2].dof_per_second = .solves[2].dof / 6.5' \
        '.solves[2].samples = [5, 6, 7, 5, 6, 7, 5, 6, 7, 6]'; do
        jq "$edit" "$report.good" >"$report.bad"
        run run/check-result "$report.bad"
        [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ] || { echo "$edit: status $status, $output"; return 1; }
    done
    for edit in '.solves[0].samples = [range(10) | 0] + [60]' 'del(.checks)' '.solves = []' '.solves[0].samples = 1'; do
        jq "$edit" "$report.good" >"$report.bad"
        run run/check-result "$report.bad"
        [ "$status" -ne 0 ] && [[ $output != *Traceback* ]] || { echo "$edit: status $status, $output"; return 1; }
    done
    run run/check-result /dev/null
    [ "$status" -eq 2 ]
}

# Every rule that the program enforces is on the page and in run/check-result, and no other is.
@test "the rules of the program, of docs/BENCHMARK.md and of run/check-result are the same" {
    PYTHONPATH=run python3 - <<'PYTHON'
import re
from importlib.machinery import SourceFileLoader
score = open("src/app/rules.c", encoding="utf-8").read() + open("src/app/rules.h", encoding="utf-8").read()
table = re.search(r"\} rules\[\] = \{(.*?)\};", score, re.S).group(1)
program = dict(re.findall(r'\{"([a-z-]+)", "(.*?)"\}', table))
assert len(program) >= 15, program
check = SourceFileLoader("check", "run/check-result").load_module()
assert check.RULES == program, (check.RULES, program)
page = open("docs/BENCHMARK.md", encoding="utf-8").read()
rules = re.search(r"\n## Rules\n(.*?)\n## ", page, re.S).group(1)
named = dict(re.findall(r"`--([a-z-]+) ([a-z0-9]+)`", rules))
assert {**named, "benchmark": "true"} == program, set(named.items()) ^ set(program.items())
assert "`--benchmark`, which sets " in rules
seconds = re.search(r"MIN_SOLVES = (\d+), MIN_SECONDS = (\d+)", score).groups()
assert seconds == (str(check.MIN_SOLVES), str(check.MIN_SECONDS)), seconds
assert f"At least {seconds[0]} solves, and at least {seconds[1]} seconds of solves" in rules
assert f'BENCHMARK_MIN_TIME "{seconds[1]}"' in score
noise = re.search(r"define NOISE ([0-9.]+)", open("src/app/record.h", encoding="utf-8").read()).group(1)
assert float(noise) == check.NOISE and f"{check.NOISE * 100:.0f} %" in rules
PYTHON
}

# --- the cycle -----------------------------------------------------------------------------------

# checksum RANKS ARGUMENT...
checksum() {
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$1" "$HPGMG" --backend cpu --quiet --checksum --solves 1 "${@:2}" | sed -n 's/^checksum: //p'
}

@test "sweeps, weight, levels and W-cycles: one answer for any loops, fusion and ranks" {
    local options one answers=""
    for options in "--cycle w --sweeps 1,1" "--cycle v --sweeps 0,3 --order 4" "--smoother jacobi --sweeps 3,2 --cycle w" \
        "--smoother chebyshev --sweeps 8,7 --order 4" "--weight 1.1 --levels 3 --cycle v" "--levels 1 --cycle v"; do
        # shellcheck disable=SC2086  # several options
        one=$(checksum 1 $options 3 8)
        answers+="$one "
        # shellcheck disable=SC2086
        [ "$one" ] && [ "$(checksum 1 --loops plain $options 3 8)" = "$one" ] &&
            [ "$(checksum 1 --fuse off $options 3 8)" = "$one" ] && [ "$(checksum 3 $options 3 3)" = "$one" ] ||
            { echo "$options"; return 1; }
    done
    [ "$(tr ' ' '\n' <<<"$answers" | sort -u | grep -c .)" -eq 6 ]
    run "$HPGMG" --backend cpu --weight 0.9 --smoother chebyshev 3 8
    [ "$status" -eq 2 ]
    run "$HPGMG" --backend cpu --sweeps 0,0 3 8
    [[ $output == *"--sweeps: wrong value '0,0'; legal: auto, or 2 integers from 0 to 100 with ',' between them"* ]]
}

# cycles ARGUMENT...: how many reach the tolerance
cycles() {
    "$HPGMG" --backend cpu --quiet --solves 1 --rtol 1e-9 --json "$BATS_TEST_TMPDIR/r.json" "$@" 4 8 >/dev/null
    jq '.solves[0].cycles' "$BATS_TEST_TMPDIR/r.json"
}

@test "more sweeps and W-cycles need fewer cycles, a weight of its own changes nothing" {
    local one three w
    one=$(cycles --cycle v --sweeps 1,1) three=$(cycles --cycle v --sweeps 3,3) w=$(cycles --cycle w --sweeps 1,1)
    [ "$one" -gt "$three" ] && [ "$one" -ge "$w" ] && [ "$three" -eq "$(cycles --cycle v)" ]
    [ "$(checksum 1 --weight 1 3 8)" = "$(checksum 1 3 8)" ]
    [ "$(checksum 1 --sweeps 3,3 --levels 4 3 1)" = "$(checksum 1 3 1)" ]
}
