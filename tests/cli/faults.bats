#!/usr/bin/env bats
# One NaN or infinity anywhere on any rank makes the run INVALID: status 1, no speed printed.

setup() {
    : "${HPGMG:=$PWD/hpgmg-gpu}" "${MPIRUN:=mpirun --oversubscribe}"
}

# spoilt WHAT OPTIONS...: the run is INVALID whichever of 4 ranks has the wrong value and whether it is NaN or infinity
spoilt() {
    local what=$1 rank value
    shift
    for rank in 0 1 2 3; do
        for value in nan inf; do
            HPGMG_FAULT=$what:$rank:$value run $MPIRUN -n 4 "$HPGMG" --backend cpu --quiet --solves 2 "$@" 4 2
            [ "$status" -eq 1 ] || { echo "$what:$rank:$value: status $status"; echo "$output"; return 1; }
            [[ "$output" == *"VERDICT: INVALID"* ]] || { echo "$what:$rank:$value: no verdict"; return 1; }
            [[ "$output" != *"DOF/s="* ]] || { echo "$what:$rank:$value: a speed was printed"; return 1; }
        done
    done
}

@test "a wrong f" { spoilt f; }
@test "a wrong f, order 4, periodic" { spoilt f --order 4 --boundary periodic; }
@test "a wrong beta" { spoilt beta; }
@test "a wrong beta, order 4" { spoilt beta --order 4; }
@test "a wrong ghost" { spoilt ghost; }
@test "a wrong ghost, order 4, jacobi" { spoilt ghost --order 4 --smoother jacobi; }
@test "a wrong message" { spoilt message; }
@test "a wrong message, Chebyshev" { spoilt message --smoother chebyshev; }

@test "the JSON of a spoilt run says so" {
    HPGMG_FAULT=f:0:nan run "$HPGMG" --backend cpu --quiet --solves 2 --json "$BATS_TEST_TMPDIR/r.json" 4 1
    [ "$status" -eq 1 ]
    grep -q '"verdict":[[:space:]]*"INVALID"' "$BATS_TEST_TMPDIR/r.json"
    ! grep -qi 'nan' "$BATS_TEST_TMPDIR/r.json"
}

@test "a malformed fault is refused" {
    HPGMG_FAULT=nonsense run "$HPGMG" --backend cpu --quiet 4 1
    [ "$status" -eq 2 ]
}
