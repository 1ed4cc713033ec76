/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The tables of the backend, and the entries of struct passes and struct backend_memory. */
extern "C" {
#include "backend/backend.h"
#include "operators/pass.h"
}

extern const struct backend_recorder cuda_recorder;
extern const struct backend_streams cuda_streams;
extern const struct backend_events cuda_events;

void cuda_copy(const struct copy_list *list, const void *from, void *to);
void cuda_forget(const struct copy_list *list);
/* These wait. */
void cuda_upload(void *field, const void *values, size_t bytes);
void cuda_download(const void *field, void *values, size_t bytes);
void cuda_run(const struct pass *pass);
bool cuda_splits(const struct pass *pass);
bool cuda_smooths_at_once(const struct stencil *stencil, const struct decomposition *boxes,
                          int ghosts);
double cuda_bytes(const struct pass *pass);
void cuda_kernels(const struct pass *pass, char *text, int size);
void cuda_visit(enum body body, const void *arguments, const int n[3]);
void cuda_reduce(enum reduction reduction, const struct level *level, enum field x, enum field y,
                 double scale, uint64_t *words);
void cuda_apply(struct level *level, enum field out, enum field x);
void cuda_subtract_mean(struct level *level, enum field x);
void cuda_bottom_solve(struct level *level, enum field u, enum field f, double reduction,
                       int max_iterations);
void cuda_bottom_counts(struct bottom_counts *counts);
int cuda_run_stages(const struct stage *stages, int count);
void cuda_diagonal(const struct diagonal_arguments *x, const int n[3], uint64_t *lambda_max);
