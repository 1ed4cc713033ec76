#!/usr/bin/env bats
# What a run needs and may not have: time for large dry runs, memory, stack; and the variables that tests set.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    HPGMG_LAB=${HPGMG_LAB:-$PWD/hpgmg-lab}
    MPIRUN=${MPIRUN:-mpirun --oversubscribe --timeout 60}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} CUDA_VISIBLE_DEVICES=
    work=$BATS_TEST_TMPDIR
}

# limited LIMIT RANKS ARGUMENT...: a run within that `ulimit`; sets status and output
limited() {
    local limit=$1 ranks=$2
    shift 2
    # shellcheck disable=SC2086,SC2016  # MPIRUN is a command with options; the inner shell expands
    run $MPIRUN -n "$ranks" bash -c "ulimit $limit"' && exec "$@"' bash "$HPGMG" --backend cpu "$@"
    echo "status $status: $output"
}

# --- sizes ---------------------------------------------------------------------------------------

@test "a dry run of millions of boxes on several ranks takes seconds" {
    limited "-t 7" 8 --dry-run 4 262144 # of each rank's processor time
    [ "$status" -eq 0 ]
    [[ $output == *"2048^3 cells in 2097152 boxes of 16^3"* ]]
}

levels() { # FILE: the rows of the table of levels
    sed -n '/= Hierarchy/,/^$/p' "$1" | grep -E '^ +[0-9]+ +[0-9]+\^3 '
}

@test "a dry run and a run on three ranks agree on bytes" {
    local options="--backend cpu --agglomerate-below 5000 --boundary periodic 3 9"
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --dry-run $options >"$work/dry"
    # shellcheck disable=SC2086
    $MPIRUN -n 3 "$HPGMG" --solves 1 $options >"$work/wet"
    [ "$(levels "$work/dry" | wc -l)" -gt 2 ]
    diff <(levels "$work/dry") <(levels "$work/wet")
}
