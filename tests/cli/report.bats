#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The report as scripts read it: HPGMG's banner and lines, the verdict, and the JSON report with its
# schema (docs/json-report.schema.json), also where it cannot be written.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    work=$(mktemp -d)
    report=$work/report.json
}

teardown() {
    rm -rf "$work"
}

hpgmg() { # ARGUMENT...
    catch timeout 100 ${bound:-} "$HPGMG" --backend cpu "$@"
}

hpgmg_on() { # RANKS ARGUMENT...
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    catch $MPIRUN -n "$ranks" "$HPGMG" --backend cpu "$@"
}

number='[0-9]\.[0-9]{15}e[+-][0-9]{2}'
speed_line="^  h=$number  DOF=$number  time=[0-9]+\.[0-9]{6}  DOF/s=[0-9]\.[0-9]{3}e[+-][0-9]{2}  MPI=[0-9]+  OMP=[0-9]+$"

lines() { # EXPRESSION: how many lines match
    grep -cE -- "$1" "$work/stdout" || true
}

# fits: at most 80 columns, but for HPGMG's lines, the verdict and the score
fits() {
    ! grep -vE "$speed_line|^VERDICT|^SCORE" "$work/stdout" | grep -E '^.{81}'
}

# json EXPRESSION: a Python expression of the report r
json() {
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$report" "$1"
}

valid_json() {
    tests/cli/validate_json.py "$report"
}

# Nothing on stderr but what a small or busy machine is warned of.
no_complaints() {
    ! grep -vE '^hpgmg-gpu: warning: (solve times of size 2?4?h are noisy: |[0-9]+ (ranks|threads) )' "$work/stderr"
}

# A run that cannot reach its tolerance.
invalid="--rtol 1e-30 --max-cycles 8"

# --- text ----------------------------------------------------------------------------------------

@test "the text report: banner, HPGMG's lines, options, and last the verdict" {
    hpgmg --smoother chebyshev --breakdown --show-cycle --solves 2 3 8
    [ "$status" -eq 0 ]
    no_complaints
    head -n 1 "$work/stdout" | grep -qE '^hpgmg-gpu [0-9.]+: 16\^3, order 2 poisson dirichlet variable fv chebyshev$'
    sed -n 2p "$work/stdout" | grep -qx 'F-cycle, 1 rank, CPU'
    sed -n 4p "$work/stdout" | grep -qF 'HPGMG-FV Benchmark'
    [ "$(lines 'HPGMG-FV Benchmark')" -eq 1 ]
    [ "$(lines "$speed_line")" -eq 3 ]
    [ "$(lines 'DOF/s=')" -eq 3 ]
    [ "$(lines '  h=6\.250000000000000e-02  DOF=4\.096000000000000e\+03  ')" -eq 1 ]
    [ "$(lines '  h=1\.250000000000000e-01  DOF=5\.120000000000000e\+02  ')" -eq 1 ]
    [ "$(lines '  h=2\.500000000000000e-01  DOF=6\.400000000000000e\+01  ')" -eq 1 ]
    [ "$(lines '^  .*smoother +chebyshev')" -eq 1 ]
    [ "$(lines 'boxes-per-rank +8')" -eq 1 ]
    fits
    [ "$(lines '^===== Time of a solve of size 2?4?h ')" -eq 3 ]
    [ "$(lines 'smooth')" -gt 3 ]
    [ "$(lines '^F-cycle: [0-9]+ stages$')" -eq 1 ]
    [ "$(lines '^checksum|exact')" -eq 0 ]
    tail -n 2 "$work/stdout" | grep -q '^VERDICT: VALID'
}

@test "the report of a plain run fits 70 lines and 80 columns" {
    hpgmg --solves 2 5 8
    [ "$(wc -l <"$work/stdout")" -le 70 ]
    fits
    grep -A 1 '^===== Solve times' "$work/stdout" | grep -qE '^  size +solves +median ms .* GB/s +of copy'
    [ "$(lines 'OMP_PROC_BIND +(false|true|master|close|spread)')" -eq 1 ]
    [ "$(lines '^===== (Residuals|Kernels|Ranks)')" -eq 0 ]
    [ "$(lines 'smoother|min-time')" -eq 0 ] # at their defaults
    hpgmg_on 3 --solves 2 --breakdown --ranks-table --rtol 1e-30 --max-cycles 9 --domain 3x2x2 4 4
    fits
}

