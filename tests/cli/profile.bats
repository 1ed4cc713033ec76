#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# run/profile: what it asks of ncu and nsys, what it reads from their tables, and one line where something is missing.
# The profilers are stand-ins that write down their arguments and print tables; the values in them are made up.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    command -v python3 >/dev/null || skip "no python3"
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    T=$BATS_TEST_TMPDIR
    export CALLS=$T/calls CUDA_HOME=$T/no-cuda
    mkdir "$T/bin"
    PATH=$T/bin:$PATH
}

# tool NAME LINE...: a stand-in, which writes down how it was called
tool() {
    printf '%s\n' '#!/usr/bin/env bash' 'printf "%s\n" "$*" >>"$CALLS"' "${@:2}" >"$T/bin/$1"
    chmod +x "$T/bin/$1"
}

ncu() { # LINE...: does these when it is to collect, and prints the table $T/table when it is to import
    tool ncu 'if [ "$1" = --import ]; then cat "$(dirname "$CALLS")/table"; exit; fi' "$@"
}

# column NAME UNIT VALUE...: a metric, with its value in each launch
column() {
    names+=",\"$1\"" units+=",\"$2\""
    local launch
    for launch in "${!rows[@]}"; do
        rows[launch]+=",\"${*:launch+3:1}\""
    done
}

# table KERNEL...: a raw page in CSV: names, units, and a row per launch of these kernels
table() {
    local kernel launch=0
    names='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
    units='"","","","","","","","","","",""' rows=()
    for kernel; do
        rows+=("\"$launch\",\"7\",\"hpgmg-lab\",\"127.0.0.1\",\"$kernel\",\"1\",\"7\",\"(256, 1, 1)\",\"(132, 1, 1)\",\"0\",\"9.0\"")
        launch=$((launch + 1))
    done
}

write_table() {
    printf '%s\n' '==PROF== Connected to process 7 (hpgmg-lab)' "$names" "$units" "${rows[@]}" >"$T/table"
}

