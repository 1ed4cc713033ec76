#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The report as scripts read it: HPGMG's banner and lines, the verdict, and the JSON report with its
# schema (docs/json-report.schema.json), also where it cannot be written.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    MPIRUN=${MPIRUN:-mpirun --oversubscribe --timeout 60}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    work=$(mktemp -d)
    report=$work/report.json
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
    timeout 100 ${bound:-} "$HPGMG" --backend cpu "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    explain
}

# Permissions of files hold for root too in what hpgmg runs from here on.
bind_root() {
    [ "$(id -u)" -ne 0 ] || bound="setpriv --bounding-set -dac_override,-dac_read_search"
}

hpgmg_on() { # RANKS ARGUMENT...
    local ranks=$1
    shift
    status=0
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$HPGMG" --backend cpu "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
    explain
}

number='[0-9]\.[0-9]{15}e[+-][0-9]{2}'
speed_line="^  h=$number  DOF=$number  time=[0-9]+\.[0-9]{6}  DOF/s=[0-9]\.[0-9]{3}e[+-][0-9]{2}  MPI=[0-9]+  OMP=[0-9]+$"

lines() { # EXPRESSION: how many lines match
    grep -cE -- "$1" "$work/stdout" || true
}

# json EXPRESSION: a Python expression of the report r
json() {
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$report" "$1"
}

valid_json() {
    tests/cli/validate_json.py "$report"
}

# A run that cannot reach its tolerance.
invalid="--rtol 1e-30 --max-cycles 8"

# --- text ----------------------------------------------------------------------------------------

@test "the banner comes first" {
    hpgmg --solves 2 3 8
    [ "$status" -eq 0 ]
    head -n 2 "$work/stdout" | tail -n 1 | grep -qF 'HPGMG-FV Benchmark'
    [ "$(lines 'HPGMG-FV Benchmark')" -eq 1 ]
}

@test "one line for each of h, 2h and 4h, as HPGMG writes them" {
    hpgmg --solves 2 3 8
    [ "$(lines "$speed_line")" -eq 3 ]
    [ "$(lines '  h=6\.250000000000000e-02  DOF=4\.096000000000000e\+03  ')" -eq 1 ]
    [ "$(lines '  h=1\.250000000000000e-01  DOF=5\.120000000000000e\+02  ')" -eq 1 ]
    [ "$(lines '  h=2\.500000000000000e-01  DOF=6\.400000000000000e\+01  ')" -eq 1 ]
}

@test "the only lines with DOF/s= are HPGMG's" {
    hpgmg --breakdown --solves 2 3 8
    [ "$(lines 'DOF/s=')" -eq 3 ]
}

@test "ranks and threads are in HPGMG's line" {
    OMP_NUM_THREADS=2 hpgmg_on 3 --solves 2 3 8
    [ "$status" -eq 0 ]
    [ "$(lines '  MPI=3  OMP=2$')" -eq 3 ]
}

@test "the Richardson error and order, as HPGMG writes them" {
    hpgmg --solves 2 4 8
    [ "$(lines "^  h=3\.125000000000000e-02  \|\|error\|\|=1\.1715928187722[0-9]{2}e-04$")" -eq 1 ]
    [ "$(lines '^  order=-0\.266$')" -eq 1 ]
}

@test "the verdict is the last line" {
    hpgmg --solves 2 3 8
    tail -n 1 "$work/stdout" | grep -q '^VERDICT: VALID'
    [ ! -s "$work/stderr" ]
}

@test "an invalid run has a reason and no speed" {
    # shellcheck disable=SC2086
    hpgmg $invalid --breakdown 3 8
    [ "$status" -eq 1 ]
    tail -n 1 "$work/stdout" | grep -qE '^VERDICT: INVALID \(h: tolerance not reached; .+\)$'
    [ "$(lines 'DOF/s')" -eq 0 ]
    [ "$(lines 'time=')" -eq 0 ]
    [ "$(lines 'GB/s')" -eq 0 ]
}

