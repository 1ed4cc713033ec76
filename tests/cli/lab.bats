#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# hpgmg-lab as its user meets it, on the CPU: every subcommand runs, its JSON is valid and says what the
# text says, and wrong input gives one line and the status of its kind.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    . tests/support/ranks.bash
    work=$(mktemp -d)
    report=$work/report.json
}

teardown() {
    rm -rf "$work"
}

lab() { # ARGUMENT...
    catch timeout 100 "$HPGMG_LAB" "$@"
}

# runs ARGUMENT...: status 0, nothing on stderr, valid JSON. Caches may be so large that arrays beyond them take seconds.
runs() {
    case $1 in kernel | ladder) set -- "$@" --array-mib 1 ;; esac
    lab "$@" --backend cpu --samples "${samples:-1}" --json "$report"
    [ "$status" -eq 0 ]
    [ ! -s "$work/stderr" ]
    [ "$(json 'r["valid"]')" = True ]
}

# are_right ARGUMENT...: the same without timing, which takes most of a run's time
are_right() {
    samples=0 runs "$@"
}

# json EXPRESSION: a Python expression of the report r, which must be strict JSON
json() {
    python3 -c 'import json, sys
def refuse(text): raise ValueError(text)
def LIMITER(x): # the rule of 60 %
    moves, computes = (any((x["fraction_of_" + name] or 0) >= 0.6 for name in names)
                       for names in (("copy", "cache", "shared"), ("fp64", "issue")))
    return "both" if moves and computes else "bandwidth" if moves else "compute" if computes else \
        "unknown" if None in (x["fraction_of_" + name] for name in ("copy", "cache", "shared", "fp64", "issue")) else "latency"
r = json.load(open(sys.argv[1]), parse_constant=refuse); print(eval(sys.argv[2]))' "$report" "$1"
}

# fails_with STATUS PART ARGUMENT...: one line on stderr that has PART, and nothing on stdout
fails_with() {
    local wanted=$1 part=$2
    shift 2
    lab "$@"
    [ "$status" -eq "$wanted" ]
    [ "$(wc -l <"$work/stderr")" -eq 1 ]
    [ ! -s "$work/stdout" ]
    grep -qF -- "hpgmg-lab: error: " "$work/stderr"
    grep -qF -- "$part" "$work/stderr"
}

# exchanges RANKS ARGUMENT...: right ghosts, one table, valid JSON
exchanges() {
    local ranks=$1
    shift
    rm -f "$report"
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n "$ranks" "$HPGMG_LAB" exchange --backend cpu --samples 2 --json "$report" "$@" >"$work/stdout"
    cat "$work/stdout"
    [ "$(grep -c '===== halo of ' "$work/stdout")" -eq 1 ]
    [ "$(json 'r["valid"], r["ranks"], len(r["transports"]), r["transports"][0]["right"]')" = "(True, $ranks, 1, True)" ]
}

# ranks_fail RANKS STATUS PART ARGUMENT...: that status, and one line of ours, with PART
ranks_fail() {
    local ranks=$1 wanted=$2 part=$3
    shift 3
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    catch $MPIRUN -n "$ranks" "$HPGMG_LAB" "$@"
    [ "$status" -eq "$wanted" ]
    [ "$(grep -c '^hpgmg-lab: error: ' "$work/stderr")" -eq 1 ]
    grep -qF -- "$part" "$work/stderr"
}

# --- what runs -----------------------------------------------------------------------------------

@test "help and version" {
    local words
    for words in --help --version "machine --help" "memory --help" "methods --help" "kernel --help" "ladder --help" "exchange --help"; do
        # shellcheck disable=SC2086
        lab $words
        [ "$status" -eq 0 ]
        [ ! -s "$work/stderr" ]
        [ "$(wc -l <"$work/stdout")" -ge 3 ]
        [ "$(grep -cE '^.{101}' "$work/stdout")" -eq 0 ]
    done
}

@test "machine: every experiment of a CPU gives a right result" {
    runs machine --array-mib 1
    [ "$(json 'len(r["figures"])')" -ge 20 ]
    [ "$(json 'sorted(set(f["experiment"] for f in r["figures"]))')" = \
        "['cache', 'intensity', 'latency', 'memory', 'peak']" ]
    ! grep -q 'wrong' "$work/stdout"
}

@test "machine: odd numbers of threads give right results too" {
    OMP_NUM_THREADS=3 runs machine --array-mib 1
}

