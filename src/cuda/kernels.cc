/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kernels, and the loop that gives each part of a pass to a row. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include "backend/context.h"
#include "cuda/backend.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/kernels.cuh"
#include "level/build.h"
#include "operators/traffic.h"

#define KERNEL(name) extern const struct kernel kernel_##name;
#include "cuda/kernels.def"
#undef KERNEL
#define KERNEL(name) &kernel_##name,
static const struct kernel *const every_kernel[] = {
#include "cuda/kernels.def"
};
#undef KERNEL
enum { NUM_KERNELS = sizeof every_kernel / sizeof every_kernel[0] };

static_assert((int)NUM_KERNELS <= MAX_KERNELS, "more than a context holds");

static void choose(struct context *c, const struct kernel *kernel)
{
    for (int k = 0; k < c->nkernels; k++)
        if (c->kernels[k] == kernel)
            return;
    c->kernels[c->nkernels++] = kernel;
}

static void choose_all(struct context *c)
{
    for (const struct kernel *kernel : every_kernel)
        choose(c, kernel);
}

/* The context with the rows of this run, in its order. */
static struct context *chosen()
{
    struct context *c = context_current();
    if (c->nkernels == 0)
        choose_all(c);
    return c;
}

bool kernel_is_chosen(const struct kernel *kernel)
{
    const struct context *c = chosen();
    return std::find(c->kernels, c->kernels + c->nkernels, kernel) != c->kernels + c->nkernels;
}

/* Chooses the rows that one word of a list names. */
static bool choose_word(struct context *c, const char *word, size_t length)
{
    if (length == strlen("default") && strncmp(word, "default", length) == 0) {
        choose_all(c);
        return true;
    }
    for (const struct kernel *kernel : every_kernel)
        if (strlen(kernel->name) == length && strncmp(word, kernel->name, length) == 0) {
            choose(c, kernel);
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
    choose(c, &kernel_generic); /* what the others leave */
    return true;
}

void cuda_leave_out_tail()
{
    struct context *c = chosen();
    c->nkernels =
        (int)(std::remove(c->kernels, c->kernels + c->nkernels, &kernel_tail) - c->kernels);
}

const char *cuda_kernel_name(int number)
{
    return number < NUM_KERNELS ? every_kernel[number]->name : NULL;
}

void cuda_list_kernels(FILE *out)
{
    bool reached = true; /* without being named: `generic` leaves nothing to the rows after it */
    for (const struct kernel *kernel : every_kernel) {
        fprintf(out, "%-22s %s%s\n", kernel->name, kernel->summary,
                reached ? "" : "; runs only if --kernels names it");
        reached = reached && kernel != &kernel_generic;
    }
}

double red_black_bytes(const struct pass *pass)
{
    struct pass pair = *pass;
    double bytes = 0.0;
    pair.nsweeps = 2;
    pair.finish = FINISH_NONE;
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        if (sweep + 2 == pass->nsweeps)
            pair.finish = pass->finish;
        bytes += pass_bytes_once(&pair) - sizeof(double);
        pair.start = START_KEEP;
    }
    return bytes;
}

/* The first row that covers a beginning of the pass, and of how many operations. */
static const struct kernel *find(const struct pass *pass, int *covered)
{
    const struct context *c = chosen();
    for (int k = 0; k < c->nkernels; k++) {
        *covered = c->kernels[k]->covers(pass, cuda_limits());
        if (*covered > 0)
            return c->kernels[k];
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
    double *none[NUM_FIELDS] = {};
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
