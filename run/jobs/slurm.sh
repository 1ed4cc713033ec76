#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=hpgmg-scaling
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
# A scaling study under Slurm, one rank per GPU: sbatch run/jobs/slurm.sh, from the project's folder. The lines above ask
# for nodes of four GPUs; change them together.
#
# Every rank must see all GPUs of its node, or ranks cannot map each other's memory (CUDA IPC, --transport peer). So ask for
# GPUs per node, as above; the program gives each rank its own. With --gpus-per-task, or --gpu-bind other than none, a rank
# sees one GPU only: messages then go through host memory, which is slow. The report's line "messages" names the transport.
# RUN: the folder of the script scaling, if not run/; PREFIX/share/hpgmg-gpu/run of an installation.
#
# srun is told what sbatch was told: since Slurm 22.05 it does not take over the CPUs per task, and without a number of nodes
# it spreads few ranks over all nodes of the job, so that no point of the study would stay within a node.
set -eu
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-8}
"${RUN:-run}/scaling" --ranks-per-node "${SLURM_NTASKS_PER_NODE:-4}" --ranks 1,2,4,8 \
    --launcher "srun --nodes={nodes} --ntasks={ranks} --cpus-per-task=$OMP_NUM_THREADS --gpu-bind=none --cpu-bind=cores" \
    --weak 8:8,7:8 --strong 8:2 --order 2,4 --output "scaling-${SLURM_JOB_ID:-slurm}" --options '--backend gpu'
