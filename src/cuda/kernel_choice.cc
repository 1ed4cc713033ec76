/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the table of kernels, and the rows that a run chooses from it. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include "cuda/cuda.h"
#include "cuda/kernels.cuh"

#define KERNEL(name) +1
#define KERNEL_OF_DOUBLES(name) +1
enum {
    NUM_KERNELS = 0
#include "cuda/kernels.def"
};
#undef KERNEL
#undef KERNEL_OF_DOUBLES

static int number_of(const struct kernel *kernel)
{
    return (int)(std::find(cuda_kernel_table, cuda_kernel_table + NUM_KERNELS, kernel) -
                 cuda_kernel_table);
}

static void choose(struct context *c, int kernel)
{
    if (std::find(c->kernels, c->kernels + c->nkernels, kernel) == c->kernels + c->nkernels)
        c->kernels[c->nkernels++] = kernel;
}

static void choose_all(struct context *c)
{
    for (int kernel = 0; kernel < NUM_KERNELS; kernel++)
        choose(c, kernel);
}

static struct context *chosen()
{
    struct context *c = context_current();
    if (c->nkernels == 0)
        choose_all(c);
    return c;
}

const struct context *cuda_chosen_kernels()
{
    return chosen();
}

bool kernel_is_chosen(const struct kernel *kernel)
{
    const struct context *c = chosen();
    return std::find(c->kernels, c->kernels + c->nkernels, number_of(kernel)) !=
           c->kernels + c->nkernels;
}

/* Chooses the rows that one word of a list names. */
static bool choose_word(struct context *c, const char *word, size_t length)
{
    if (length == strlen("default") && strncmp(word, "default", length) == 0) {
        choose_all(c);
        return true;
    }
    for (int k = 0; k < NUM_KERNELS; k++)
        if (strlen(cuda_kernel_table[k]->name) == length &&
            strncmp(word, cuda_kernel_table[k]->name, length) == 0) {
            choose(c, k);
            return true;
        }
    return false;
}

bool cuda_choose_kernels(const char *list, char *message, int size)
{
    struct context *c = context_current();
    c->nkernels = 0;
    for (const char *word = list;; word++) {
        const size_t length = strcspn(word, ",");
        if (!choose_word(c, word, length)) {
            snprintf(message, (size_t)size, "no kernel is called '%.*s'; --list-kernels prints all",
                     (int)length, word);
            return false;
        }
        word += length;
        if (!*word)
            break;
    }
    choose(c, number_of(&kernel_generic)); /* what the others leave */
    return true;
}

void cuda_leave_out_tail()
{
    struct context *c = chosen();
    c->nkernels = (int)(std::remove(c->kernels, c->kernels + c->nkernels, number_of(&kernel_tail)) -
                        c->kernels);
}

const char *cuda_kernel_name(int number)
{
    return number < NUM_KERNELS ? cuda_kernel_table[number]->name : NULL;
}

void cuda_list_kernels(FILE *out)
{
    bool reached = true; /* without being named: `generic` leaves nothing to the rows after it */
    for (int k = 0; k < NUM_KERNELS; k++) {
        const struct kernel *kernel = cuda_kernel_table[k];
        fprintf(out, "%-22s %s%s\n", kernel->name, kernel->summary,
                reached ? "" : "; runs only if --kernels names it");
        reached = reached && kernel != &kernel_generic;
    }
}
