#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/figures draws the reports of hpgmg-lab and the sizes of hpgmg-gpu's, and refuses what it cannot draw.
# tests/cli/timeline.bats has the other figures.

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    local lab=${HPGMG_LAB:-$PWD/hpgmg-lab}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
    report machine "$lab" machine --array-mib 1 --samples 1 || return 0
    report memory "$lab" memory --array-mib 1 --samples 1 --points 8000 strides points access records
    report copy "$lab" memory --array-mib 1 --samples 1 copy
    report kernel2 "$lab" kernel --array-mib 1 --samples 1 16
    report kernel4 "$lab" kernel --array-mib 1 --samples 1 --order 4 --stage residual+norm 16
    report ladder "$lab" ladder --samples 1 16
    report sizes "${HPGMG:-$PWD/hpgmg-gpu}" --solves 1 --quiet 3 1
}

report() { # NAME COMMAND...
    local name=$1
    shift
    "$@" --backend cpu --json "$BATS_FILE_TMPDIR/$name.json" >/dev/null 2>&1
}

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    reports=$BATS_FILE_TMPDIR
    command -v python3 >/dev/null || skip "no python3"
}

need_matplotlib() {
    python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
}

draws() { # SUBCOMMAND REPORT...: an SVG whose words are printed
    run run/figures "$@" --output "$BATS_TEST_TMPDIR/figure.svg"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    # Words are comments above the outlines of their letters.
    words=$(sed -n 's/^ *<!-- \(.*\) -->$/\1/p' "$BATS_TEST_TMPDIR/figure.svg")
}

has() { # WORDS...: each is in the figure
    for word; do
        grep -qF -- "$word" <<<"$words" || { echo "no '$word' in: $words"; return 1; }
    done
}

@test "roofline: a panel per order, a mark and a number per run, the ceilings" {
    need_matplotlib
    draws roofline "$reports/machine.json" "$reports/kernel2.json" "$reports/kernel4.json"
    runs=$(python3 -c 'import json, sys
print(sum(len(json.load(open(path))["runs"]) for path in sys.argv[1:]))' "$reports/kernel2.json" "$reports/kernel4.json")
    [ "$runs" -ge 4 ]
    has "Roofline of order 2, 16³ cells" "Roofline of order 4, 16³ cells" "$runs" smooth residual+norm \
        "memory, copy: " "last-level cache, read: " "FP64, FMAs only: " "half of it, without FMAs: "
}

@test "roofline: not of another machine" {
    need_matplotlib
    python3 - "$reports/kernel2.json" "$BATS_TEST_TMPDIR/gpu.json" <<'END'
import json, sys
json.dump(dict(json.load(open(sys.argv[1])), backend="gpu", gpu="A GPU"), open(sys.argv[2], "w"))
END
    run run/figures roofline "$reports/machine.json" "$BATS_TEST_TMPDIR/gpu.json" --output "$BATS_TEST_TMPDIR/no.svg"
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == *"gpu.json: was measured on A GPU, "* ]]
}

@test "ladder: of a CPU, and of a GPU with all that is known" {
    need_matplotlib
    draws ladder "$reports/ladder.json"
    has naive strips default 1.00 "Ladder of order 2, 16³ cells"
    [[ $words != *occupancy* ]]
    [[ $words != *Kepler* ]]
    python3 - "$reports/ladder.json" "$BATS_TEST_TMPDIR/gpu.json" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
report.update(backend="gpu", gpu="A GPU", kepler_speed_ups=[1, 1.44, 1.68])
for rung in report["rungs"]:
    rung.update(block=[32, 8], sectors_per_request=7.25, limiter="both", most_used="shared memory",
                launches=[{"registers": 77, "occupancy": 0.5}, {"registers": 66, "occupancy": 0.375}])
report["rungs"][-1].update(block=None, sectors_per_request=None, limiter="latency", most_used="issue")
json.dump(report, open(sys.argv[2], "w"))
END
    draws ladder "$BATS_TEST_TMPDIR/gpu.json" "$reports/ladder.json"
    has "A GPU" "32×8" 7.25 77 "38 %" both "(shared memory)" "dashed: 1.44 and 1.68 times"
    grep -qx latency <<<"$words"
    [[ $words != *"(issue)"* ]] # none is a limit
}

