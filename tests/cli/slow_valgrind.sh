#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# valgrind's memcheck on a small run of every operator, smoother and boundary. valgrind does not know the newest vector
# instructions, so the program is built for an older processor. Leaks are counted by the program itself, since MPI libraries
# leak on their own; what Open MPI reads uninitialised is suppressed.
set -u
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
make --no-print-directory CC=gcc MODE=debug CUDA=0 ARCHFLAGS=-march=x86-64-v3 build/gcc-debug/hpgmg-gpu >/dev/null || exit 1
bad=0 runs=0
for order in 2 4; do
    for boundary in dirichlet periodic; do
        for smoother in gsrb chebyshev jacobi l1jacobi; do
            for rest in "--bottom bicgstab" "--bottom cg --equation helmholtz" "--coefficients constant --rtol 1e-6" \
                "--loops plain --bottom cg"; do
                runs=$((runs + 1))
                # shellcheck disable=SC2086
                OMP_NUM_THREADS=1 valgrind -q --error-exitcode=9 --leak-check=no --suppressions=tests/support/openmpi.supp \
                    build/gcc-debug/hpgmg-gpu --backend cpu --quiet --solves 1 --order $order --boundary $boundary \
                    --smoother $smoother $rest 3 1 >/tmp/valgrind.$$ 2>&1
                status=$?
                if [ $status -ne 0 ]; then
                    bad=$((bad + 1))
                    echo "status $status: --order $order --boundary $boundary --smoother $smoother $rest"
                    tail -n 25 /tmp/valgrind.$$
                fi
            done
        done
    done
done
rm -f /tmp/valgrind.$$
echo "$runs runs, $bad with errors"
[ $bad -eq 0 ]
