/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_BACKEND_CUH
#define CUDA_BACKEND_CUH
/* The entries of the backend's tables, struct backend and struct passes. */
extern "C" {
#include "backend/backend.h"
#include "operators/pass.h"
}

void cuda_copy(const struct copy_list *list, const double *from, double *to);
void cuda_forget(const struct copy_list *list);
void cuda_upload(double *field, const double *values, long count);
void cuda_download(const double *field, double *values, long count);
bool cuda_record_begin(const struct hand_over *hand_overs, int count);
void cuda_record_hand_over(int index);
struct recording *cuda_record_end();
void cuda_replay(struct recording *recording, uint64_t *norm);
struct hand_over_times cuda_hand_over_times(const struct recording *recording);
void cuda_record_destroy(struct recording *recording);
bool cuda_can_wait_for_host();
void cuda_fork_stream();
void cuda_use_second_stream(bool on);
void cuda_join_stream();
void cuda_record_event(int number);
double cuda_seconds_between(int from, int to);

void cuda_run(const struct pass *pass);
bool cuda_splits(const struct pass *pass);
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

#endif
