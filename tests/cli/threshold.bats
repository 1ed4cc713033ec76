#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/threshold: its commands, its table of results, the optimum, how it resumes, and what it refuses. A program that
# only writes reports stands for hpgmg-gpu with a GPU.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    study=$BATS_TEST_TMPDIR/study
    program=$BATS_TEST_TMPDIR/program
    command -v python3 >/dev/null || skip "no python3"
    fake_program
    mkdir "$BATS_TEST_TMPDIR/no" && echo 'raise ImportError("gone")' >"$BATS_TEST_TMPDIR/no/matplotlib.py"
    export PYTHONPATH=$BATS_TEST_TMPDIR/no # figures, of which one test asks, take seconds
}

# Levels 16^3, 8^3, 4^3. A level takes 3 s, 2 s, 1 s on the GPU, and half of it on the CPU with one thread, three times as
# long with more; moving to the CPU and back takes 0.25 s. The median is the stages' sum, and the mean twice as long. FAKE_CHECKSUM is the checksum with levels on the CPU.
fake_program() {
    cat >"$program" <<'END'
#!/usr/bin/env python3
import json, os, sys
options = dict(zip(sys.argv[1:], sys.argv[2:]))
below = options["--cpu-below"]
threads = int(os.environ["OMP_NUM_THREADS"])
if below == os.environ.get("FAKE_FAILS"):
    sys.exit("hpgmg-gpu: error: no such luck")
sizes = (16, 8, 4)
backends = ["cpu" if below != "never" and n**3 < int(below) else "gpu" for n in sizes]
factor = {"gpu": 1, "cpu": 0.5 if threads == 1 else 3}
stages = [{"level": level, "stage": "zero+smooth", "seconds": (3 - level) * factor[backend]}
          for level, backend in enumerate(backends)]
stages += [{"level": level, "stage": "agglomerate", "seconds": 0.25} for level in (0, 1)
           if backends[level] != backends[level + 1]]
stages.append({"level": 0, "stage": "distribute", "seconds": 0.125})
hybrid = "cpu" in backends
seconds = sum(stage["seconds"] for stage in stages)
report = {"schema": 3, "verdict": "VALID", "complete": True, "ranks": int(os.environ.get("FAKE_RANKS", 1)), "threads": threads,
          "order": int(options["--order"]), "config": {"agglomerate-below": options.get("--agglomerate-below", "auto")},
          "environment": {"gpu": "A GPU", "cpu": "A CPU"},
          "hierarchy": {"levels": [{"n": n, "backend": b} for n, b in zip(sizes, backends)]},
          "solves": [{"n": 16, "seconds_per_solve": 2 * seconds,
                      "seconds": {"min": 0.5 * seconds, "median": seconds, "spread": 0.25},
                      "checksum": os.environ.get("FAKE_CHECKSUM", "abc") if hybrid else "abc", "stages": stages}]}
if hybrid:
    report["solves"][0]["hand_over"] = "graph"
    if "FAKE_RECORDED" in os.environ: # means of the timed solves, as seconds_per_solve is
        report["solves"][0].update(cpu_seconds=0.5 * seconds, hand_over_seconds=0.25 * seconds)
with open(options["--json"], "w") as file:
    json.dump(report, file)
print("VERDICT: VALID")
sys.exit(int(os.environ.get("FAKE_STATUS", 0)))
END
    chmod +x "$program"
}

threshold() { # OPTION...: a small study; sets status and output
    run run/threshold --program "$program" --output "$study" --sizes 3:8 --orders 2 --threads 1 --below 65,never,513 "$@"
}

column() { # NAME LEVEL BELOW: the values of a column
    awk -F , -v name="$1" -v level="$2" -v below="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i }
        $place["level"] == level && $place["cpu_below"] == below { print $place[name] + 0 }' RS='\r?\n' "$study/results.csv"
}

@test "a dry run prints the commands and leaves nothing" {
    run run/threshold --dry-run --sizes 7:8,8:8 --orders 4,2 --threads 1,4 --below 65,never --agglomerate 513,never \
        --solves 3 --launcher "mpirun -n 2" --output "$study"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 32 ]
    [ "${lines[0]}" = "mpirun -n 2 env OMP_NUM_THREADS=1 ./hpgmg-gpu --order 2 --cpu-below never --agglomerate-below never\
 --solves 3 --json $study/order2-7x8-threads1-belownever-agglomeratenever.json --breakdown --backend gpu 7 8" ]
    [[ ${lines[31]} == *" OMP_NUM_THREADS=4 "*" --order 4 --cpu-below 65 --agglomerate-below 513 "*" 8 8" ]]
    [ ! -e "$study" ]
    run run/threshold --dry-run
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 48 ]
    [[ $output != *agglomerate* ]]
}

