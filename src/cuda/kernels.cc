/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kernels of one precision, and the loop that gives each part of a pass to a row. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "cuda/backend.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/kernels.cuh"
#include "level/build.h"
#include "operators/traffic.h"

#ifdef SINGLE
#define ROW(name) kernel_##name##_single
#define KERNEL_OF_DOUBLES(name)
#else
#define ROW(name) kernel_##name
#define KERNEL_OF_DOUBLES(name) KERNEL(name)
#endif
#define KERNEL(name) extern const struct kernel ROW(name);
#include "cuda/kernels.def"
#undef KERNEL
#undef KERNEL_OF_DOUBLES
#define KERNEL(name) &ROW(name),
#ifdef SINGLE
#define KERNEL_OF_DOUBLES(name) NULL,
#else
#define KERNEL_OF_DOUBLES(name) KERNEL(name)
#endif
const struct kernel *const cuda_kernel_table[MAX_KERNELS] = {
#include "cuda/kernels.def"
};
#undef KERNEL
#undef KERNEL_OF_DOUBLES

double red_black_bytes(const struct pass *pass)
{
    struct pass pair = *pass;
    double bytes = 0.0;
    pair.nsweeps = 2;
    pair.finish = FINISH_NONE;
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        if (sweep + 2 == pass->nsweeps)
            pair.finish = pass->finish;
        bytes += pass_bytes_once(&pair) - sizeof(real);
        pair.start = START_KEEP;
    }
    return bytes;
}

/* The first row that covers a beginning of the pass, and of how many operations. */
static const struct kernel *find(const struct pass *pass, int *covered)
{
    const struct context *c = cuda_chosen_kernels();
    for (int k = 0; k < c->nkernels; k++) {
        const struct kernel *kernel = cuda_kernel_table[c->kernels[k]];
        *covered = kernel ? kernel->covers(pass, cuda_limits()) : 0;
        if (*covered > 0)
            return kernel;
    }
    CHECK(!"the last row covers everything");
    return NULL;
}

/* Takes from `rest` the operations that one row does, which it returns; NULL if nothing is left. */
static const struct kernel *next_kernel(struct pass *rest, struct pass *first)
{
    int covered;
    if (rest->level->npatches == 0 || pass_length(rest) == 0)
        return NULL;
    const struct kernel *kernel = find(rest, &covered);
    *first = pass_split_front(rest, covered);
    first->ops_until_halo = pass_operations(rest);
    rest->ghosts_filled = kernel->leaves_ghosts && kernel->leaves_ghosts(rest->level);
    return kernel;
}

void cuda_run(const struct pass *pass)
{
    struct pass rest = *pass, first;
    while (const struct kernel *kernel = next_kernel(&rest, &first))
        kernel->run(&first);
}

bool cuda_splits(const struct pass *pass)
{
    int covered;
    if (pass->level->npatches == 0 || pass_operations(pass) == 0)
        return false;
    const struct kernel *kernel = find(pass, &covered);
    return covered == pass_length(pass) && kernel->splits && kernel->splits(pass);
}

/* True if the kernel that takes whole smoothings on a level without neighbours does so with them.
 */
static bool covers_smoothing(struct level *level)
{
    struct pass pass = {};
    int covered;
    pass.level = level;
    pass.nsweeps = SMOOTHER_SWEEPS;
    pass.finish = FINISH_NORM;
    level->connected = false;
    const struct kernel *kernel = find(&pass, &covered);
    level->connected = true;
    return kernel->covers(&pass, cuda_limits()) == pass_length(&pass);
}

/* Asks the rows about levels of one box each, that have all but fields. */
bool cuda_smooths_at_once(const struct stencil *s, const struct decomposition *boxes, int ghosts)
{
    real *none[NUM_FIELDS] = {};
    struct stencil stencil = *s;
    struct patch patch;
    struct level level = {};
    bool all = true;
    std::copy(boxes->n, boxes->n + 3, level.n);
    level.sides = s->choice.sides;
    level.ghosts = ghosts;
    level.backend = &backend_cuda;
    level.stencil = &stencil;
    level.decomposition = *boxes;
    level.npatches = 1;
    level.patches = &patch;
    level.fields = none;
    for (int b = 0; all && b < boxes->nboxes; b++) {
        long length = 0;
        patch = level_patch(&level, b, backend_cuda.row_align, &length);
        all = covers_smoothing(&level);
    }
    return all;
}

double cuda_bytes(const struct pass *pass)
{
    struct pass rest = *pass, first;
    double bytes = 0.0;
    while (const struct kernel *kernel = next_kernel(&rest, &first))
        bytes += kernel->bytes(&first);
    return bytes;
}

struct cuda_counts cuda_count(const struct pass *pass)
{
    struct pass rest = *pass, first;
    struct cuda_counts all = {};
    while (const struct kernel *kernel = next_kernel(&rest, &first)) {
        const struct cuda_counts c =
            kernel->counts ? kernel->counts(&first) : cuda_counts{kernel->bytes(&first), NAN, NAN};
        all.cache_bytes += c.cache_bytes;
        all.shared_bytes += c.shared_bytes;
        all.instructions += c.instructions;
    }
    return all;
}

static int append(const struct kernel *kernel, int times, char *text, int length, int size)
{
    if (times == 0 || length >= size)
        return length;
    length +=
        snprintf(text + length, (size_t)(size - length), "%s%s", length ? ", " : "", kernel->name);
    if (times > 1 && length < size)
        length += snprintf(text + length, (size_t)(size - length), " x%d", times);
    return length;
}

/* Names a kernel that runs several times in a row once, with their number. */
void cuda_kernels(const struct pass *pass, char *text, int size)
{
    struct pass rest = *pass, first;
    const struct kernel *last = NULL;
    int times = 0, length = 0;
    text[0] = '\0';
    while (const struct kernel *kernel = next_kernel(&rest, &first)) {
        if (kernel != last) {
            length = append(last, times, text, length, size);
            times = 0;
        }
        last = kernel;
        times++;
    }
    append(last, times, text, length, size);
}