@test "machine: bytes are counted" {
    runs machine memory --array-mib 2
    [ "$(json '{f["name"]: f["bytes"] for f in r["figures"]}["5 reads, 1 write"]')" = 12582912 ]
    [ "$(json 'all(f["seconds"]["min"] <= f["seconds"]["median"] <= f["seconds"]["max"] for f in r["figures"])')" = True ]
}

@test "machine: as many samples as asked for" {
    lab machine peak --array-mib 1 --backend cpu --samples 3 --json "$report"
    [ "$(json '[f["seconds"]["samples"] for f in r["figures"]]')" = "[3, 3]" ]
    [ "$(json 'any(f["seconds"]["min"] < f["seconds"]["max"] for f in r["figures"])')" = True ]
}

@test "machine: events are counted, and move no bytes" {
    runs machine latency --array-mib 1
    [ "$(json '[[f[k] for k in ("bytes", "bytes_per_second")] for f in r["figures"]]')" = \
        "[[0, None], [0, None]]" ]
    # A run has 1000 of them.
    [ "$(json '[round(f["seconds"]["median"] / f["seconds_per_event"], 6) for f in r["figures"]]')" = "[1000.0, 1000.0]" ]
}

@test "memory and methods: arrays and points that no thread number divides" {
    OMP_NUM_THREADS=3 are_right memory --array-mib 1 --points 12167
    OMP_NUM_THREADS=3 are_right methods --array-mib 1
}

# has_fftw: whether the loader finds the library of the spectral cases
has_fftw() {
    python3 -c 'import ctypes; ctypes.CDLL("libfftw3_omp.so.3")' 2>/dev/null
}

@test "methods: every experiment of a CPU gives right results" {
    runs methods --array-mib 2
    [ "$(json 'list(dict.fromkeys(f["experiment"] for f in r["figures"]))')" = \
        "['interpolation', 'convolution', 'lu', 'masks', 'gradients']" ]
    [ "$(grep -c 'wrong' "$work/stdout")" -eq 0 ]
    if has_fftw; then
        [ "$(grep -c 'not measured' "$work/stdout")" -eq 0 ]
    else
        [ "$(grep 'not measured' "$work/stdout" | xargs)" = \
            "spectral not measured: libfftw3_omp.so.3 is not available" ]
    fi
    # In single precision, and not without any error.
    [ "$(json 'all(1e-9 < f["error"] < 2e-6 for f in r["figures"] if f["experiment"] == "interpolation")')" = True ]
}

@test "methods: gradients by method, with their errors and bytes" {
    runs methods gradients --array-mib 1 # 32^3 points
    [ "$(json '[[f["parameters"][k] for k in ("order", "squared", "on_the_fly", "transfers")] for f in r["figures"]][:6]')" = \
        "[[2, 0, 0, 0], [2, 1, 0, 0], [2, 1, 1, 0], [4, 0, 0, 0], [4, 1, 0, 0], [4, 1, 1, 0]]" ]
    [ "$(json '[f["bytes"] / f["elements"] for f in r["figures"]][:6]')" = "[32.0, 64.0, 16.0, 32.0, 64.0, 16.0]" ]
    # A gradient on the fly is the stored one.
    [ "$(json 'all(a["error"] == b["error"] for a, b in zip(r["figures"][1:6:3], r["figures"][2:6:3]))')" = True ]
    # Truncation: h^2/6 and h^4/30 times derivatives; 32 points per wave.
    [ "$(json '["%.2e" % f["error"] for f in r["figures"]][:6:3]')" = "['9.50e-03', '4.16e-04']" ]
    has_fftw || return 0
    [ "$(json '[(f["elements"], f["bytes"] / f["elements"]) for f in r["figures"]][6:]')" = \
        "[(32768, 112.0), (32768, 144.0), (32768, 176.0)]" ]
    [ "$(json 'all(0 < f["error"] < 1e-13 for f in r["figures"][6:])')" = True ]
    # As many threads as there are: the same gradient within rounding.
    OMP_NUM_THREADS=3 runs methods gradients --array-mib 1
    [ "$(json 'all(f["error"] < 1e-13 for f in r["figures"][6:]), len(r["figures"])')" = "(True, 9)" ]
}

@test "memory: experiments by name, in the order of the list" {
    runs memory fusion copy --array-mib 1
    [ "$(json 'list(dict.fromkeys(f["experiment"] for f in r["figures"]))')" = "['copy', 'fusion']" ]
    [ "$(json 'r["options"]["experiments"]')" = fusion,copy ]
    runs memory points --points 8000 --array-mib 1
    [ "$(json 'r["figures"][0]["name"]')" = "pass-through, 0.008 M, kernel alone" ]
}