@test "ranks, threads, moving data, and the names that Benchpark looks for" {
    OMP_NUM_THREADS=2 hpgmg_on 2 --breakdown --solves 2 3 8
    [ "$status" -eq 0 ]
    [ "$(lines '  MPI=2  OMP=2$')" -eq 3 ]
    [ "$(lines 'moving data, ms +pack +local +wait +unpack$')" -ge 1 ]
    [ "$(lines '^ +0 +halo ')" -ge 1 ]
    [ "$(lines '^  n_resources: 2$')" -eq 1 ]
    [ "$(lines '^  total_problem_size: 4096$')" -eq 1 ]
    [ "$(lines '^  process_problem_size: 2048$')" -eq 1 ]
}

@test "an invalid run has a reason and no speed" {
    # shellcheck disable=SC2086
    hpgmg $invalid --breakdown 3 8
    [ "$status" -eq 1 ]
    tail -n 2 "$work/stdout" | grep -qE '^VERDICT: INVALID \(h: max-cycles reached; .+\)$'
    [ "$(lines 'DOF/s|time=|GB/s')" -eq 0 ]
    tail -n 1 "$work/stdout" | grep -qx 'SCORE: none (INVALID)'
    fits
}

@test "a quiet run is title, banner, results, verdict and score, and has the same bits on three ranks" {
    hpgmg --quiet --checksum --solves 2 4 8
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$work/stdout")" -eq 13 ]
    sed -n '6,8p' "$work/stdout" | grep -cE "$speed_line" | grep -qx 3
    sed -n 9p "$work/stdout" | grep -qE '^  h=3\.125000000000000e-02  \|\|error\|\|=1\.1715928187722[0-9]{2}e-04$'
    sed -n 10p "$work/stdout" | grep -qx '  order=-0\.266'
    sed -n 11p "$work/stdout" | grep -qE '^checksum: [0-9a-f]{16}$'
    sed -n 12p "$work/stdout" | grep -q '^VERDICT: VALID'
    local one
    one=$(grep '^checksum' "$work/stdout")
    hpgmg_on 3 --quiet --checksum --solves 1 3 22
    [ "$(grep '^checksum' "$work/stdout")" = "$one" ]
    # shellcheck disable=SC2086
    hpgmg $invalid --quiet 3 8
    [ "$(wc -l <"$work/stdout")" -eq 9 ]
}

@test "errors against a known solution" {
    hpgmg --breakdown --show-cycle --problem p6 --rtol 1e-9 --solves 2 4 8
    [ "$(lines '\|\|u - exact\|\|')" -eq 1 ]
    fits
}

@test "a dry run says what would be and solves nothing" {
    hpgmg_on 2 --dry-run 7 8
    [ "$status" -eq 0 ]
    [ "$(lines '^ +0 +256\^3 +8x128\^3 ')" -eq 1 ]
    [ "$(lines '^  per node +needs [0-9.]+ [kMGTP]?B of .+: (fits|does not fit|unknown)$')" -eq 1 ]
    [ "$(lines 'VERDICT|DOF/s')" -eq 0 ]
}

# fitting RANKS PART DIM BOXES OPTION...: a dry run ends with 4 and names a size that needs more than 1/PART of the
# memory that there is, and not more than that
fitting() {
    local ranks=$1 part=$2 available size needed unit
    hpgmg_on "$ranks" --dry-run "${@:3}"
    [ "$status" -eq 4 ] && [ "$(lines '^  per node .*: does not fit$')" -eq 1 ]
    [ "$(grep -c '^hpgmg-gpu: error: ' "$work/stderr")" -eq 1 ]
    read -r available size <<<"$(sed -nE 's/.* but ([0-9]+) are available; the largest size that fits is LOG2_BOX_DIM ([0-9]+), BOXES_PER_RANK ([0-9]+)$/\1 \2 \3/p' "$work/stderr")"
    # shellcheck disable=SC2086  # two numbers
    hpgmg_on "$ranks" --dry-run $size "${@:5}"
    read -r needed unit <<<"$(sed -nE 's/^  per node +needs ([0-9.]+ [kMGT]?B) of .*/\1/p' "$work/stdout")"
    awk -v part="$part" -v available="$available" -v needed="$needed" -v unit="$unit" 'BEGIN {
        needed *= 1000 ^ index("kMGT", substr(unit, 1, 1))
        exit !(needed < 1.05 * available && needed * part * 1.05 > available) # what is free changes between the runs
    }'
}