@test "rows for each run and level, with the time of GPU, hand-over and CPU apart" {
    threshold
    [ "$status" -eq 0 ]
    [ "$(wc -l <"$study/results.csv")" -eq 13 ] # 3 runs, 3 levels and all together
    [ "$(column gpu_seconds all never)" = 6.125 ] # data that stay on the GPU are no hand-over
    [ "$(column hand_over_seconds all never)" = 0 ]
    [ "$(column gpu_seconds all 65)" = 5.125 ]
    [ "$(column hand_over_seconds 1 65)" = 0.25 ]
    [ "$(column cpu_seconds 2 65)" = 0.5 ]
    [ "$(column level_n 2 65)" = 4 ]
    [ "$(column median_seconds all 65)" = 5.875 ]
    [ "$(column spread all 65)" = 0.25 ]
    [ "$(column min_seconds all 65)" = 2.9375 ]
    [ "$(column cpu_seconds all 513)" = 1.5 ]
    grep -q ',abc,graph,all,' "$study/results.csv"
    rm -r "$study"
    FAKE_RECORDED=1 threshold # a quarter of the mean is the CPU's: so is a quarter of the median
    [ "$(column cpu_seconds all 65)" = 1.46875 ]
    [ "$(column hand_over_seconds all 65)" = 0.734375 ]
    [ "$(column gpu_seconds all 65)" = 3.67188 ] # awk prints six digits
}

@test "the table has the optimum of each size and order" {
    threshold --threads 1,4 --orders 2,4
    [ "$status" -eq 0 ]
    grep -qxF '| 16^3 | 2 | 1 | 513 | 1 | auto | 4875.000 | 6125.000 | 0.80 |' <<<"$output"
    grep -qxF '| 16^3 | 4 | 1 | 513 | 1 | auto | 4875.000 | 6125.000 | 0.80 |' <<<"$output"
    threshold --threads 4
    grep -qxF '| 16^3 | 2 | 1 | never | 4 | auto | 6125.000 | 6125.000 | 1.00 |' <<<"$output"
    FAKE_RANKS=2 threshold --launcher 'nice -n 1' --agglomerate 65 --below 513
    grep -qxF '| 16^3 | 2 | 2 | 513 | 1 | 65 | 4875.000 | not run |  |' <<<"$output"
}

@test "the same command resumes; a damaged report or another command runs again" {
    threshold
    cp "$study/results.csv" "$BATS_TEST_TMPDIR/first.csv"
    : >"$study/order2-3x8-threads1-below65.json"
    threshold
    [ "$status" -eq 0 ]
    [ "$(grep -c ': is there$' <<<"$output")" -eq 2 ]
    diff "$study/results.csv" "$BATS_TEST_TMPDIR/first.csv"
    threshold --solves 7
    [ "$(grep -c ': is there$' <<<"$output")" -eq 0 ]
    sed -i 's/"VALID"/"INVALID"/' "$study/order2-3x8-threads1-below513.json"
    threshold --solves 7
    [ "$(grep -c ': is there$' <<<"$output")" -eq 2 ]
}

@test "a failed run is named and has no rows, even if there is a report or an older command's" {
    threshold
    FAKE_FAILS=65 threshold --solves 7
    [ "$status" -eq 1 ]
    [[ $output == *"threshold: error: order2-3x8-threads1-below65: status 1: hpgmg-gpu: error: no such luck"* ]]
    [ -z "$(column level all 65)" ]
    rm -r "$study"
    FAKE_STATUS=5 threshold --below 65
    [ "$status" -eq 1 ]
    [ ! -e "$study/results.csv" ]
    threshold --below 65
    [ "$status" -eq 0 ]
    [ "$(grep -c ': is there$' <<<"$output")" -eq 0 ]
}

@test "differing checksums are an error" {
    FAKE_CHECKSUM=def threshold --below never,65
    [ "$status" -eq 1 ]
    [[ $output == *"different answers to the same problem: order2-3x8-threads1-below65.json and "* ]]
}

@test "figures, or a word that there are none" {
    threshold
    [ "$status" -eq 0 ]
    [[ $output == *"no figures: matplotlib is missing"* ]]
    unset PYTHONPATH
    python3 -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
    threshold --threads 1,4 --orders 2,4
    [ "$status" -eq 0 ]
    for figure in threshold levels; do
        [ "$(head -c 4 "$study/$figure.png" | tail -c 3)" = PNG ]
    done
}

@test "wrong options" {
    local wrong
    for wrong in "--sizes 7" "--orders 3" "--threads 0" "--threads x" "--below auto" "--below 0" "--agglomerate 1,,2" \
        "--solves 0" "--colour"; do
        # shellcheck disable=SC2086
        run run/threshold --output "$study" $wrong
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "threshold: error: "* ]]
    done
    run run/threshold --output "$study" --options '--fuse off --backend cpu'
    [ "$status" -eq 2 ]
    [[ $output == "threshold: error: --options: with --backend cpu all levels are on the CPU"* ]]
    [ "${#lines[@]}" -eq 1 ]
    [ ! -e "$study" ]
}