# case_of NAME KEY...: those numbers of a figure, one on each line
case_of() {
    local name=$1 key
    shift
    for key in "$@"; do
        json "{f['name']: f for f in r['figures']}['$name']['$key']"
    done
}

@test "memory: every experiment of a CPU gives right results, and bytes and operations are counted" {
    runs memory --array-mib 2 --points 1000 # 262144 doubles
    [ "$(json 'list(dict.fromkeys(f["experiment"] for f in r["figures"]))')" = \
        "['strides', 'access', 'alignment', 'records', 'copy', 'points', 'switch', 'index', 'unroll', 'fusion']" ]
    [ "$(json 'len(r["figures"])')" -ge 130 ]
    [ "$(grep -c 'wrong\|not measured' "$work/stdout")" -eq 0 ]
    [ "$(case_of 'double, stride 4, 16 FMAs' elements bytes moved_bytes flops | xargs)" = \
        "65536 1048576 2621440 2097152" ] # 8 bytes read of every 32, 8 written
    [ "$(case_of 'float, stride 32, 1 FMA' elements bytes moved_bytes | xargs)" = "16384 131072 1114112" ] # lines of 64
    [ "$(case_of 'reads 16 apart, writes 1 apart' bytes moved_bytes | xargs)" = "262144 1179648" ]
    [ "$(case_of 'reads 2 apart, writes 16 apart' bytes moved_bytes | xargs)" = "262144 2359296" ] # 16 bytes read, a line of 64 read and written
    [ "$(case_of '1 double of 8, array of structures' bytes moved_bytes | xargs)" = "524288 6291456" ]
    [ "$(case_of '3 floats padded to 16 bytes' bytes moved_bytes | xargs)" = "3145728 4194304" ]
    [ "$(case_of 'two kernels, arrays of 2.1 MB' bytes | xargs)" = 14680064 ] # 7 arrays
}

@test "machine, memory and methods: wrong results are not timed" {
    local place
    for place in first middle last; do
        HPGMG_FAULT=$place lab machine memory intensity peak cache --backend cpu --samples 1 --array-mib 1 --json "$report"
        [ "$status" -eq 1 ]
        [ "$(json 'r["valid"], r["figures"]')" = "(False, [])" ]
        HPGMG_FAULT=$place lab memory --backend cpu --samples 1 --array-mib 1 --points 1000 --json "$report"
        [ "$status" -eq 1 ]
        [ "$(json 'r["valid"], r["figures"]')" = "(False, [])" ]
        [ "$(grep -c 'wrong result, not timed$' "$work/stdout")" -ge 130 ]
        HPGMG_FAULT=$place lab methods --backend cpu --samples 1 --array-mib 1 --json "$report"
        [ "$status" -eq 1 ]
        [ "$(json 'r["valid"], r["figures"]')" = "(False, [])" ]
        [ "$(grep -c 'wrong result, not timed$' "$work/stdout")" -ge 34 ]
    done
}

@test "no samples: results are checked, and nothing is timed" {
    local words
    for words in machine "memory --points 1000" methods "kernel 8" "ladder 8"; do
        # shellcheck disable=SC2086  # several words
        lab $words --backend cpu --samples 0 --array-mib 1 --json "$report"
        [ "$status" -eq 0 ]
        grep -qE '  right(:|$)' "$work/stdout"
        [ "$(grep -cE 'nan|[0-9]\.[0-9]{4}' "$work/stdout")" -eq 0 ]
        [ "$(json 'r["valid"], [r[k] for k in ("figures", "runs", "rungs") if k in r]')" = "(True, [[]])" ]
        [ "$(json 'r.get("copy_bytes_per_second")')" = None ]
    done
    HPGMG_FAULT=middle lab methods --backend cpu --samples 0 --array-mib 1
    [ "$status" -eq 1 ]
}

@test "memory: what does not fit is not measured" {
    lab memory points --backend cpu --samples 1 --array-mib 1 --points 9000000000000
    [ "$status" -eq 2 ]
    lab memory points --backend cpu --samples 1 --array-mib 1 --points 9000000000
    [ "$status" -eq 0 ]
    grep -q 'points  *not measured: not that much memory is free' "$work/stdout"
}

