/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Comes first where a file of src/cuda/ is compiled for single precision (base/real.h): the names
 * of what it defines then. Operators are types, and so name the kernels made from them. */
#include "cpu/single.h"

#define alternates_colours alternates_colours_single
#define backend_cuda backend_cuda_single
#define backend_cuda_host backend_cuda_host_single
#define baseline_finish baseline_finish_single
#define baseline_start baseline_start_single
#define baseline_sweep baseline_sweep_single
#define cells_of cells_of_single
#define cuda_apply cuda_apply_single
#define cuda_bytes cuda_bytes_single
#define cuda_count cuda_count_single
#define cuda_diagonal cuda_diagonal_single
#define cuda_even_patches cuda_even_patches_single
#define cuda_fill_ghosts cuda_fill_ghosts_single
#define cuda_fill_level_ghosts cuda_fill_level_ghosts_single
#define cuda_fill_walls cuda_fill_walls_single
#define cuda_kernel_table cuda_kernel_table_single
#define cuda_kernels cuda_kernels_single
#define cuda_open_work cuda_open_work_single
#define cuda_prolong cuda_prolong_single
#define cuda_reduce cuda_reduce_single
#define cuda_run cuda_run_single
#define cuda_smooths_at_once cuda_smooths_at_once_single
#define cuda_splits cuda_splits_single
#define cuda_store_ghosts cuda_store_ghosts_single
#define cuda_subtract_mean cuda_subtract_mean_single
#define cuda_view cuda_view_single
#define cuda_visit cuda_visit_single
#define cuda_wrap_sides cuda_wrap_sides_single
#define fuses_red_black fuses_red_black_single
#define kernel_fv2_deep kernel_fv2_deep_single
#define kernel_fv2_fused kernel_fv2_fused_single
#define kernel_fv2_residual kernel_fv2_residual_single
#define kernel_fv2_sweeps kernel_fv2_sweeps_single
#define kernel_fv4_fused kernel_fv4_fused_single
#define kernel_fv4_residual kernel_fv4_residual_single
#define kernel_fv4_sweep kernel_fv4_sweep_single
#define kernel_generic kernel_generic_single
#define kernel_interpolation kernel_interpolation_single
#define red_black_bytes red_black_bytes_single
