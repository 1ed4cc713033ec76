#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Who starts the ranks does not matter: the program asks MPI, not a launcher's environment, which ranks share a node; it
# runs on the threads and processors that it is given. And the job scripts of run/jobs/ start what they say.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export OMP_NUM_THREADS=1
    export PATH=/usr/bin:$PATH # the system's python3, which has the system's packages
    work=$BATS_TEST_TMPDIR
}

# report VARIABLE=VALUE...: a run of three ranks with these in their environment; prints what it says of ranks and nodes
report() {
    # shellcheck disable=SC2086  # MPIRUN is a command with options
    $MPIRUN -n 3 env "$@" "$HPGMG" --backend cpu --solves 1 --checksum --ranks-table --json "$work/report.json" 3 8 \
        >"$work/stdout" 2>"$work/stderr" || return 1
    grep '^checksum' "$work/stdout"
    jq -c '.environment | [.nodes, .ranks_per_node]' "$work/report.json"
    jq -c '.rank_table[] | [.rank, .host, .cpuset]' "$work/report.json"
}

@test "what launchers say of nodes and local ranks changes nothing, whatever it is" {
    local true_report
    true_report=$(report UNRELATED=1)
    [ "$(wc -l <<<"$true_report")" -eq 5 ]
    grep -qx '\[1,3\]' <<<"$true_report"
    # Each rank alone on a node of its own, then all of them number 2 of 64.
    [ "$(report SLURM_LOCALID=0 SLURM_NTASKS_PER_NODE=1 SLURM_NNODES=3 SLURM_NODEID=2 SLURM_TASKS_PER_NODE='1(x3)' \
        OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1 OMPI_COMM_WORLD_NODE_RANK=0 \
        MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1 PALS_LOCAL_RANKID=0 PBS_NODENUM=2 MV2_COMM_WORLD_LOCAL_RANK=0)" = "$true_report" ]
    [ "$(report SLURM_LOCALID=2 SLURM_NTASKS_PER_NODE=64 SLURM_NNODES=1 SLURM_GPUS_PER_TASK=1 \
        OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=64 MPI_LOCALRANKID=2 MPI_LOCALNRANKS=64 \
        PALS_LOCAL_RANKID=2 PBS_TASKNUM=2 MV2_COMM_WORLD_LOCAL_RANK=2 MV2_COMM_WORLD_LOCAL_SIZE=64)" = "$true_report" ]
}

@test "threads and processors are those that the ranks are given" {
    [ "$(getconf _NPROCESSORS_ONLN)" -ge 2 ] || skip "one processor"
    local first
    first=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
    report OMP_NUM_THREADS=200
    grep -qE ' threads +200( |$)' "$work/stdout"
    grep -q '^hpgmg-gpu: warning: 200 threads per rank, but one rank may use only ' "$work/stderr"
    report taskset -c "$first"
    [ "$(jq -c '[.environment.usable_processors, .rank_table[].cpuset]' "$work/report.json")" = "[1,\"$first\",\"$first\",\"$first\"]" ]
    # One rank that is bound elsewhere is seen where it is.
    # shellcheck disable=SC2086
    $MPIRUN -n 2 "$HPGMG" --backend cpu --solves 1 --json "$work/report.json" 3 8 : \
        -n 1 taskset -c "$first" "$HPGMG" --backend cpu --solves 1 --json "$work/report.json" 3 8 >"$work/stdout"
    [ "$(jq -c .environment.usable_processors "$work/report.json")" = 1 ]
    [ "$(jq -r '.rank_table[2].cpuset' "$work/report.json")" = "$first" ]
    [ "$(jq -r '.rank_table[0].cpuset' "$work/report.json")" != "$first" ]
}

# --- job scripts ---------------------------------------------------------------------------------

# launcher NAME: a stand-in that notes its command, and starts the ranks with mpirun. It takes the options of our scripts
# only.
launcher() {
    cat >"$work/bin/$1" <<END
#!/usr/bin/env bash
echo "$1 \$*" >>"$work/commands"
echo "\$OMP_NUM_THREADS" >>"$work/threads"
while [[ \$1 == -* ]]; do
    case $1\ \$1 in
    srun\ --ntasks=*) ranks=\${1#*=} && shift ;;
    srun\ --nodes=[12] | srun\ --cpus-per-task=[0-9]) shift ;;
    srun\ --gpu-bind=none | srun\ --cpu-bind=cores) shift ;;
    mpiexec\ -n | jsrun\ --np) ranks=\$2 && shift 2 ;;
    mpiexec\ --map-by | mpiexec\ --bind-to | mpiexec\ -x | jsrun\ -[ragcb]) shift 2 ;;
    *) echo "$1: unknown option \$1" >&2 && exit 2 ;;
    esac
done
exec $MPIRUN -n "\$ranks" "\$@"
END
    chmod +x "$work/bin/$1"
}

