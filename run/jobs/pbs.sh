#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#PBS -N hpgmg-scaling
#PBS -l select=2:ncpus=32:mpiprocs=4:ngpus=4
#PBS -l place=scatter:excl
#PBS -l walltime=00:30:00
# A scaling study under PBS, one rank per GPU: qsub run/jobs/pbs.sh, from the project's folder. The lines above ask for
# nodes of four GPUs; change them together.
#
# Every rank must see all GPUs of its node, or ranks cannot map each other's memory (CUDA IPC, --transport peer). So use no
# wrapper that sets CUDA_VISIBLE_DEVICES to one GPU per rank: the program gives each rank its own. The report's line
# "messages" names the transport.
# RUN: the folder of the script scaling, if not run/; PREFIX/share/hpgmg-gpu/run of an installation.
#
# ppr fills a node before it takes the next one, so few ranks stay within a node. -x hands the number of threads to ranks of
# other nodes. Both are options of Open MPI.
set -eu
cd "${PBS_O_WORKDIR:-.}"
export OMP_NUM_THREADS=8
"${RUN:-run}/scaling" --launcher 'mpiexec -n {ranks} --map-by ppr:4:node:PE=8 --bind-to core -x OMP_NUM_THREADS' --ranks 1,2,4,8 \
    --weak 8:8,7:8 --strong 8:2 --order 2,4 --output "scaling-${PBS_JOBID:-pbs}" --options '--backend gpu'
