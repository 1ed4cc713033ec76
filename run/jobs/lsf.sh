#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#BSUB -J hpgmg-scaling
#BSUB -nnodes 2
#BSUB -W 30
# A scaling study under LSF with jsrun, one rank a GPU: bsub run/jobs/lsf.sh, from the project's folder. jsrun's resource
# sets below are whole nodes of six GPUs; change them together with the numbers of ranks.
#
# A resource set of one GPU (-g 1) hides the others from its rank, and ranks can then not map each other's memory (CUDA
# IPC, --transport peer). With one set a node (-r 1) all its ranks see all its GPUs, and the program gives each its own.
# Numbers of ranks must be multiples of what a set holds. The report's line "messages" says how messages went.
set -eu
cd "${LS_SUBCWD:-.}"
export OMP_NUM_THREADS=7
run/scaling --launcher 'jsrun --np {ranks} -r 1 -a 6 -g 6 -c 42 -b packed:7' --ranks 6,12 \
    --weak 8:8 --strong 8:2 --order 2,4 --output "scaling-${LSB_JOBID:-lsf}" --options '--backend gpu'
