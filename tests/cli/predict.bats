#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/predict: times of a job of two levels worked out by hand, its counts of halos against a run, and what it refuses.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export CUDA_VISIBLE_DEVICES=
    export PATH=/usr/bin:$PATH # the system's python3
    work=$BATS_TEST_TMPDIR
    command -v python3 >/dev/null || skip "no python3"
    report
    program
}

# One GPU: 100 µs for 8³ with 4³ below it. The stages, timed one by one, take 200 µs: so 60 µs for the visit to 8³, and 20
# for each of the two to 4³.
report() {
    cat >"$work/one.json" <<'END'
{"program": "hpgmg-gpu", "verdict": "VALID", "complete": true, "order": 2, "ranks": 1, "config": {"smoother": "gsrb"},
 "hierarchy": {"levels": [{"n": 8, "backend": "gpu"}, {"n": 4, "backend": "gpu"}]},
 "solves": [{"level": "h", "n": 8, "seconds_per_solve": 100e-6, "stages": [
   {"level": 0, "kernels": "fv2/gsrb-fused", "seconds": 120e-6}, {"level": 1, "kernels": "", "seconds": 80e-6}]}]}
END
}

# What the program would print for 16³ and for one box of 8³ on each rank, as it prints it. 8.00 kB are of four layers.
# ELSEWHERE is 1 where the two ranks are on two nodes.
program() {
    cat >"$work/program" <<'END'
#!/bin/bash
echo "$*" >>"$(dirname "$0")/arguments"
ranks=$(sed 's/.*--ranks \([0-9]*\).*/\1/' <<<"$*")
elsewhere=$(( ! $(grep -c -- '--ranks-per-node 8' <<<"$*") ))
levels=("16^3           8x  8^3" " 8^3           1x  8^3")
[[ $* != *"--domain exact"* ]] || case $ranks in
1) levels=(" 8^3           1x  8^3" " 4^3           1x  4^3") ;;
2) levels=("16x8x8           2x  8^3" "8x4x4         1x(8x4x4)") ;;
esac
echo "  level      cells           boxes      merged     ranks        mean        most"
echo "      0       ${levels[0]}           $ranks         $ranks    10.00 kB    10.00 kB"
echo "      1       ${levels[1]}           1         1    10.00 kB    10.00 kB"
echo
echo "  level  exchange     ranks    messages   most  on other nodes   most       bytes        most"
[ "$ranks" -eq 1 ] && exit
echo "      0  halo             2         1.0      1             0.0      $elsewhere     8.00 kB     8.00 kB"
echo "      0  agglomerate      2         0.5      1             0.0      $elsewhere     1.00 kB     2.00 kB"
echo "      0  distribute       2         0.5      1             0.0      $elsewhere     2.00 kB     4.00 kB"
END
    chmod +x "$work/program"
}

predict() { # ARGUMENT...
    run run/predict "$work/one.json" --program "$work/program" --latency-inside 2 --bandwidth-inside 1 --latency-between 5 \
        --bandwidth-between 2 --staging 10 --staging-bandwidth 4 --agglomerate never "$@"
    echo "$output"
}

@test "two ranks of a node: 494 µs, worked out by hand" {
    predict --ranks 1,2 --strong 3:2 --levels
    [ "$status" -eq 0 ]
    # One rank: 16³ has eight times the cells of 8³, 480 µs; two visits to 8³, three to 4³: 480 + 120 + 60 = 660 µs.
    grep -qE '^strong 3:2, order 2, staged +1 +16\^3 +never +0\.660 +0\.01 100\.0 % ' <<<"$output"
    # Two ranks: half of 480 µs. Six halos of three layers, 2 µs and 6 kB at 1 GB/s each. Down and up in the visit and once
    # for the F-cycle itself, 2 µs and 4 kB each. 8³ and 4³ as above. The norm takes 2 µs.
    grep -qE '^ +16\^3 +2 +2048 +1 +6 +240\.0 +20\.0 +52\.0 ' <<<"$output"
    grep -qE '^ +8\^3 +1 +512 +2 +0 +120\.0 +0\.0 +0\.0 +100 %$' <<<"$output"
    # 240 + 20 + 52 + 120 + 60 + 2 = 494 µs; 660 / 494 / 2 = 66.8 %.
    grep -qE '^strong 3:2, order 2, staged +2 +16\^3 +never +0\.494 +0\.01 +66\.8 % +8\^3$' <<<"$output"
}