@test "a quiet run is banner, results and verdict" {
    hpgmg --quiet --checksum --solves 2 3 8
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$work/stdout")" -eq 10 ]
    sed -n '4,6p' "$work/stdout" | grep -cE "$speed_line" | grep -qx 3
    sed -n 7p "$work/stdout" | grep -qE '^  h=.*\|\|error\|\|='
    sed -n 8p "$work/stdout" | grep -qE '^  order='
    sed -n 9p "$work/stdout" | grep -qE '^checksum: [0-9a-f]{16}$'
    sed -n 10p "$work/stdout" | grep -q '^VERDICT: VALID'
}

@test "a quiet invalid run is banner, Richardson analysis and verdict" {
    # shellcheck disable=SC2086
    hpgmg $invalid --quiet 3 8
    [ "$status" -eq 1 ]
    [ "$(wc -l <"$work/stdout")" -eq 6 ]
    sed -n 6p "$work/stdout" | grep -q '^VERDICT: INVALID (.*)$'
}

@test "no checksum unless asked for" {
    hpgmg --solves 2 3 8
    [ "$(lines '^checksum')" -eq 0 ]
}

@test "the checksum is the same on three ranks" {
    hpgmg --quiet --checksum --solves 2 3 27
    local one
    one=$(grep '^checksum' "$work/stdout")
    hpgmg_on 3 --quiet --checksum --solves 2 3 9
    [ "$(grep '^checksum' "$work/stdout")" = "$one" ]
}

@test "lines fit into 100 columns" {
    hpgmg --breakdown --show-cycle --problem p6 --rtol 1e-9 --solves 2 4 8
    [ "$(lines '^.{101}')" -eq 0 ]
    # shellcheck disable=SC2086
    hpgmg $invalid 3 8
    [ "$(sed '$d' "$work/stdout" | grep -cE '^.{101}')" -eq 0 ]
}

@test "every option that shapes the run is echoed" {
    hpgmg --smoother chebyshev --boundary periodic --problem sine --solves 2 3 8
    [ "$(lines 'smoother +chebyshev')" -eq 1 ]
    [ "$(lines 'boundary +periodic')" -eq 1 ]
    [ "$(lines 'boxes-per-rank +8')" -eq 1 ]
}

@test "the names that Benchpark looks for" {
    hpgmg_on 2 --solves 2 3 8
    [ "$(lines '^  n_resources: 2$')" -eq 1 ]
    [ "$(lines '^  total_problem_size: 4096$')" -eq 1 ]
    [ "$(lines '^  process_problem_size: 2048$')" -eq 1 ]
}

@test "a breakdown has a table for each size" {
    hpgmg --breakdown --solves 2 3 8
    [ "$(lines '^===== Time of a solve of size 2?4?h ')" -eq 3 ]
    [ "$(lines 'smooth')" -gt 3 ]
    hpgmg --solves 2 3 8
    [ "$(lines '^===== Time of a solve of size h ')" -eq 1 ]
}

@test "a breakdown on two ranks has the parts of moving data" {
    hpgmg_on 2 --breakdown --solves 2 3 8
    [ "$(lines 'moving data, ms +pack +local +wait +unpack$')" -ge 1 ]
    [ "$(lines '^ +0  halo ')" -ge 1 ]
}

@test "the cycle is shown if asked for" {
    hpgmg --show-cycle --solves 2 3 8
    [ "$(lines '^F-cycle: [0-9]+ stages$')" -eq 1 ]
    [ "$(lines '^VERDICT: VALID')" -eq 1 ]
}

@test "errors against a known solution" {
    hpgmg --problem p6 --solves 2 4 8
    [ "$(lines '\|\|u - exact\|\|')" -eq 1 ]
    hpgmg --solves 2 4 8
    [ "$(lines 'exact')" -eq 0 ]
}

@test "a dry run says what would be and solves nothing" {
    hpgmg_on 2 --dry-run 7 8
    [ "$status" -eq 0 ]
    [ "$(lines '^ +0 +256\^3 +8x128\^3 ')" -eq 1 ]
    [ "$(lines '^  per node +needs [0-9.]+ [kMGTP]?B of .+: (fits|does not fit|unknown)$')" -eq 1 ]
    [ "$(lines 'VERDICT|DOF/s')" -eq 0 ]
}

