# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# How scripts and tests start ranks: $MPIRUN -n N PROGRAM, where MPIRUN is mpirun unless the caller has set it. Where mpirun
# is Open MPI's and $HPGMG (./hpgmg-gpu) was built with MPICH, it is what Debian calls MPICH's launcher.
if [ -z "${MPIRUN:-}" ]; then
    MPIRUN=mpirun
    if "${HPGMG:-./hpgmg-gpu}" --version 2>/dev/null | grep -q '^ *MPI *MPICH' && mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
        MPIRUN=mpirun.mpich
    fi
    export MPIRUN
fi
# More ranks than cores may run, on any core, and as root, for containers often have no other user. Open MPI 4 and 5 must be
# told; MPICH does not ask.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