# launches N [BUSY...]: the table of N launches of one kernel, which keep the units so busy, and the tool's answer to it
launches() {
    local kernels
    mapfile -t kernels < <(yes 'void k(int)' | head -n "$1")
    table "${kernels[@]}"
    column gpu__time_duration.sum nsecond 1 1 1 1 1 1 1 1
    [ $# -eq 1 ] || units_busy "${@:2}"
    write_table
    ncu 'exit 0'
}

# units_busy DRAM L2 L1 FP64 ISSUE: of each launch the same percentages
units_busy() {
    local name active=.avg.pct_of_peak_sustained_active elapsed=.avg.pct_of_peak_sustained_elapsed
    for name in dram__throughput$elapsed lts__d_sectors$elapsed l1tex__data_pipe_lsu_wavefronts$elapsed \
        sm__inst_executed_pipe_fp64$active smsp__issue_active$active; do
        column "$name" % "$1" "$1"
        shift
    done
}

kernel() {
    run run/profile kernel --program "$HPGMG_LAB" --output "$T/out" "$@"
    echo "$output"
}

has() { # TEXT: a line of the output has it; spaces count as one
    tr -s ' ' <<<"$output" | grep -qF -- "$1"
}

@test "the table of the launch that takes longest" {
    table 'void walls_kernel(walls)' 'void fv2::gsrb_kernel<(bool)1, (int)2>(fv2_gsrb, int)'
    column gpu__time_duration.sum nsecond "25,000" "75,000"
    units_busy 81.5 40 30 20 35
    column dram__bytes_read.sum byte 5 "1,000,000"
    column dram__bytes_write.sum byte 5 "572,864"
    column l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum sector 1 "8,800"
    column l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum request 1 "1,000"
    column smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio byte/sector 1 "29.10"
    column sm__warps_active.avg.pct_of_peak_sustained_active % 1 24.5
    column sm__maximum_warps_per_active_cycle_pct % 1 25
    column launch__occupancy_limit_registers block 1 2
    column launch__occupancy_limit_shared_mem block 1 3
    column l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum "" 1 10
    column l1tex__data_pipe_lsu_wavefronts_mem_shared.sum "" 1 100
    column lts__t_sector_hit_rate.pct % 1 n/a
    column smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio inst 1 1
    column smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio inst 1 6
    column smsp__average_warps_issue_stalled_selected_per_issue_active.ratio inst 1 1
    column smsp__average_warps_issue_stalled_wait_per_issue_active.ratio inst 1 2
    write_table
    ncu 'exit 0'
    kernel 64
    [ "$status" -eq 0 ]
    has ' 0.0250 ms 25 % walls_kernel'
    has ' * 0.0750 ms 75 % fv2::gsrb_kernel<1, 2>'
    has 'how busy: DRAM? 81.5 % a limit dram__throughput'
    has 'how busy: L2? 40 % no limit'
    has 'warps resident? 24.5 % 25 % possible, for registers'
    has 'bytes from and to DRAM? 6 B/cell' # 1572864 of 64³
    has 'sectors per request, loads? 8.8 29 of 32 bytes used'
    has 'sectors per request, stores? n/a'
    has 'found in L2? n/a'
    has 'replays for bank conflicts? 10 % of shared-memory passes'
    has 'waiting for global or local memory? 60 %'
    has 'waiting for the fixed latency of an instruction? 20 %'
    [ "$(grep -c '^waiting for' <<<"$output")" -eq 3 ]
    has 'limited by bandwidth: DRAM at 82 % and issue slots at 35 %'
}

@test "launches that were not profiled are not passed over in silence" {
    launches 8
    kernel 64
    has "launches of one run of the stage, the first 8"
    launches 1
    kernel 64
    [ "${lines[0]}" = "launches of one run of the stage" ]
    has "limited by unknown: counters are missing"
}

@test "the 60 % rule has four classes" {
    local -A busy=([bandwidth]="20 60 30 10 59" [compute]="59 40 30 60 20" [both]="10 20 75 10 80" [latency]="59 59 59 59 59")
    local class
    for class in "${!busy[@]}"; do
        launches 1 ${busy[$class]}
        kernel 64
        [ "$status" -eq 0 ]
        has "limited by $class: "
    done
}

@test "ncu profiles what the lab launches in its range, with the options given" {
    launches 1
    kernel --order 4 --stage sweep --kernels fv4/sweep --options "--boundary periodic" 32
    [ "$status" -eq 0 ]
    grep -qF -- "--nvtx --nvtx-include checked_stage/ --launch-count 8 " "$CALLS"
    grep -qF '"checked_stage"' lab/stage_case.c
    grep -qE -- "--export $T/out/order4-sweep-fv4_sweep-32.ncu-rep $HPGMG_LAB kernel --backend gpu --order 4 --stage sweep --kernels fv4/sweep .* --boundary periodic 32$" "$CALLS"
    grep -qF -- "--import $T/out/order4-sweep-fv4_sweep-32.ncu-rep --csv --page raw" "$CALLS"
}

@test "the options for the lab are legal there" {
    run run/profile kernel --dry-run --program "$HPGMG_LAB" 32
    [ "$status" -eq 0 ]
    command=${output#*"$HPGMG_LAB" kernel --backend gpu}
    run "$HPGMG_LAB" kernel --backend cpu $command
    [ "$status" -eq 0 ]
}

@test "one line where the lab, the permission or the tool is missing" {
    ncu 'echo "hpgmg-lab: error: --kernels: no kernel is called '"'x'"'"; echo "==ERROR== The application returned an error code (2)."; exit 2'
    kernel --kernels x 32
    [ "$status" -eq 2 ]
    [ "$output" = "profile: error: --kernels: no kernel is called 'x'" ]
    ncu 'echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0."; exit 0'
    kernel 32
    [ "$status" -eq 3 ]
    [[ $output == "profile: error: only root may"*NVreg_RestrictProfilingToAdminUsers=0* ]]
    [ "${#lines[@]}" -eq 1 ]
    ncu 'echo "==WARNING== No kernels were profiled."; exit 0'
    echo "==WARNING== nothing" >"$T/table"
    kernel 32
    [ "$status" -eq 1 ]
    [[ $output == "profile: error: no kernel ran in the lab's range checked_stage"* ]]
    rm "$T/bin/ncu"
    command -v ncu >/dev/null || {
        kernel 32
        [ "$status" -eq 3 ]
        [[ $output == "profile: error: no ncu in PATH or $T/no-cuda/bin"* ]]
    }
}

@test "wrong options are refused" {
    for wrong in "kernel" "kernel --order 3 32" "other" ""; do
        run run/profile $wrong
        [ "$status" -eq 2 ]
    done
}

@test "a solve is traced with the program's own options, and its kernels are listed by time" {
    tool nsys '[ "$1" = stats ] || exit 0' 'echo "Processing [solve.sqlite] with [cuda_gpu_kern_sum.py]..."' \
        'echo "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"' \
        'echo "75.0,3000000,30,100000.0,1,1,1,1.0,\"void fv2::gsrb_kernel<(bool)1, (int)2>(fv2_gsrb, int)\""' \
        'echo "25.0,1000000,10,100000.0,1,1,1,1.0,tail_kernel(tail)"'
    run run/profile solve --program ./hpgmg-gpu --output "$T/out" --launcher "go 2" --order 4 7 8
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qE -- "^profile .*--output $T/out/solve go 2 ./hpgmg-gpu --order 4 7 8$" "$CALLS"
    has ' 75.0 3.000 30 100.00 fv2::gsrb_kernel<1, 2>'
    has ' 25.0 1.000 10 100.00 tail_kernel'
    tool nsys '[ "$1" = stats ] || exit 0' 'echo "SKIPPED: solve.sqlite does not contain CUDA kernel data."'
    run run/profile solve --output "$T/out" 3 1
    [ "$status" -eq 1 ]
}

@test "PROFILE=1 builds in a folder of its own, with line information" {
    run env -u MAKEFLAGS -u MODE make --no-print-directory PROFILE=1 CUDA=1 ARCH=sm_90 info
    [ "$status" -eq 0 ]
    grep -qE '^BUILD +build/.*-profile$' <<<"$output"
    grep -qE '^CFLAGS .*-O3 .*-fno-omit-frame-pointer .*-g' <<<"$output"
    grep -qE '^ALL_NVCCFLAGS .* -lineinfo( |$)' <<<"$output"
    run env -u MAKEFLAGS -u MODE make --no-print-directory CUDA=1 ARCH=sm_90 info
    ! grep -q 'lineinfo' <<<"$output"
}