@test "a dry run of more than fits" {
    hpgmg --dry-run 10 100000
    [ "$(lines '^  per node .*: does not fit$')" -eq 1 ]
}

@test "a dry run and a run agree on bytes" {
    hpgmg --dry-run 3 8
    grep -E '^ +[0-9]+ +[0-9]+\^3 ' "$work/stdout" >"$work/dry"
    hpgmg --solves 2 3 8
    sed -n '/= Hierarchy/,/built/p' "$work/stdout" | grep -E '^ +[0-9]+ +[0-9]+\^3 ' |
        cmp - "$work/dry"
}

# --- the progress line ---------------------------------------------------------------------------

# on_terminal COMMAND: what a terminal shows of a shell command
on_terminal() {
    timeout 100 script -qec "$1" /dev/null </dev/null >"$work/screen"
}

no_progress() { # FILE
    [ "$(grep -cE $'\r|timing h ' "$1")" -eq 0 ]
}

# Long enough for a progress line, if there is one.
long="--backend cpu --min-time 0.3 3 8"

@test "a terminal as stderr gets a progress line, a redirected stdout does not" {
    on_terminal "'$HPGMG' $long >'$work/stdout'"
    grep -q 'timing h ' "$work/screen"
    no_progress "$work/stdout"
    tail -n 1 "$work/stdout" | grep -q '^VERDICT: VALID'
}

@test "a quiet run has no progress line" {
    on_terminal "'$HPGMG' --quiet $long >'$work/stdout'"
    [ ! -s "$work/screen" ]
}

@test "a redirected stderr gets no progress line, nor does a terminal as stdout" {
    on_terminal "'$HPGMG' $long 2>'$work/stderr'"
    [ ! -s "$work/stderr" ]
    grep -q 'VERDICT: VALID' "$work/screen"
    [ "$(grep -c 'timing h ' "$work/screen")" -eq 0 ]
}

@test "files and pipes behind mpirun get no progress line" {
    # shellcheck disable=SC2086
    on_terminal "$MPIRUN -n 2 '$HPGMG' $long >'$work/stdout' 2>'$work/stderr'"
    [ "$(lines '^VERDICT: VALID')" -eq 1 ]
    [ ! -s "$work/stderr" ]
    no_progress "$work/stdout"
    on_terminal "$MPIRUN -n 2 '$HPGMG' $long 2>&1 | cat >'$work/stdout'"
    [ "$(lines '^VERDICT: VALID')" -eq 1 ]
    no_progress "$work/stdout"
}

# --- JSON ----------------------------------------------------------------------------------------

@test "JSON of a plain run" {
    hpgmg --json "$report" --solves 3 4 8
    [ "$status" -eq 0 ]
    valid_json
    [ "$(json '[r["schema"], r["ranks"], r["threads"], r["order"], r["verdict"]]')" = \
        "[1, 1, $OMP_NUM_THREADS, 2, 'VALID']" ]
    [ "$(json '[s["level"] for s in r["solves"]]')" = "['h', '2h', '4h']" ]
    [ "$(json '[s["n"] for s in r["solves"]]')" = "[32, 16, 8]" ]
    [ "$(json 'len(r["solves"][0]["stages"]) > 3 and r["copy_bytes_per_second"] > 0')" = True ]
}

@test "JSON and text say the same" {
    hpgmg --json "$report" --checksum --solves 2 4 8
    grep -qxF "checksum: $(json 'r["checksum"]')" "$work/stdout"
    grep -qF "||error||=$(json '"%0.15e" % r["richardson"]["error"]')" "$work/stdout"
    grep -qF "  DOF/s=$(json '"%0.3e" % r["solves"][0]["dof_per_second"]')  " "$work/stdout"
}

