#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Python package on one to three ranks, its structures, and its examples, with the library that was built.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    BUILD=${BUILD:-$PWD/build/gcc-release}
    . tests/support/ranks.bash
    export OMP_NUM_THREADS=1
    export PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 HPGMG_LIBRARY=$BUILD/libhpgmg.so.1
    python=/usr/bin/python3 # the distribution's, with its NumPy
    $python -c 'import numpy' 2>/dev/null || skip "no NumPy"
    [[ $BUILD != *asan* ]] || skip "an instrumented library needs an instrumented program"
    [[ $HPGMG_LIBRARY == /* ]] || HPGMG_LIBRARY=$PWD/$HPGMG_LIBRARY
}

@test "the package does what it says, on one to three ranks" {
    for ranks in 1 2 3; do
        # shellcheck disable=SC2086  # a command with options
        timeout 60 $MPIRUN -n $ranks $python tests/python/hpgmg_test.py
    done
}

@test "poisson() solves what a dense matrix solves" {
    $python tests/python/poisson_test.py
}

@test "loading, threads, dropped solvers and forks" {
    $python tests/python/process_test.py
}

@test "structures and numbers are those of the header" {
    $python tests/python/header_test.py
}

@test "an exception on one rank ends the job" {
    [ "${MPI:-1}" = 1 ] || skip "one rank"
    # shellcheck disable=SC2086  # a command with options
    run timeout 60 $MPIRUN -n 2 $python -c '
import hpgmg
solver = hpgmg.Solver((16, 16, 16), coefficients="constant", backend="cpu")
if solver.boxes[0][0] != (0, 0, 0):
    raise ValueError("of the second rank")
solver.set("f", lambda x, y, z: 1.0)
'
    echo "$output"
    [ "$status" -ne 0 ]
    [ "$status" -ne 124 ]
    [[ $output == *"ValueError: of the second rank"* ]]
}

@test "the example observes both orders" {
    for order in 2 4; do
        $python examples/poisson.py $order cpu
    done
}

@test "the example of single precision sees it stall, and mixed precision not" {
    for order in 2 4; do
        $python examples/single_precision.py 32 $order cpu
    done
}

@test "the example of pictures draws one" {
    $python -c 'import matplotlib' 2>/dev/null || skip "no matplotlib"
    $python examples/poisson_picture.py "$BATS_TEST_TMPDIR/sphere.png" cpu
    [ "$(head -c 4 "$BATS_TEST_TMPDIR/sphere.png" | tail -c 3)" = PNG ]
}

@test "run/library-speed times solves of the library, which transforms confirm" {
    $python -c 'import scipy' 2>/dev/null || skip "no SciPy"
    $python run/library-speed --backend cpu --cells 16 --repetitions 1 --program "${HPGMG:-./hpgmg-gpu}" --json "$BATS_TEST_TMPDIR/speed.json"
    $python - "$BATS_TEST_TMPDIR/speed.json" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
assert [(row["order"], row["rtol"]) for row in found["solves"]] == [(order, rtol) for order in (2, 4) for rtol in ("none", "1e-09")]
assert all(row["seconds"] > 0 and row["program_seconds"] > 0 and row["cycles"] >= 1 for row in found["solves"])
assert all(row["set"] > 0 and row["setup"] > 0 for row in found["coefficients"])
assert [row["solver"] for row in found["steps"]] == ["transforms", "library, constant", "library, variable"]
assert found["steps"][1]["difference"] < 1e-8
END
    for wrong in "--cells 24" "--rtol 2" "--backend gpu --cells 16" "--program nothing --backend cpu --cells 16"; do
        # shellcheck disable=SC2086  # a list of arguments
        CUDA_VISIBLE_DEVICES='' run $python run/library-speed $wrong
        [ "$status" -eq 2 ] || [[ $status -eq 3 && $wrong == *gpu* ]] # no CuPy
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "library-speed: error: "* ]]
    done
}

@test "the package has the program's version" {
    [ "$($python -c 'import hpgmg; print(hpgmg.__version__)')" = "$(cat VERSION)" ]
}