@test "strides and transfers: of a CPU, and of a GPU with host memory" {
    need_matplotlib
    draws strides "$reports/memory.json"
    has "1 FMA" "256 FMAs" "stride, doubles" "stride, floats"
    draws transfers "$reports/memory.json"
    has "kernel alone" gradient
    [[ $words != *"size of one transfer"* ]]
    python3 - "$reports/memory.json" "$BATS_TEST_TMPDIR/gpu.json" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
report.update(backend="gpu", gpu="A GPU")
copy = dict(report["figures"][0], experiment="host")
points = [row for row in report["figures"] if row["experiment"] == "points"]
for size, words in ((4096, "4 KiB"), (131072, "128 KiB")):
    for to_host, way in ((0, "to the device"), (1, "to the host")):
        report["figures"].append(dict(copy, name=f"pageable, {way}, {words}",
                                      parameters={"transfer_bytes": size, "to_host": to_host}))
for row in points:
    report["figures"].append(dict(row, parameters=dict(row["parameters"], transfers=3)))
json.dump(report, open(sys.argv[2], "w"))
END
    draws transfers "$BATS_TEST_TMPDIR/gpu.json"
    has "A GPU" "pageable, to the device" "pageable, to the host" "4 KiB" "128 KiB" "both ways, overlapped"
}

@test "cases: access as a grid, records as bars, other experiments are refused" {
    need_matplotlib
    draws cases access "$reports/memory.json"
    has "stride of reads, doubles" "stride of writes, doubles" 16
    draws cases records "$reports/memory.json"
    has "3 floats, array of structures" "billions of elements per second"
    run run/figures cases lu "$reports/memory.json"
    [ "$status" -eq 2 ]
    [[ $output == *"memory.json: has no experiment lu" ]]
}

@test "sizes: both orders" {
    need_matplotlib
    report order4 "${HPGMG:-$PWD/hpgmg-gpu}" --solves 1 --quiet --order 4 4 1
    draws sizes "$reports/sizes.json" "$reports/order4.json"
    has "order 2" "order 4" "1 rank" "8³" "16³" GDOF/s
    cpu=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["environment"]["cpu"])' "$reports/sizes.json")
    has "Speed by size, $cpu, 1 thread"
}

@test "convergence: residuals of several reports, named by what differs" {
    need_matplotlib
    for smoother in gsrb jacobi; do
        report "$smoother" "${HPGMG:-$PWD/hpgmg-gpu}" --solves 1 --quiet --rtol 1e-7 --smoother $smoother 4 1
    done
    draws convergence "$reports/gsrb.json" "$reports/jacobi.json"
    has "smoother gsrb" "smoother jacobi" "per cycle" cycles "Residual by cycle, 16³"
    draws convergence "$reports/sizes.json"
    has sizes "after the first"
    run run/figures convergence "$reports/gsrb.json" "$reports/ladder.json"
    [ "$status" -eq 2 ]
    [[ $output == *"ladder.json: no report of hpgmg-gpu --json with residuals" ]]
}

@test "without matplotlib there is no figure, one line, and status 3" {
    mkdir "$BATS_TEST_TMPDIR/no" && echo 'raise ImportError("gone")' >"$BATS_TEST_TMPDIR/no/matplotlib.py"
    PYTHONPATH=$BATS_TEST_TMPDIR/no run run/figures ladder "$reports/ladder.json" --output "$BATS_TEST_TMPDIR/figure.svg"
    [ "$status" -eq 3 ]
    [ "$output" = "figures: no figures: matplotlib is missing: gone (in /usr/bin/python3; Debian: python3-matplotlib)" ]
    [ ! -e "$BATS_TEST_TMPDIR/figure.svg" ]
}

@test "what cannot be drawn gives one line" {
    local wrong
    sed 's/"valid":[[:space:]]*true/"valid": false/' "$reports/ladder.json" >"$BATS_TEST_TMPDIR/wrong.json"
    sed 's/"VALID"/"INVALID"/' "$reports/sizes.json" >"$BATS_TEST_TMPDIR/invalid.json"
    echo '[]' >"$BATS_TEST_TMPDIR/list.json"
    echo '{' >"$BATS_TEST_TMPDIR/broken.json"
    for wrong in "roofline" "roofline $reports/machine.json" "roofline $reports/kernel2.json $reports/kernel2.json" \
        "ladder $BATS_TEST_TMPDIR/wrong.json" "ladder $BATS_TEST_TMPDIR/none.json" "ladder $BATS_TEST_TMPDIR/list.json" \
        "strides $reports/copy.json" "transfers $reports/copy.json" "strides $BATS_TEST_TMPDIR/broken.json" \
        "sizes $BATS_TEST_TMPDIR/invalid.json" "sizes --colour" "timeline $reports/ladder.json --ranks 0" \
        "ladder $reports/ladder.json --output $BATS_TEST_TMPDIR/no/figure.svg" \
        "ladder $reports/ladder.json --output $BATS_TEST_TMPDIR/figure.doc"; do
        # shellcheck disable=SC2086
        run run/figures $wrong
        echo "$wrong: $output"
        [ "$status" -eq 2 ] || [[ $wrong == *--output* ]]
        [ "$status" -ne 0 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "figures"*": error: "* ]]
    done
}