@test "the GPU's kernels are listed as hpgmg-gpu lists them" {
    lab --list-kernels
    [ "$status" -eq 0 ]
    [ ! -s "$work/stderr" ]
    [ "$("$HPGMG" --list-kernels)" = "$(cat "$work/stdout")" ]
}

@test "kernel: every stage, by tiled and by plain loops" {
    local stage
    for stage in smooth zero+smooth residual+restrict residual+norm prolong interpolate restrict \
        smooth+residual+restrict smooth+residual+norm zero+smooth+residual+restrict prolong+smooth \
        prolong+smooth+residual+norm interpolate+smooth+residual+restrict; do
        are_right kernel --stage "$stage" 8
        [ "$(json 'r["stage"]')" = "$stage" ]
        # What restricts f is no pass: there is one way to do it.
        [ "$(sed -nE 's/^  (default|plain) +right(: )?/\1 /p' "$work/stdout" | xargs)" = \
            "$([ "$stage" = restrict ] && echo "default" || echo "default tiled plain plain")" ]
    done
}

@test "kernel: stage sweep is one sweep of smooth" {
    runs kernel --stage sweep --order 4 8
    [ "$(json '(r["stage"], r["sweeps"], [v["list"] for v in r["runs"]])')" = "('smooth', 1, ['default', 'plain'])" ]
}

@test "kernel: operators, smoothers, boundaries" {
    local order smoother
    for order in 2 4; do
        for smoother in gsrb chebyshev jacobi l1jacobi; do
            are_right kernel --order $order --smoother $smoother --boundary periodic --equation helmholtz 12
            are_right kernel --order $order --smoother $smoother --coefficients constant --sweeps 6 8
        done
    done
}

@test "kernel: above 128^3 the baseline is what is compared with" {
    are_right kernel --stage restrict 160
    [ "$(json 'r["checked_against"]')" = plain ]
    grep -q 'compared by checksums with plain$' "$work/stdout"
    are_right kernel --stage restrict 8
    grep -q 'compared bit for bit with the CPU$' "$work/stdout"
}

@test "kernel: values that are interpolated in one or two directions are counted once" {
    local want
    # 1.75 interpolations per cell, of 3 or 6 operations; prolong is quadratic and adds.
    for want in "2 interpolate 5.25" "4 interpolate 10.5" "4 prolong 6.25"; do
        read -r order stage operations <<<"$want"
        runs kernel --order "$order" --stage "$stage" 16
        [ "$(json 'r["runs"][0]["flops"] / r["cells"]')" = "$operations" ]
    done
}

@test "kernel: bytes are those of the arrays" {
    runs kernel --kernels tiled --stage smooth 16
    [ "$(json '(r["sweeps"], r["runs"][0]["bytes_per_cell"], len(r["runs"]))')" = "(2, 56, 1)" ]
    runs kernel --kernels plain --stage smooth 16
    [ "$(json 'r["runs"][0]["bytes_per_cell"]')" = 112 ]
}

@test "kernel: arrays for the copy rate as large as the machine wants them, or too large" {
    lab kernel --backend cpu --samples 1 8
    [ "$status" -eq 0 ]
    fails_with 4 "--array-mib" kernel --array-mib 65536 --backend cpu 8
    fails_with 4 "--array-mib" ladder --array-mib 65536 --backend cpu 8
}

@test "kernel: the limiter is one of five, and follows from the shares" {
    runs kernel 32
    [ "$(json 'all(v["limiter"] == LIMITER(v) for v in r["runs"])')" = True ]
    grep -qE 'limited by (bandwidth|compute|both|unknown)(, near 60 %)?: [0-9]+ % of (memory|FP64)' "$work/stdout"
    # What a CPU cannot count is unknown, and so is a ceiling that it lacks.
    [ "$(json '[r["shared_bytes_per_second"]] + [r["runs"][0][k] for k in ("cache_bytes", "fraction_of_shared", "fraction_of_issue")]')" = \
        "[None, None, None, None]" ]
    [ "$(json 'min(r[k] for k in ("copy_bytes_per_second", "cache_bytes_per_second", "fp64_flops_per_second", "fp32_flops_per_second")) > 0')" = True ]
    [ "$(json 'all(v["fraction_of_copy"] is None if v["bytes_per_second"] > r["copy_bytes_per_second"] else abs(v["fraction_of_copy"] - v["bytes_per_second"] / r["copy_bytes_per_second"]) < 1e-9 for v in r["runs"])')" = True ]
}