@test "two ranks on two nodes, staged and direct" {
    predict --ranks 2 --strong 3:2 --ranks-per-node 1 --between staged,direct
    [ "$status" -eq 0 ]
    # Six halos of 5 + 10 µs, 6 kB at 2 GB/s and twice at 4: 126 µs. Four moves of 15 + 2 + 2 µs. The norm: 5 µs.
    grep -qE '^strong 3:2, order 2, staged .* 0\.627 ' <<<"$output"
    # Six of 5 + 3 µs, four of 5 + 2.
    grep -qE '^strong 3:2, order 2, direct .* 0\.501 ' <<<"$output"
    # Overlap hides up to 240 / 6 µs of each halo: all of it.
    predict --ranks 2 --strong 3:2 --ranks-per-node 1 --overlap-above 2048
    grep -qE '^strong 3:2, order 2, staged .* 0\.501 ' <<<"$output"
}

@test "deeper halos: fewer exchanges, more layers, and more cells to update" {
    predict --ranks 2 --strong 3:2 --levels --sweeps-per-exchange 6
    # Two exchanges of 2 µs and 14 kB; four moves of 2 µs and 4 kB.
    grep -qE '^ +16\^3 +2 +2048 +1 +2 +[0-9.]+ +12\.0 +44\.0 ' <<<"$output"
    PYTHONPATH=run python3 - <<'END'
from prediction import repeated_work
assert repeated_work(10, 1) == 1
assert abs(repeated_work(10, 2) - (1.2**3 + 1) / 2) < 1e-12
assert abs(repeated_work(10, 6) - (1 + 1.2**3 + 1.4**3 + 1.6**3 + 1.8**3 + 2**3) / 6) < 1e-12
END
}

@test "weak: a domain that is no cube, 252 µs, worked out by hand" {
    predict --ranks 1,2 --weak 3:1 --levels
    [ "$status" -eq 0 ]
    grep -q -- ' --domain exact 3 1$' "$work/arguments"
    # One rank: 60 and two visits of 20 µs.
    grep -qE '^weak 3:1, order 2, staged +1 +8\^3 +never +0\.100 +0\.01 100\.0 % ' <<<"$output"
    # Two: each has 8³, and messages as above. 8x4x4 takes the time of a cube of 128^(1/3) per side, 20 * 3^(1/3) = 28.8 µs,
    # and 4x2x2 that of the smallest, 20 µs.
    grep -qE '^ +16x8x8 +2 +512 +1 +6 +60\.0 +20\.0 +52\.0 ' <<<"$output"
    grep -qE '^ +8x4x4 +1 +128 +2 +0 +57\.7 ' <<<"$output"
    grep -qE '^ +4x2x2 +1 +16 +3 +0 +60\.0 ' <<<"$output"
    # 60 + 20 + 52 + 57.7 + 60 + 2 = 251.7 µs; 100 / 251.7 = 39.7 %.
    grep -qE '^weak 3:1, order 2, staged +2 +16x8x8 +never +0\.252 +0\.00 +39\.7 % ' <<<"$output"
}