@test "times in JSON follow from its samples" {
    local solves
    for solves in 1 4 5; do
        hpgmg --json "$report" --quiet --solves $solves 4 8
        python3 - "$report" $solves <<'PYTHON'
import json, statistics, sys
report, solves = json.load(open(sys.argv[1])), int(sys.argv[2])
def same(a, b):
    assert abs(a - b) <= 1e-9 * abs(b) + 1e-12, (a, b)
for solve in report["solves"]:
    samples, seconds = solve["samples"], solve["seconds"]
    assert len(samples) == solve["timed_solves"] == solves
    for key in "min", "max":
        same(seconds[key], getattr(__builtins__, key)(samples))
    for key in "mean", "median":
        same(seconds[key], getattr(statistics, key)(samples))
    same(seconds["deviation"], statistics.stdev(samples) if solves > 1 else 0.0)
    same(solve["seconds_per_solve"], seconds["mean"])
    same(solve["dof_per_second"], solve["dof"] / seconds["mean"])
PYTHON
    done
}

@test "the fullest rank is told if it has a tenth more than the mean" {
    hpgmg_on 3 --dry-run 3 9 # 27 boxes, 9 on each
    [ "$(lines 'the fullest rank')" -eq 0 ]
    hpgmg_on 2 --dry-run 3 14 # 27 boxes, 13 and 14
    [ "$(lines 'the fullest rank')" -eq 0 ]
    hpgmg_on 3 --json "$report" --quiet --solves 1 3 3 # 8 boxes: 2, 3 and 3
    [ "$(json '[w for w in r["warnings"] if "fullest" in w]')" = \
        "['the fullest rank has 1.12 times the mean number of cells']" ]
}

@test "JSON of three ranks" {
    hpgmg_on 3 --json "$report" --solves 2 --order 4 3 8
    [ "$status" -eq 0 ]
    valid_json
    [ "$(json '[r[k] for k in ["n_resources", "total_problem_size"]]')" = "[3, 4096]" ]
    [ "$(json 'abs(3 * r["process_problem_size"] - 4096) < 1e-6')" = True ]
    [ "$(json '[r["ranks"], r["order"], r["hierarchy"]["levels"][0]["ranks"]]')" = "[3, 4, 3]" ]
    [ "$(json '[r["environment"][k] for k in ["transport", "neighbours", "neighbours_between_nodes"]]')" = "[None, 2, 0]" ]
}

@test "JSON of a quiet run" {
    hpgmg --json "$report" --quiet --solves 2 3 8
    valid_json
}

@test "JSON of one level" {
    hpgmg --json "$report" --solves 2 --order 4 2 1
    valid_json
    [ "$(json 'r["richardson"]')" = "{'error': None, 'order': None}" ]
}

@test "JSON of conjugate gradients" {
    hpgmg --json "$report" --solver mgpcg --solves 2 3 8
    valid_json
}

@test "JSON has the list of checks" {
    hpgmg --json "$report" --solves 2 5 8
    valid_json
    [ "$(json 'r["accuracy_checked"], len(r["checks"]), {c["state"] for c in r["checks"]}')" = "(True, 8, {'passed'})" ]
    [ "$(json '[c["lowest"] < c["value"] < c["highest"] for c in r["checks"] if c["check"] in ("error", "order")]')" = "[True, True]" ]
    hpgmg --json "$report" --solves 2 3 1
    valid_json
    [ "$(json 'r["verdict"], r["accuracy_checked"], r["checks"][-1]["state"]')" = "('VALID', False, 'not checked')" ]
    # shellcheck disable=SC2086
    hpgmg $invalid --json "$report" 3 8
    [ "$(json '[c["state"] for c in r["checks"][:3]], len(r["reasons"]) >= 3')" = "(['failed', 'failed', 'failed'], True)" ]
}

@test "JSON knows true errors" {
    hpgmg --json "$report" --problem p6 --solves 2 3 8
    valid_json
    [ "$(json 'all(s["true_error"] > 0 for s in r["solves"])')" = True ]
}

@test "JSON of an invalid run has no speed" {
    # shellcheck disable=SC2086
    hpgmg $invalid --json "$report" 3 8
    [ "$status" -eq 1 ]
    valid_json
    [ "$(json 'r["verdict"]')" = INVALID ]
    [ "$(json '[s["dof_per_second"] for s in r["solves"]]')" = "[None, None, None]" ]
}

