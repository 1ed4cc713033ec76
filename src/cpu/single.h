/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Comes first where a file of this folder is compiled for single precision (base/real.h): the names
 * of what it defines then. */
#define SINGLE 1

#define backend_cpu backend_cpu_single
#define backend_cpu_plain backend_cpu_plain_single
#define colours_fit colours_fit_single
#define colours_prepare colours_prepare_single
#define colours_run colours_run_single
#define cpu_apply cpu_apply_single
#define cpu_diagonal cpu_diagonal_single
#define cpu_fill_ghosts cpu_fill_ghosts_single
#define cpu_max_threads cpu_max_threads_single
#define cpu_passes cpu_passes_single
#define cpu_reduce cpu_reduce_single
#define cpu_release_threads cpu_release_threads_single
#define cpu_restrict cpu_restrict_single
#define cpu_run cpu_run_single
#define cpu_run_small cpu_run_small_single
#define cpu_threads cpu_threads_single
#define cpu_use_threads cpu_use_threads_single
#define cpu_visit cpu_visit_single
#define for_residual_blocks for_residual_blocks_single
#define halves_order halves_order_single
#define halves_order_coefficients halves_order_coefficients_single
#define halves_restore halves_restore_single
#define halves_used halves_used_single
#define operator_half_rows operator_half_rows_single
#define operator_rows operator_rows_single
#define raise_block_norm raise_block_norm_single
#define step_keep step_keep_single
#define step_prolong_add step_prolong_add_single
#define step_prolong_set step_prolong_set_single
#define step_residual_norm step_residual_norm_single
#define step_residual_restrict step_residual_restrict_single
#define step_residual_store step_residual_store_single
#define step_sweep step_sweep_single
#define step_zero step_zero_single
#define traverse_plain traverse_plain_single
#define traverse_tiled traverse_tiled_single
#define walls_after_planes walls_after_planes_single
#define walls_after_rows walls_after_rows_single
#define walls_fill walls_fill_single