@test "ladder: every rung has the bits of the first and of the CPU's plain loops" {
    local order
    for order in 2 4; do
        runs ladder --order $order 20
        [ "$(json '[x["rung"] for x in r["rungs"]]')" = "['naive', 'strips', 'rows', 'pairs', 'default']" ]
        [ "$(json 'r["rungs"][0]["speed_up"], r["checked_against"], r["kepler_speed_ups"]')" = "(1, 'CPU', [1, 1.44, 1.68])" ]
        [ "$(json '[round(x["bytes_per_cell"], 3) for x in r["rungs"]]')" = "[112, 112, 112, 56, 18.667]" ]
        [ "$(json 'all(x["limiter"] == LIMITER(x) for x in r["rungs"])')" = True ]
    done
}

@test "ladder: two threads, and sizes that the strips do not divide" {
    OMP_NUM_THREADS=2 are_right ladder --order 4 12
    OMP_NUM_THREADS=2 are_right ladder 44
}

@test "ladder: rungs by name, always after the first" {
    runs ladder --rung default,strips 8
    [ "$(json '[x["rung"] for x in r["rungs"]]')" = "['naive', 'default', 'strips']" ]
    [ "$(json 'r["options"]["rung"]')" = default,strips ]
    runs ladder --rung naive 8
    [ "$(json '[x["rung"] for x in r["rungs"]]')" = "['naive']" ]
}

@test "ladder: wrong results are not timed" {
    local place
    for place in first middle last; do
        HPGMG_FAULT=$place lab ladder --backend cpu --samples 1 --array-mib 1 --json "$report" 12
        [ "$status" -eq 1 ]
        [ "$(json 'r["valid"], r["rungs"]')" = "(False, [])" ]
        [ "$(grep -c ' wrong result, not timed$' "$work/stdout")" -eq 5 ]
    done
}

# --- what is refused -----------------------------------------------------------------------------

@test "wrong subcommands" {
    fails_with 2 "missing subcommand"
    fails_with 2 "unknown subcommand 'machin'; legal:" machin
    fails_with 2 "unknown subcommand" 64
}

@test "wrong options" {
    fails_with 2 "unknown option '--stge'" kernel 8 --stge smooth
    fails_with 2 "wrong value 'smoot'; legal: " kernel 8 --stage smoot
    fails_with 2 "prolong+smooth+residual+norm" kernel 8 --stage x
    fails_with 2 "no loops of the CPU are called 'plan'" kernel --backend cpu --kernels plan 8
    fails_with 2 "--samples: wrong value '0'" exchange --samples 0 8
    fails_with 2 "unknown experiment 'x'" machine x
    fails_with 2 "experiment transfer needs a GPU" machine transfer --backend cpu
    fails_with 2 "--json: missing value" machine --json
    fails_with 2 "unknown option '--stage'" ladder --stage smooth 8
    fails_with 2 "legal: naive strips rows pairs default" ladder --rung strips,row --backend cpu 8
    fails_with 2 "--rung: at most 15 names" ladder --rung "$(printf 'rows,%.0s' {1..15})rows" --backend cpu 8
    fails_with 2 "--block: wrong value '32'; legal: X,Y" ladder --rung rows --block 32 --backend cpu 8
    fails_with 2 "--block: wrong value '64,32'; legal: X,Y" ladder --rung rows --block 64,32 --backend cpu 8
    fails_with 2 "--block: wrong value '8,0'; legal: X,Y" ladder --rung rows --block 8,0 --backend cpu 8
    fails_with 2 "a CPU's rungs have neither" ladder --rung rows --block 32,8 --backend cpu 8
    fails_with 2 "a CPU's rungs have neither" ladder --rung rows --registers 64 --backend cpu 8
    fails_with 2 "--registers: wrong value '48'; legal: auto, 32, 64, 128, 255" ladder --registers 48 8
    fails_with 2 "unknown experiment 'stride'" memory stride
    fails_with 2 "unknown experiment 'x'" methods lu x
    fails_with 2 "unknown experiment 'lu'" memory lu
    fails_with 2 "experiment host needs a GPU" memory copy host --backend cpu
    fails_with 2 "--managed: a CPU has no experiment host" memory --managed --backend cpu
    fails_with 2 "--points: experiment points is not among those named" memory strides copy --points 1000 --backend cpu
    HPGMG_FAULT=x fails_with 2 "HPGMG_FAULT is not first, middle or last" memory --backend cpu
    HPGMG_FAULT=x fails_with 2 "HPGMG_FAULT is not first, middle or last" ladder --backend cpu 8
    fails_with 2 "given twice" kernel --order 2 --order 4 8
}