@test "a dry run of what does not fit ends with 4 and names the largest size that does" {
    fitting 1 2 10 100000
    fitting 2 1.15 10 1000 --domain exact
    fitting 2 9 10 14 --domain 3x3x3 # which does not divide by the ranks
    grep -q 'cells in 27 boxes' "$work/stdout"
    fitting 1 9 10 6000 --domain 30x20x10
    grep -q 'cells in 6000 boxes' "$work/stdout"
}

# --- the progress line ---------------------------------------------------------------------------

# on_terminal COMMAND: what a terminal shows of a shell command
on_terminal() {
    timeout 100 script -qec "$1" /dev/null </dev/null >"$work/screen"
}

no_progress() { # FILE
    [ "$(grep -cE $'\r|timing h ' "$1")" -eq 0 ]
}

progress="--backend cpu --solves 3 3 8"

@test "a terminal as stderr gets a progress line, other files and a quiet run do not" {
    on_terminal "'$HPGMG' $progress >'$work/stdout'"
    grep -q 'timing h ' "$work/screen"
    no_progress "$work/stdout"
    tail -n 2 "$work/stdout" | grep -q '^VERDICT: VALID'
    on_terminal "'$HPGMG' --quiet $progress >'$work/stdout'"
    [ "$(grep -c 'timing h ' "$work/screen")" -eq 0 ]
    on_terminal "'$HPGMG' $progress 2>'$work/stderr'"
    no_complaints
    grep -q 'VERDICT: VALID' "$work/screen"
    [ "$(grep -c 'timing h ' "$work/screen")" -eq 0 ]
}

@test "files and pipes behind mpirun get no progress line" {
    # shellcheck disable=SC2086
    on_terminal "$MPIRUN -n 2 '$HPGMG' $progress 2>'$work/stderr' | cat >'$work/stdout'"
    [ "$(lines '^VERDICT: VALID')" -eq 1 ]
    no_complaints
    no_progress "$work/stdout"
}

# --- JSON ----------------------------------------------------------------------------------------

@test "JSON of a plain run says what the text says" {
    hpgmg --json "$report" --checksum --solves 3 5 8
    [ "$status" -eq 0 ]
    valid_json
    [ "$(json '[r[k] for k in ("schema", "ranks", "threads", "order", "verdict", "accuracy_checked")]')" = \
        "[3, 1, $OMP_NUM_THREADS, 2, 'VALID', True]" ]
    [ "$(json '[(s["level"], s["n"]) for s in r["solves"]]')" = "[('h', 64), ('2h', 32), ('4h', 16)]" ]
    [ "$(json 'len(r["checks"]), {c["state"] for c in r["checks"]}')" = "(8, {'passed'})" ]
    [ "$(json '[c["lowest"] < c["value"] < c["highest"] for c in r["checks"] if c["check"] in ("error", "order")]')" = "[True, True]" ]
    grep -qxF "checksum: $(json 'r["checksum"]')" "$work/stdout"
    grep -qF "||error||=$(json '"%0.15e" % r["richardson"]["error"]')" "$work/stdout"
    # HPGMG's lines have the mean, SCORE the median.
    grep -qF "  DOF/s=$(json '"%0.3e" % (r["solves"][0]["dof"] / r["solves"][0]["seconds"]["mean"])')  " "$work/stdout"
    grep -qF "SCORE: $(json '"%0.3e" % r["solves"][0]["dof_per_second"]') DOF/s at h " "$work/stdout"
}

