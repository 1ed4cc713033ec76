/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_VARIANTS_H
#define LAB_VARIANTS_H
/* Ways to do one stage of the solver, for `kernel`. To add one, write a file with a struct variant
 * and name it in a table: cpu_variants (variants.c) or gpu_variants (variants_gpu.cu). */
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hierarchy;
struct level;
struct stage;

/* What is to be done: `stage` (solvers/program.h) on the first level of a hierarchy. */
struct stage_case {
    struct hierarchy *hierarchy;
    struct level *level;
    struct stage *stage;
    uint64_t norm; /* where a stage that ends in the norm leaves its bits */
};

enum { VARIANT_CPU = 1, VARIANT_GPU = 2 };

struct variant {
    const char *name, *summary;
    unsigned where; /* VARIANT_CPU, VARIANT_GPU or both */
    /* Whether it can do this case. NULL: any. */
    bool (*fits)(const struct stage_case *c);
    /* Does it, leaving what the stage leaves: u, the coarse f or the coarse u, or the norm. May use
     * FIELD_TMP. Must not wait for the GPU: it is recorded in a graph. */
    void (*run)(struct stage_case *c);
    /* Fewest bytes that it must move. NULL: those of the stage, each array once. */
    double (*bytes)(const struct stage_case *c);
};

/* Both are general, on any backend. */
extern const struct variant variant_default, variant_baseline;

/* All variants of this build: NULL after the last. */
enum { MAX_VARIANTS = 32 };
extern const struct variant *all_variants[MAX_VARIANTS + 1];
/* Fills all_variants, and the legal values of --variant from it. */
void variants_list(void);
/* Whether the variant runs on such a backend and can do the case. */
bool variant_fits(const struct variant *v, const struct stage_case *c);

#ifdef __cplusplus
}
#endif
#endif
