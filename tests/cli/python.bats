#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Python package on one to three ranks, and its example, with the library that was built.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    BUILD=${BUILD:-$PWD/build/gcc-release}
    MPIRUN=${MPIRUN:-mpirun --oversubscribe --bind-to none}
    export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
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

@test "the example observes both orders" {
    for order in 2 4; do
        $python examples/poisson.py $order cpu
    done
}

@test "the package has the program's version" {
    grep -qxF "version = \"$(cat VERSION)\"" python/pyproject.toml
}
