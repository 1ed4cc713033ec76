#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=hpgmg-scaling
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
# A scaling study under Slurm, one rank a GPU: sbatch run/jobs/slurm.sh, from the project's folder. The lines above ask
# for nodes of four GPUs; change them together.
#
# Every rank must see all GPUs of its node: the program gives each rank its own, and ranks that map each other's memory
# (CUDA IPC, --transport peer) need the others' to be visible too. So ask for GPUs by node, as above. With --gpus-per-task,
# or with --gpu-bind other than none, a rank sees one GPU only; runs still work, but by way of host memory and slowly.
# The report's line "messages" says which it was.
set -eu
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-8}
run/scaling --launcher 'srun --ntasks={ranks} --gpu-bind=none --cpu-bind=cores' --ranks 1,2,4,8 \
    --weak 8:8 --strong 8:2 --order 2,4 --output "scaling-${SLURM_JOB_ID:-slurm}" --options '--backend gpu'