# job SCRIPT LAUNCHER VARIABLE=VALUE...: runs the script as its system would, with a small study in the place of its own
job() {
    local scripts=$PWD/run
    mkdir -p "$work/bin" "$work/run"
    launcher "$2"
    cat >"$work/run/scaling" <<END
#!/bin/sh
exec "$scripts/scaling" "\$@" --program "$HPGMG" --ranks 1,2 --weak 3:8 --strong 3:2 --order 2 --solves 1 --options '--backend cpu'
END
    chmod +x "$work/run/scaling"
    (cd "$work" && env RUN="$work/run" PATH="$work/bin:$PATH" "${@:3}" bash "$scripts/jobs/$1") >"$work/stdout" 2>&1 ||
        { cat "$work/stdout" && return 1; }
}

# study NAME: the folder has the results of four VALID runs
study() {
    [ "$(wc -l <"$work/$1/results.csv")" -eq 13 ]
    [ "$(grep -l '"verdict": *"VALID"' "$work/$1"/*.json | wc -l)" -eq 4 ]
}

# commands WORDS COMMAND...: the first WORDS words of all that were run
commands() {
    [ "$(cut -d ' ' -f "1-$1" "$work/commands" | sort -u)" = "$(printf '%s\n' "${@:2}")" ]
}

# number SCRIPT TEXT: the first number that follows TEXT in the script
number() {
    sed -nE "s/.*$2([0-9]+).*/\\1/p" "run/jobs/$1" | head -n 1
}

@test "a job of Slurm: ranks and GPUs per node agree, and the study runs" {
    # Other numbers than the script's, which differ from each other: one rank per node, so the second point takes two nodes.
    job slurm.sh srun SLURM_JOB_ID=17 SLURM_CPUS_PER_TASK=3 SLURM_NTASKS_PER_NODE=1 SLURM_CPUS_ON_NODE=7 SLURM_NTASKS=6 \
        SLURM_TASKS_PER_NODE='5(x2)' SLURM_NNODES=2
    study scaling-17
    commands 6 'srun --nodes=1 --ntasks=1 --cpus-per-task=3 --gpu-bind=none --cpu-bind=cores' \
        'srun --nodes=2 --ntasks=2 --cpus-per-task=3 --gpu-bind=none --cpu-bind=cores'
    [ "$(sort -u "$work/threads")" = 3 ]
    [ "$(jq .threads "$work/scaling-17"/weak-*-ranks2.json)" = 3 ]
    # Few ranks stay within a node.
    rm "$work/commands"
    job slurm.sh srun SLURM_JOB_ID=18 SLURM_CPUS_PER_TASK=3 SLURM_NTASKS_PER_NODE=2
    commands 3 'srun --nodes=1 --ntasks='{1,2}
    # Without the variables: what the script asks sbatch for.
    rm "$work/commands" "$work/threads"
    job slurm.sh srun SLURM_JOB_ID=19
    commands 4 'srun --nodes=1 --ntasks='{1,2}" --cpus-per-task=$(number slurm.sh --cpus-per-task=)"
    [ "$(number slurm.sh 'SLURM_NTASKS_PER_NODE:-')" -eq "$(number slurm.sh --ntasks-per-node=)" ]
    [ "$(number slurm.sh --ntasks-per-node=)" -eq "$(number slurm.sh --gpus-per-node=)" ]
    [ $(($(number slurm.sh "SBATCH --nodes=") * $(number slurm.sh --ntasks-per-node=))) -eq "$(number slurm.sh '--ranks [0-9,]*,')" ]
}

@test "a job of PBS: ranks, threads and GPUs per node agree, and the study runs" {
    job pbs.sh mpiexec PBS_JOBID=18.host PBS_O_WORKDIR="$work"
    study scaling-18.host
    commands 9 'mpiexec -n '{1,2}' --map-by ppr:4:node:PE=8 --bind-to core -x OMP_NUM_THREADS'
    local ranks
    ranks=$(number pbs.sh mpiprocs=)
    [ "$ranks" -eq "$(number pbs.sh ngpus=)" ]
    [ "$ranks" -eq "$(number pbs.sh ppr:)" ]
    [ $(($(number pbs.sh :PE=) * ranks)) -eq "$(number pbs.sh ncpus=)" ]
    [ "$(number pbs.sh :PE=)" -eq "$(number pbs.sh OMP_NUM_THREADS=)" ]
    [ $(($(number pbs.sh select=) * ranks)) -eq "$(number pbs.sh '--ranks [0-9,]*,')" ]
}

@test "a job of LSF: ranks, threads and GPUs per node agree, and the study runs" {
    job lsf.sh jsrun LSB_JOBID=19 LS_SUBCWD="$work"
    study scaling-19
    commands 13 'jsrun --np '{1,2}' -r 1 -a 6 -g 6 -c 42 -b packed:7'
    local ranks
    ranks=$(number lsf.sh '-r 1 -a ')
    [ "$ranks" -eq "$(number lsf.sh ' -g ')" ]
    [ $(($(number lsf.sh packed:) * ranks)) -eq "$(number lsf.sh ' -c ')" ]
    [ "$(number lsf.sh packed:)" -eq "$(number lsf.sh OMP_NUM_THREADS=)" ]
    [ $(($(number lsf.sh '-nnodes ') * ranks)) -eq "$(number lsf.sh '--ranks [0-9,]*,')" ]
}