@test "rates of stages and parts of moving data in JSON" {
    hpgmg_on 2 --json "$report" --breakdown --solves 1 4 8
    python3 - "$report" "$work/stdout" <<'PYTHON'
import json, re, sys
report = json.load(open(sys.argv[1]))
copy = report["copy_bytes_per_second"]
for stage in report["solves"][0]["stages"]:
    if not stage["bytes"]:
        assert stage["bytes_per_second"] is None and stage["fraction_of_copy"] is None, stage
        continue
    rate = stage["bytes"] / stage["seconds"]
    assert abs(stage["bytes_per_second"] / rate - 1) < 1e-12, stage
    assert abs(stage["fraction_of_copy"] / (rate / copy) - 1) < 1e-12, stage
stages = report["solves"][0]["stages"]
assert any(stage["bytes"] for stage in stages) and not all(stage["bytes"] for stage in stages)
assert {stage["work"] for stage in stages if stage["stage"] in ("agglomerate", "distribute")} == {"redistribution"}
# The parts of moving data, in milliseconds, are in the text too.
parts = ["pack_seconds", "local_seconds", "wait_seconds", "unpack_seconds"]
table = re.search("moving data.*?\n\n", open(sys.argv[2]).read(), re.S).group().splitlines()[1:-1]
moving = [stage for stage in stages if any(stage[part] for part in parts)]
assert len(table) == len(moving) > 0, table
assert any(len({stage[part] for part in parts}) == 4 for stage in moving), moving # no two are the same measurement
for row, stage in zip(table, moving):
    assert row.split()[2:] == ["%.4f" % (1e3 * stage[part]) for part in parts], (row, stage)
PYTHON
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
    same(solve["dof_per_second"], solve["dof"] / seconds["median"])
    if solves == 1:
        assert seconds["spread"] is None and seconds["drift"] is None and solve["noisy"], seconds
        continue
    first, last = slice(solves // 2), slice(-(solves // 2), None)
    same(seconds["spread"] * seconds["median"], statistics.median(sorted(samples)[last]) - statistics.median(sorted(samples)[first]))
    same(seconds["drift"] + 1, statistics.median(samples[last]) / statistics.median(samples[first]))
    assert solve["noisy"] == (max(seconds["spread"], abs(seconds["drift"])) > 0.1), solve
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

@test "the share of the memory bound of a solve, in both reports" {
    hpgmg --json "$report" --solves 3 4 8
    python3 - "$report" "$work/stdout" <<'PYTHON'
import json, re, sys
report = json.load(open(sys.argv[1]))
for solve in report["solves"]:
    rate = sum(stage["bytes"] for stage in solve["stages"]) / solve["seconds"]["median"]
    assert abs(solve["bytes_per_second"] / rate - 1) < 1e-12, solve
    assert abs(solve["fraction_of_copy"] * report["copy_bytes_per_second"] / rate - 1) < 1e-12, solve
h = report["solves"][0]
row = re.search(r"^  h .*", open(sys.argv[2]).read(), re.M).group().split()
assert row[2] == "%.4g" % (1e3 * h["seconds"]["median"]), row
assert row[-2:] == ["%.4g" % (1e-9 * h["bytes_per_second"]), "%.1f%%" % (100 * h["fraction_of_copy"])], row
PYTHON
    hpgmg --json "$report" --quiet --solves 1 3 8
    [ "$(json '{s["bytes_per_second"] for s in r["solves"]}')" = "{None}" ]
}

@test "the schema is what the rows of the reports' values make, and the page names every key" {
    tests/cli/json_schema.py
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

@test "JSON of one level, and of a known solution" {
    hpgmg --json "$report" --quiet --solves 2 --order 4 2 1
    valid_json
    [ "$(json 'r["richardson"]')" = "{'error': None, 'order': None}" ]
    [ "$(json 'r["verdict"], r["accuracy_checked"], r["checks"][-1]["state"]')" = "('VALID', False, 'not checked')" ]
    hpgmg --json "$report" --problem p6 --solver idr --solves 2 3 8
    valid_json
    [ "$(json 'all(s["true_error"] > 0 for s in r["solves"])')" = True ]
}

@test "IDR that takes over from slow cycles is said in both reports" {
    local slow="--smoother jacobi --weight 0.03 --rtol 1e-9 --solves 1"
    # shellcheck disable=SC2086
    hpgmg $slow --solver auto --json "$report" 3 8
    valid_json
    [ "$(json '[0 < s["idr_cycles"] < s["cycles"] == len(s["history"]) and s["outcome"] == "done" for s in r["solves"]]')" = \
        "[True, True, True]" ]
    [ "$(lines "^  h: IDR\\(3\\) around the last $(json 'r["solves"][0]["idr_cycles"]') of $(json 'r["solves"][0]["cycles"]') cycles$")" -eq 1 ]
    [ "$(lines '^  Operations of IDR\(3\) on vectors of the finest level are in no stage\.$')" -eq 1 ]
    # shellcheck disable=SC2086
    hpgmg $slow --solver mg --max-cycles 5 --json "$report" 3 8
    [ "$(json '[s["idr_cycles"] for s in r["solves"]]')" = "[0, 0, 0]" ]
    [ "$(lines 'IDR\(3\)')" -eq 0 ]
}

@test "the mean of f that a singular run subtracts, in both reports" {
    local singular="--boundary neumann,periodic,neumann --problem p4 --solves 1"
    # shellcheck disable=SC2086
    hpgmg_on 2 $singular --json "$report" 3 4
    valid_json
    python3 - "$report" "$work/stdout" <<'PYTHON'
import json, math, re, sys
report = json.load(open(sys.argv[1]))
n = report["problem"]["n"]
x = [(i + 0.5) / n for i in range(n)]
X = [(w**4 - 2 * w**3 + w**2 - 1 / 30, 4 * w**3 - 6 * w**2 + 2 * w, 12 * w**2 - 12 * w + 2) for w in x]
values = []
for i in range(n):
    for j in range(n):
        for k in range(n):
            from_middle = [x[i] - 0.5, x[j] - 0.5, x[k] - 0.5]
            r = math.sqrt(sum(d * d for d in from_middle))
            t = math.tanh(10 * (r - 0.25))
            f = 0.0
            for d, (a, b, c) in enumerate(((i, j, k), (j, k, i), (k, i, j))):
                slope = 45 * (1 - t * t) * from_middle[d] / r
                f -= (slope * X[a][1] + (5.5 + 4.5 * t) * X[a][2]) * X[b][0] * X[c][0]
            values.append(f)
mean, largest = math.fsum(values) / n**3, max(map(abs, values))
assert abs(report["problem"]["rhs_mean"] - mean) < 1e-9 * abs(mean), (report["problem"], mean)
line = re.search(r"mean of f   (\S+), (\S+) of \|\|f\|\|; subtracted", open(sys.argv[2]).read())
assert line.group(1) == "%.3e" % mean, line
assert abs(float(line.group(2)) / (abs(mean) / largest) - 1) < 0.1, line
PYTHON
    hpgmg --boundary neumann,periodic,dirichlet/neumann --solves 1 --json "$report" 3 1
    valid_json
    [ "$(json 'r["problem"]["rhs_mean"]')" = None ]
    [ "$(lines 'mean of f')" -eq 0 ]
    hpgmg --boundary neumann --equation helmholtz --solves 1 --json "$report" 3 1
    [ "$(json 'r["problem"]["rhs_mean"]')" = None ]
}

@test "JSON of an invalid run has no speed" {
    # shellcheck disable=SC2086
    hpgmg $invalid --json "$report" 3 8
    [ "$status" -eq 1 ]
    valid_json
    [ "$(json 'r["verdict"], [s["dof_per_second"] for s in r["solves"]]')" = "('INVALID', [None, None, None])" ]
    [ "$(json '[c["state"] for c in r["checks"][:3]], len(r["reasons"]) >= 3')" = "(['failed', 'failed', 'failed'], True)" ]
}

@test "JSON of an invalid run has no speed of sizes that were timed either" {
    hpgmg --quiet --solver idr --bottom cg --problem p4 --rtol 1e-8 --max-cycles 4 --solves 2 --json "$report" 4 1
    [ "$status" -eq 1 ]
    [ "$(json '[s["timed_solves"] for s in r["solves"]]')" = "[0, 2, 2]" ]
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

@test "JSON to stdout comes after the text" {
    hpgmg --quiet --json /dev/stdout --solves 2 3 8
    [ "$status" -eq 0 ]
    head -n 4 "$work/stdout" | grep -q "HPGMG-FV"
    sed '1,/^SCORE/d' "$work/stdout" >"$report"
    valid_json
}

# --- JSON that cannot be written -----------------------------------------------------------------

# not_written ARGUMENT...: status 5, one line on stderr
not_written() {
    hpgmg "$@"
    [ "$status" -eq 5 ]
    [ "$(grep -vc '^hpgmg-gpu: warning: ' "$work/stderr")" -eq 1 ]
    grep -qE "^hpgmg-gpu: error: --json: cannot write '.+': .+" "$work/stderr"
}

@test "a folder that is not there is noticed before anything is computed" {
    not_written --json "$work/none/report.json" 3 8
    [ ! -s "$work/stdout" ]
}

@test "a file that must not be written" {
    # Permissions hold for root too if it is bound.
    [ "$(id -u)" -ne 0 ] || bound="setpriv --bounding-set -dac_override,-dac_read_search"
    echo old >"$report"
    chmod a-w "$report"
    not_written --json "$report" 3 8
    [ "$(cat "$report")" = old ]
}

@test "a full disk is noticed, and the text report is there" {
    not_written --json /dev/full --solves 2 3 8
    grep -q 'No space left' "$work/stderr"
    tail -n 2 "$work/stdout" | grep -q '^VERDICT: VALID'
}

@test "three ranks: one line" {
    local name
    for name in "$work/none/report.json" /dev/full; do
        hpgmg_on 3 --json "$name" --solves 1 3 8
        [ "$status" -eq 5 ]
        [ "$(grep -c '^hpgmg-gpu: error: --json: cannot write' "$work/stderr")" -eq 1 ]
    done
}