@test "weak: the program's own tables, any ranks, the same unknowns on each" {
    run run/predict docs/scaling-h100/one-gpu/order2-*.json --cycles docs/machines/NVIDIA-H200-cycles.csv --program "$HPGMG" \
        --ranks 1,2,3,5 --weak 4:8 --agglomerate never,4097 --output "$work/out"
    echo "$output"
    [ "$status" -eq 0 ]
    python3 - "$work/out" <<'END'
import csv, math, sys
rows, levels = (list(csv.DictReader(open(f"{sys.argv[1]}/{name}.csv"))) for name in ("predict", "levels"))
assert [row["cells"] for row in rows] == ["32^3", "64x32x32", "64x48x32", "80x64x32"], rows
assert all(float(row["dof_per_rank"]) == 8 * 16**3 and float(row["efficiency"]) > 0 for row in rows)
finest = [level for level in levels if level["visits"] == "1"]
assert [level["level_cells"] for level in finest] == [row["cells"] for row in rows]
assert all(level["level_ranks"] == level["ranks"] and level["cells_per_rank"] == str(8 * 16**3) for level in finest)
three = [level["level_cells"] for level in levels if level["ranks"] == "3"]
assert three == ["64x48x32", "32x24x16", "16x12x8", "8x6x4", "4x3x2"], three
END
}

@test "message counts come from --dry-run with halos of four layers, and the fastest threshold counts" {
    predict --ranks 2 --strong 3:2 --agglomerate never,4097
    grep -qx -- '--backend cpu --dry-run --ranks 2 --ranks-per-node 8 --agglomerate-below 1 --order 4 --smoother jacobi 3 4' \
        "$work/arguments"
    grep -q -- '--agglomerate-below 4097' "$work/arguments"
}

@test "halos of an F-cycle are those of the program" {
    local order
    for order in 2 4; do # 32³ and 16³ are shared; boxes are too small for the CPU's deep halos
        $MPIRUN -n 8 "$HPGMG" --backend cpu --order $order --show-cycle --solves 1 3 8 >"$work/cycle"
        # It prints the F-cycles of 32³, 16³ and 8³: the first one counts.
        awk '/^ *0  level/ { cycle++ } cycle == 1 && / halo *$/ { halos[$3]++ }
             END { print halos[0], halos[1] }' "$work/cycle" >"$work/counted"
        PYTHONPATH=run python3 - $order <<'END' >"$work/predicted"
import sys
from prediction import FIRST_SWEEPS, exchanges_of
order = int(sys.argv[1])
print(exchanges_of(order, 1, True, False, FIRST_SWEEPS), exchanges_of(order, 2, False, False, FIRST_SWEEPS))
END
        diff "$work/predicted" "$work/counted"
    done
}

@test "the program's own tables: eight ranks of a node, and of eight nodes" {
    run run/predict docs/scaling-h100/one-gpu/order2-*.json --cycles docs/machines/NVIDIA-H200-cycles.csv --program "$HPGMG" \
        --ranks 8 --strong 5:2 --levels --agglomerate never
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qE '^ +64\^3 +8 +32768 +1 +6 ' <<<"$output"
    grep -qE '^ +8\^3 +1 +512 +4 +0 ' <<<"$output"
    PYTHONPATH=run python3 - "$HPGMG" <<'END'
import sys
from prediction import simulate
from study import strong_domain
inside, outside = (simulate(sys.argv[1], strong_domain(8, 5, 2), nodes, 1, ("--order", "4", "--smoother", "jacobi"))[0]
                   for nodes in (8, 1))
assert (inside.halo.messages, inside.halo.elsewhere, outside.halo.elsewhere) == (7, 0, 7)
assert inside.cells == (64, 64, 64) and inside.cells_per_rank() == 32**3
# Three faces, edges and a corner, four layers deep.
assert abs(inside.halo.bytes / (8 * (3 * 32 * 32 * 4 + 3 * 32 * 16 + 64)) - 1) < 0.001, inside.halo
END
}

@test "times of one GPU are those of its reports" {
    PYTHONPATH=run python3 - <<'END'
import glob, math
from prediction import read_processor, read_report
for order in (2, 4):
    reports = [read_report(path) for path in sorted(glob.glob(f"docs/scaling-h100/one-gpu/order{order}-*.json"))]
    processor = read_processor(reports, "docs/machines/NVIDIA-H200-cycles.csv")
    for n in (16, 32, 64, 128, 256, 512):
        seconds = min(solve["seconds_per_solve"] for report in reports for solve in report["solves"] if solve["n"] == n)
        assert math.isclose(processor.cycle((n, n, n)), seconds, rel_tol=1e-9), (order, n)
    assert processor.tail and max(processor.tail) == 64
END
}