@test "wrong sizes" {
    fails_with 2 "missing N" kernel
    fails_with 2 "missing N" ladder --order 4
    fails_with 2 "N: wrong value 'x'" kernel x
    fails_with 2 "N: wrong value '3'" ladder 3
    fails_with 2 "N: wrong value '52'" kernel 52
    fails_with 2 "N: wrong value '2048'" kernel 2048
    fails_with 2 "expected only N" kernel 8 8
    fails_with 2 "expected only options" tune 8
}

@test "stages that cannot be" {
    fails_with 2 "does not smooth" kernel --stage prolong --sweeps 2 8
    fails_with 2 "periodic" kernel --stage prolong+smooth --boundary periodic 8
    fails_with 2 "can sweep 1 times" kernel --order 4 --boundary periodic --smoother jacobi --sweeps 2 8
    fails_with 2 "can sweep 2 times" kernel --stage smooth+residual+norm --boundary periodic --sweeps 3 8
}

@test "too large for the memory" {
    fails_with 4 "--array-mib" machine --array-mib 65536 --backend cpu
}

@test "no GPU" {
    export CUDA_VISIBLE_DEVICES=
    fails_with 3 "--backend gpu" machine --backend gpu
    fails_with 3 "--backend gpu" kernel --backend gpu 8
    fails_with 3 "--backend gpu" ladder --backend gpu 8
}

@test "without --backend the CPU is measured, with a warning" {
    export CUDA_VISIBLE_DEVICES=
    lab ladder --array-mib 1 --samples 1 8
    [ "$status" -eq 0 ]
    [ "$(grep -c '^hpgmg-lab: warning: ' "$work/stderr")" -eq 1 ]
    grep -q '^CPU: ' "$work/stdout"
}

@test "JSON that cannot be written" {
    fails_with 5 "--json: cannot write" ladder --backend cpu --json "$work/none/report.json" 8
    lab ladder --backend cpu --samples 1 --array-mib 1 --json /dev/full 8
    [ "$status" -eq 5 ]
    echo old >"$report"
    fails_with 2 "does not smooth" kernel --backend cpu --stage prolong --sweeps 2 --json "$report" 8
    [ "$(cat "$report")" = old ]
    [ "$(ls "$work")" = "report.json
stderr
stdout" ]
}

@test "several ranks" {
    ranks_fail 2 2 "ladder works on one rank" ladder 8
    ranks_fail 2 2 "missing N" exchange
    ranks_fail 9 2 "8^3 cells have no box of 4^3 for each of 9 ranks" exchange --backend cpu 8
    ranks_fail 2 5 "No such file or directory" exchange --backend cpu --json "$work/none/report.json" 8
    fails_with 2 "one rank has no neighbours" exchange --backend cpu 8
}

@test "ranks with different sizes" {
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    catch $MPIRUN -n 1 "$HPGMG_LAB" exchange --backend cpu 8 : -n 1 "$HPGMG_LAB" exchange --backend cpu 16
    [ "$status" -eq 2 ]
    grep -qF "hpgmg-lab: error: N: rank 0 has '8', rank 1 '16'; all ranks need the same options" "$work/stderr"
}

@test "exchange: halos between ranks are right, and counted" {
    exchanges 2 16
    [ "$(json 'r["transports"][0]["bytes_sent"]')" = 6144 ] # 16 x 16 cells, three layers
    exchanges 3 --boundary periodic 24
    exchanges 4 --boundary periodic 8
    exchanges 1 --boundary periodic 12
    [ "$(json '[r["transports"][0][k] for k in ("transport", "bytes_sent", "bytes_per_second")]')" = "['local', 0, None]" ]
}

# --- documentation -------------------------------------------------------------------------------

@test "every option and experiment is in lab/README.md" {
    local subcommand word missing=0
    for subcommand in machine memory methods kernel ladder exchange; do
        for word in $("$HPGMG_LAB" $subcommand --help | sed -nE '/^Experiments:/,$ s/^  ([a-z]+) .*/\1/p; s/^  (--[a-z-]+).*/\1/p'); do
            if ! grep -qE -- "\`$word([ \`]|\$)" lab/README.md; then
                echo "not mentioned: $word"
                missing=1
            fi
        done
    done
    [ "$missing" -eq 0 ]
}
