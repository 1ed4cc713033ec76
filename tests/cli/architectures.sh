#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Kernels that are built on what newer GPUs have also compile for older ones, where they are never run.
set -u
cd "$(dirname "$0")/../.." || exit 1
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "no nvcc"; exit 77; }
target=build/architectures/fv4_sweep.cu.o
mkdir -p build/architectures
# shellcheck disable=SC2046  # options for the compiler
"$nvcc" -cubin -std=c++17 -arch=sm_80 --fmad=false --extended-lambda -DOMPI_SKIP_MPICXX -Isrc \
    $(mpicc -show | tr ' ' '\n' | grep '^-I') -o "$target" src/cuda/fv4/sweep.cu
[ $? -eq 0 ] || exit 1

# The Makefile refuses architectures that lack cp.async, in one line.
refused=$(make ARCH="sm_75 sm_90" CUDA=1 NVCC="$nvcc" info 2>&1 >/dev/null)
[[ $refused == *"ARCH: sm_75 is not sm_80 or later"* ]] || { echo "ARCH=sm_75: $refused"; exit 1; }
make ARCH=90 CUDA=1 NVCC="$nvcc" info | grep -q 'code=sm_90 ' || { echo "ARCH=90 has no code for sm_90"; exit 1; }