@test "measured runs: times, speed-ups and errors; docs/SCALING.md has those of the repository" {
    printf '%s\n' order,log2_box_dim,ranks,level,n,seconds_per_solve,seconds_on_one,note \
        2,3,1,h,16,1e-3,,one 2,3,2,h,16,380e-6,,first 2,3,2,h,16,988e-6,1320e-6,second >"$work/results.csv"
    predict --measured "$work/results.csv"
    [ "$status" -eq 0 ]
    grep -qE '^ +2 +2 +16\^3 +8 +0\.380 +0\.494 +\+30\.0 %  first$' <<<"$output"
    grep -qE '^ +2 +2 +16\^3 +8 +0\.988 +0\.988 +[+-]0\.0 %  second$' <<<"$output"
    grep -q '^2 runs: mean of |error| 15\.0 %, ' <<<"$output"
    run run/predict docs/scaling-h100/one-gpu/*.json --cycles docs/machines/NVIDIA-H200-cycles.csv --program "$HPGMG" \
        --transport peer --measured docs/scaling-h100/results.csv
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qF "$(grep '^10 runs: ' <<<"$output")" docs/SCALING.md
}

@test "measured runs: medians where the table has them, and noisy ones are named" {
    printf '%s\n' order,log2_box_dim,ranks,level,n,median_seconds,noisy \
        2,3,2,h,16,380e-6,no 2,3,2,h,16,988e-6,run >"$work/results.csv"
    predict --measured "$work/results.csv"
    [ "$status" -eq 0 ]
    grep -qE '^ +2 +2 +16\^3 +8 +0\.380 +0\.494 +\+30\.0 %$' <<<"$output"
    grep -qE '^ +2 +2 +16\^3 +8 +0\.988 +0\.494 +-50\.0 %  noisy$' <<<"$output"
}

@test "measured runs by one of several transports" {
    printf '%s\n' order,log2_box_dim,ranks,level,n,seconds_per_solve,transport \
        2,3,1,h,16,1e-3, 2,3,2,h,16,380e-6,peer 2,3,2,h,16,988e-6,staged >"$work/results.csv"
    predict --measured "$work/results.csv"
    grep -q '^2 runs: ' <<<"$output"
    predict --measured "$work/results.csv" --transport staged
    grep -q '^1 runs: mean of |error| 50\.0 %' <<<"$output"
    predict --measured "$work/results.csv" --transport cuda-aware
    [ "$status" -eq 2 ]
    [[ $output == *"has no run on several ranks by cuda-aware of an order that the reports have" ]]
}

@test "measured runs whose domain is no cube, and their coarser levels" {
    printf '%s\n' order,log2_box_dim,ranks,level,n,cells,seconds_per_solve \
        2,3,3,h,32,32x24x16,1e-3 2,3,3,2h,16,16x12x8,5e-4 2,3,8,h,32,32^3,1e-3 >"$work/results.csv"
    predict --measured "$work/results.csv" --program "$HPGMG"
    [ "$status" -eq 0 ]
    grep -qE '^ +2 +3 +32x24x16 +8 +1\.000 ' <<<"$output"
    grep -qE '^ +2 +3 +16x12x8 +8 +0\.500 ' <<<"$output"
    PYTHONPATH=run python3 - <<'END'
from importlib.machinery import SourceFileLoader
predict = SourceFileLoader("predict", "run/predict").load_module()
for row, words in (({"level": "h", "cells": (32, 24, 16)}, ["--domain", "4x3x2", "3", "8"]),
                   ({"level": "2h", "cells": (16, 12, 8)}, ["--domain", "4x3x2", "3", "8"]),
                   ({"level": "h", "cells": (16, 16, 16)}, ["3", "3"])):
    assert predict.domain_of_run({"ranks": 3, "log2_box_dim": 3, **row}).words() == words, row
END
}

@test "files: a row per prediction, a row per level, and the figure" {
    predict --ranks 1,2 --strong 3:2 --output "$work/out"
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$work/out/predict.csv")" -eq 3 ]
    [ "$(wc -l <"$work/out/levels.csv")" -eq 7 ]
    ! python3 -c 'import matplotlib' 2>/dev/null || [ -s "$work/out/predict.png" ]
}

# edit NAME PYTHON: a changed copy of the report
edit() {
    python3 -c "import json, sys
report = json.load(open('$work/one.json'))
solve = report['solves'][0]
$2
json.dump(report, open('$work/$1.json', 'w'))"
}

@test "noisy reports are refused, and of schema 2 the median counts" {
    edit noisy 'report["schema"] = 2; solve.update(seconds={"median": 50e-6}, noisy=True)'
    run run/predict "$work/noisy.json" --program "$work/program" --strong 3:2
    [ "$status" -eq 2 ]
    [ "$output" = "predict: error: $work/noisy.json: times of 8^3 are noisy (spread or drift above 10 %), and no other\
 report has better ones: run it longer (--min-time), or on a machine without other work" ]
    # Another report with quiet times of that size counts in its place, even if the noisy ones are shorter.
    edit quiet 'report["schema"] = 2; solve.update(seconds_per_solve=1, seconds={"median": 200e-6}, noisy=False)'
    run run/predict "$work/noisy.json" "$work/quiet.json" --program "$work/program" --weak 3:1 --ranks 1
    [ "$status" -eq 0 ]
    grep -qE '^weak 3:1, order 2, staged +1 +8\^3 +never +0\.200 ' <<<"$output"
    [ "$(grep -c warning <<<"$output")" -eq 0 ]
}

@test "no prediction beyond eight times the cells of the largest report, or of a CPU with the network of GPUs" {
    predict --weak 4:1 --ranks 1
    [ "$status" -eq 0 ]
    predict --weak 4:2 --ranks 1
    [ "$status" -eq 2 ]
    [[ $output == *"8192 cells per rank are more than 8 times those of the largest report of order 2, 8^3" ]]
    edit cpu 'report["hierarchy"]["levels"][0]["backend"] = "cpu"'
    run run/predict "$work/cpu.json" --program "$work/program" --strong 3:2 --ranks 2 --bandwidth-inside 4
    [ "$status" -eq 2 ]
    [ "$output" = "predict: error: $work/cpu.json: of a CPU, which needs --latency-inside: their defaults are H200s'" ]
    run run/predict "$work/cpu.json" --program "$work/program" --strong 3:2 --ranks 2 --bandwidth-inside 4 --latency-inside 2
    [ "$status" -eq 0 ]
}

@test "warnings: defaults of the network, ranks beyond those compared, reports that do not record noise" {
    predict --ranks 4 --strong 3:2
    [ "$(grep -c '^predict: warning: ' <<<"$output")" -eq 1 ]
    grep -qx "predict: warning: $work/one.json: of schema 1, which does not record how noisy times are" <<<"$output"
    run run/predict "$work/one.json" --program "$work/program" --strong 3:2 --ranks 5 --ranks-per-node 4
    [ "$status" -eq 0 ]
    grep -q '^predict: warning: --latency-inside, --bandwidth-inside, --latency-between, --bandwidth-between by default' <<<"$output"
    grep -qx 'predict: warning: 5 ranks: the model was compared with at most 4 ranks of one host' <<<"$output"
    run run/predict "$work/one.json" --program "$work/program" --strong 3:2 --ranks 2 --latency-inside 3
    grep -q '^predict: warning: --bandwidth-inside by default' <<<"$output"
    [[ $output != *"ranks of one host"* ]]
}

@test "of messages inside a node and between nodes the slower ones count, with their bytes" {
    # Inside: 2 µs and 4 kB at 0.1 GB/s. Between: 5 µs, 3 further messages of 1 µs each, and 4 kB at 2 GB/s.
    PYTHONPATH=run python3 - <<'END'
import math
from prediction import Network, Traffic
traffic = Traffic(7, 4, 8000)
for inside, latency, transfer in ((0.1e9, 2e-6, 40e-6), (10e9, 8e-6, 2e-6)):
    found = Network(2e-6, inside, 5e-6, 2e9, 1e-6, 0.0, 1e9, 2).exchange(traffic, traffic.bytes, 0.5)
    assert math.isclose(found[0], latency) and math.isclose(found[1], transfer), found
END
    # Two nodes of two ranks, slow inside.
    run run/predict docs/scaling-h100/one-gpu/order2-*.json --cycles docs/machines/NVIDIA-H200-cycles.csv --program "$HPGMG" \
        --ranks 4 --ranks-per-node 2 --strong 5:2 --agglomerate never --bandwidth-inside 0.01 --output "$work/slow"
    [ "$status" -eq 0 ]
    run run/predict docs/scaling-h100/one-gpu/order2-*.json --cycles docs/machines/NVIDIA-H200-cycles.csv --program "$HPGMG" \
        --ranks 4 --ranks-per-node 2 --strong 5:2 --agglomerate never --bandwidth-inside 257 --output "$work/fast"
    python3 - "$work" <<'END'
import csv, sys
slow, fast = (float(next(csv.DictReader(open(f"{sys.argv[1]}/{name}/predict.csv")))["seconds_per_solve"]) for name in ("slow", "fast"))
assert slow > 2 * fast, (slow, fast)
END
}

@test "what cannot be predicted from gives one line and status 2" {
    local wrong
    sed 's/"VALID"/"INVALID"/' "$work/one.json" >"$work/invalid.json"
    sed 's/"ranks": 1/"ranks": 2/' "$work/one.json" >"$work/two.json"
    sed 's/"stages": \[.*/"stages": []}]}/; /^   {/d' "$work/one.json" >"$work/quiet.json"
    sed 's/"n": 8, "sec/"n": 32, "sec/' "$work/one.json" >"$work/gap.json"
    sed 's/"hierarchy"/"other"/' "$work/one.json" >"$work/foreign.json"
    sed 's/"n": 8, "sec/"n": 8, "cells": [8, 4, 4], "sec/' "$work/one.json" >"$work/flat.json"
    printf '%s\n' order,log2_box_dim,ranks,level,n,cells,seconds_per_solve 2,3,2,h,16,16by8,1e-3 >"$work/cells.csv"
    echo '[]' >"$work/list.json"
    echo 'a,b' >"$work/table.csv"
    printf '#!/bin/sh\necho "hpgmg-gpu: error: no" >&2\nexit 2\n' >"$work/refuses" && chmod +x "$work/refuses"
    for wrong in "$work/one.json" "$work/none.json --strong 3:2" "$work/invalid.json --strong 3:2" \
        "$work/two.json --strong 3:2" "$work/quiet.json --strong 3:2" "$work/list.json --strong 3:2" \
        "$work/foreign.json --strong 3:2" "$work/flat.json --strong 3:2" "$work/one.json $work/gap.json --strong 3:2" \
        "$work/one.json --strong 3:2 --program $work/none" "$work/one.json --strong 3:2 --program $work/refuses" \
        "$work/one.json --strong 3:2 --program /bin/true" "$work/one.json --strong 3" "$work/one.json --weak 3:1 --ranks 0" \
        "$work/one.json --strong 3:2 --latency-between -1" "$work/one.json --strong 3:2 --between fast" \
        "$work/one.json --strong 3:2 --sweeps-per-exchange 7" "$work/one.json --strong 3:2 --ranks-per-node 0" \
        "$work/one.json --strong 3:2 --cycles $work/table.csv" "$work/one.json --measured $work/table.csv" \
        "$work/one.json --measured $work/cells.csv" "$work/one.json --measured README.md" "$work/one.json --measured $HPGMG" \
        "$work/one.json --strong 3:2 --cpu-below 100 --program $work/program"; do
        # shellcheck disable=SC2086
        run run/predict $wrong
        echo "$wrong: $output"
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "predict: error: "* ]]
    done
}