@test "JSON of an invalid run has no speed of sizes that were timed either" {
    hpgmg --quiet --solver mgpcg --bottom direct --problem p4 --rtol 1e-8 --max-cycles 7 --solves 2 --json "$report" 4 1
    [ "$status" -eq 1 ]
    [ "$(json '[s["timed_solves"] for s in r["solves"]]')" = "[2, 0, 0]" ]
    [ "$(json '[s["dof_per_second"] for s in r["solves"]]')" = "[None, None, None]" ]
}

@test "bytes of a stage are those of all its calls" {
    hpgmg --json "$report" --solves 1 4 8
    # 49 bytes per cell: u written, f, D⁻¹ and three β read, and an eighth of a value for the coarse level.
    [ "$(json '[(s["calls"], s["bytes"] / 49 / (32 >> s["level"]) ** 3) for s in r["solves"][0]["stages"]
        if s["stage"] == "zero+smooth+residual+restrict"]')" = "[(4, 4.0), (3, 3.0), (2, 2.0), (1, 1.0)]" ]
}

@test "the options in JSON make the same run again" {
    hpgmg --json "$report" --checksum --smoother jacobi --rtol 1e-6 --max-cycles 50 --solves 2 3 8
    local first
    first=$(json 'r["checksum"]')
    json '"\n".join(k + " = " + v for k, v in r["config"].items())' >"$work/again.ini"
    hpgmg --input "$work/again.ini" --json "$report"
    [ "$(json 'r["checksum"]')" = "$first" ]
}

@test "an older report is replaced, and nothing is left beside it" {
    echo old >"$report"
    hpgmg --quiet --json "$report" --solves 2 3 8
    valid_json
    [ "$(find "$work" -name 'report*' | wc -l)" -eq 1 ]
}

@test "a symbolic link stays one" {
    ln -s target.json "$report"
    echo old >"$work/target.json"
    hpgmg --quiet --json "$report" --solves 2 3 8
    [ -L "$report" ]
    valid_json
}

@test "JSON to stdout comes after the text" {
    hpgmg --quiet --json /dev/stdout --solves 2 3 8
    [ "$status" -eq 0 ]
    head -n 2 "$work/stdout" | grep -q 'HPGMG-FV'
    sed '1,/^VERDICT/d' "$work/stdout" >"$report"
    valid_json
}

# --- JSON that cannot be written -----------------------------------------------------------------

# not_written ARGUMENT...: status 5, one line on stderr
not_written() {
    hpgmg "$@"
    [ "$status" -eq 5 ]
    [ "$(wc -l <"$work/stderr")" -eq 1 ]
    grep -qE "^hpgmg-gpu: error: --json: cannot write '.+': .+" "$work/stderr"
}

@test "a folder that is not there is noticed before anything is computed" {
    not_written --json "$work/none/report.json" 3 8
    [ ! -s "$work/stdout" ]
}

@test "a file below a file" {
    echo x >"$work/file"
    not_written --json "$work/file/report.json" 3 8
}

@test "a file that must not be written" {
    bind_root
    echo old >"$report"
    chmod a-w "$report"
    not_written --json "$report" 3 8
    [ "$(cat "$report")" = old ]
}

@test "a name that is too long" {
    not_written --json "$work/$(printf 'x%.0s' {1..300})" 3 8
}

@test "a full disk is noticed, and the text report is there" {
    not_written --json /dev/full --solves 2 3 8
    grep -q 'No space left' "$work/stderr"
    tail -n 1 "$work/stdout" | grep -q '^VERDICT: VALID'
}

@test "three ranks: one line for a folder that is not there" {
    hpgmg_on 3 --json "$work/none/report.json" 3 8
    [ "$status" -eq 5 ]
    [ "$(grep -c '^hpgmg-gpu: error: --json: cannot write' "$work/stderr")" -eq 1 ]
}

@test "three ranks: one line for a full disk" {
    hpgmg_on 3 --json /dev/full --solves 2 3 8
    [ "$status" -eq 5 ]
    [ "$(grep -c '^hpgmg-gpu: error: --json: cannot write' "$work/stderr")" -eq 1 ]
}
