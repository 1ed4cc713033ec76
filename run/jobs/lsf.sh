#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#BSUB -J hpgmg-scaling
#BSUB -nnodes 2
#BSUB -W 30
# A scaling study under LSF with jsrun, one rank per GPU: bsub run/jobs/lsf.sh, from the project's folder. jsrun's resource
# sets below are whole nodes of six GPUs; change them together with the numbers of ranks.
#
# Every rank must see all GPUs of its node, or ranks cannot map each other's memory (CUDA IPC, --transport peer). A resource
# set of one GPU (-g 1) hides the others from its rank. With one set per node (-r 1) each rank sees all GPUs, and the program
# gives it its own. Numbers of ranks must be multiples of the ranks of a set. The report's line "messages" names the transport.
# RUN: the folder of the script scaling, if not run/; PREFIX/share/hpgmg-gpu/run of an installation.
set -eu
cd "${LS_SUBCWD:-.}"
export OMP_NUM_THREADS=7
"${RUN:-run}/scaling" --launcher 'jsrun --np {ranks} -r 1 -a 6 -g 6 -c 42 -b packed:7' --ranks 6,12 \
    --weak 8:8,7:8 --strong 8:2 --order 2,4 --output "scaling-${LSB_JOBID:-lsf}" --options '--backend gpu'
