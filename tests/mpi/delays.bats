#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The answer does not depend on which rank comes first: four ranks sleep at random after every stage, and exchange messages
# through memory that a node's ranks share and, between the nodes that HPGMG_NODES pretends, by MPI: through its own shared
# memory or by TCP. tests/two-hosts has hosts of their own.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    HPGMG=${HPGMG:-$PWD/hpgmg-gpu}
    . tests/support/ranks.bash
    export OMP_NUM_THREADS=1
}

checksum() { # COMMAND...: of a VALID run
    # shellcheck disable=SC2086  # options are words
    "$@" --backend cpu --quiet --checksum --solves 2 $options >"$BATS_TEST_TMPDIR/output" 2>&1 &&
        grep -q '^VERDICT: VALID' "$BATS_TEST_TMPDIR/output" && sed -n 's/^checksum: //p' "$BATS_TEST_TMPDIR/output"
}

# one_answer: of four delayed ranks on one, two and four nodes, and of one rank without delays, by F- and V-cycles of both
# orders
one_answer() {
    local order cycle options wanted nodes seed=0
    for order in 2 4; do
        for cycle in "" "--cycle v --rtol 1e-3"; do
            options="--order $order $cycle 3 27"
            wanted=$(checksum "$HPGMG")
            options="--order $order $cycle 3 7"
            [ "$wanted" ]
            for nodes in 1 2 4; do
                seed=$((seed + 1))
                # shellcheck disable=SC2086  # MPIRUN is a command with options
                [ "$wanted" = "$(HPGMG_NODES=$nodes HPGMG_DELAY=$seed:300 checksum $MPIRUN -n 4 "$HPGMG-disturbed")" ]
            done
        done
    done
}

# The variables of Open MPI, and those of MPICH with UCX.

@test "delays, MPI through shared memory" {
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self UCX_TLS=shm,self one_answer
}

@test "delays, MPI by TCP" {
    # Nor does it in a program of MPI_Sendrecv, MPI_Barrier and MPI_Finalize alone.
    ! "$HPGMG" --version | grep -q '^ *MPI *MPICH' || skip "MPI_Finalize of MPICH 4.0.2 with UCX by TCP may never return"
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self UCX_TLS=tcp,self one_answer
}
