/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kernels, and the loop that gives each part of a pass to a row. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include "cuda/backend.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/kernels.cuh"
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

/* The rows of this run, in its order. */
static const struct kernel *chosen[NUM_KERNELS];
static int num_chosen;

static bool contains(const struct kernel *kernel)
{
    for (int k = 0; k < num_chosen; k++)
        if (chosen[k] == kernel)
            return true;
    return false;
}

static void choose(const struct kernel *kernel)
{
    if (!contains(kernel))
        chosen[num_chosen++] = kernel;
}

static void choose_all()
{
    for (const struct kernel *kernel : every_kernel)
        choose(kernel);
}

bool kernel_is_chosen(const struct kernel *kernel)
{
    if (num_chosen == 0)
        choose_all();
    return contains(kernel);
}

/* Chooses the rows that one word of a list names. */
static bool choose_word(const char *word, size_t length)
{
    if (length == strlen("default") && strncmp(word, "default", length) == 0) {
        choose_all();
        return true;
    }
    for (const struct kernel *kernel : every_kernel)
        if (strlen(kernel->name) == length && strncmp(word, kernel->name, length) == 0) {
            choose(kernel);
            return true;
        }
    return false;
}

bool cuda_choose_kernels(const char *list, char *message, int size)
{
    num_chosen = 0;
    for (const char *word = list;; word++) {
        const size_t length = strcspn(word, ",");
        if (!choose_word(word, length)) {
            snprintf(message, (size_t)size, "no kernel is called '%.*s'; --list-kernels prints all",
                     (int)length, word);
            return false;
        }
        word += length;
        if (!*word)
            break;
    }
    choose(&kernel_generic); /* what the others leave */
    return true;
}

void cuda_leave_out_tail()
{
    if (num_chosen == 0)
        choose_all();
    int kept = 0;
    for (int k = 0; k < num_chosen; k++)
        if (chosen[k] != &kernel_tail)
            chosen[kept++] = chosen[k];
    num_chosen = kept;
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

struct coverage cover_nothing()
{
    return {};
}

struct coverage cover_start(const struct part *part)
{
    struct coverage c = {};
    c.start = part->pass.start != START_KEEP;
    return c;
}

struct coverage cover_first(const struct part *part)
{
    struct coverage c = cover_start(part);
    c.nsweeps = !c.start && part->pass.nsweeps > 0;
    c.finish = !c.start && part->pass.nsweeps == 0 && part->pass.finish != FINISH_NONE;
    return c;
}

struct coverage cover_all(const struct part *part)
{
    struct coverage c = cover_start(part);
    c.nsweeps = part->pass.nsweeps;
    c.finish = part->pass.finish != FINISH_NONE;
    return c;
}

static bool is_empty(const struct coverage &c)
{
    return !c.start && c.nsweeps == 0 && !c.finish;
}

double part_bytes(const struct part *part)
{
    return pass_bytes_one_by_one(&part->pass);
}

double red_black_bytes(const struct part *part)
{
    struct pass pair = part->pass;
    double bytes = 0.0;
    pair.nsweeps = 2;
    pair.finish = FINISH_NONE;
    for (int sweep = 0; sweep < part->pass.nsweeps; sweep += 2) {
        if (sweep + 2 == part->pass.nsweeps)
            pair.finish = part->pass.finish;
        bytes += pass_bytes_once(&pair) - sizeof(double);
        pair.start = START_KEEP;
    }
    return bytes;
}

int part_extent(const struct part *part, int following)
{
    const struct level *l = part->pass.level;
    return l->connected ? (part->after + following) * l->stencil->radius : 0;
}

/* Takes the operations covered from `rest`. */
static struct part take(struct part *rest, const struct coverage &c)
{
    struct part part = *rest;
    CHECK(c.start || rest->pass.start == START_KEEP);
    part.pass.nsweeps = c.nsweeps;
    if (!c.finish)
        part.pass.finish = FINISH_NONE;
    part.after = pass_operations(&rest->pass) - pass_operations(&part.pass);
    rest->pass.start = START_KEEP;
    rest->pass.first_sweep += c.nsweeps;
    rest->pass.nsweeps -= c.nsweeps;
    if (c.finish)
        rest->pass.finish = FINISH_NONE;
    rest->ghosts = c.ghosts;
    return part;
}

static const struct kernel *find(const struct part *rest, struct coverage *c)
{
    if (num_chosen == 0)
        choose_all();
    for (int k = 0; k < num_chosen; k++) {
        *c = chosen[k]->covers(rest, cuda_limits());
        if (!is_empty(*c))
            return chosen[k];
    }
    CHECK(!"the last row covers everything");
    return NULL;
}

/* Calls visit for each part of the pass, with the row that does it. */
template <class F>
static void dispatch(const struct pass *pass, F visit)
{
    struct part rest = {*pass, 0, pass->ghosts_filled};
    struct coverage c;
    if (pass->level->npatches == 0)
        return;
    while (rest.pass.start != START_KEEP || pass_operations(&rest.pass) > 0) {
        const struct kernel *kernel = find(&rest, &c);
        const struct part part = take(&rest, c);
        visit(kernel, &part);
    }
}

void cuda_run(const struct pass *pass)
{
    dispatch(pass, [](const struct kernel *kernel, const struct part *part) { kernel->run(part); });
}

bool cuda_splits(const struct pass *pass)
{
    const struct part whole = {*pass, 0, pass->ghosts_filled};
    struct coverage c;
    if (pass->level->npatches == 0 || pass_operations(pass) == 0)
        return false;
    const struct kernel *kernel = find(&whole, &c);
    return c.nsweeps == pass->nsweeps && c.finish == (pass->finish != FINISH_NONE) &&
           c.start == (pass->start != START_KEEP) && kernel->splits && kernel->splits(&whole);
}

double cuda_bytes(const struct pass *pass)
{
    double bytes = 0.0;
    dispatch(pass, [&](const struct kernel *kernel, const struct part *part) {
        bytes += kernel->bytes(part);
    });
    return bytes;
}

struct cuda_counts cuda_count(const struct pass *pass)
{
    struct cuda_counts all = {};
    dispatch(pass, [&](const struct kernel *kernel, const struct part *part) {
        const struct cuda_counts c =
            kernel->counts ? kernel->counts(part) : cuda_counts{kernel->bytes(part), NAN, NAN};
        all.cache_bytes += c.cache_bytes;
        all.shared_bytes += c.shared_bytes;
        all.instructions += c.instructions;
    });
    return all;
}

/* Kernels that do several parts in a row, one name and their number. */
struct run_of_parts {
    const struct kernel *kernel;
    int parts;
};

static int append(const struct run_of_parts &run, char *text, int length, int size)
{
    if (!run.kernel || length >= size)
        return length;
    length += snprintf(text + length, (size_t)(size - length), "%s%s", length ? ", " : "",
                       run.kernel->name);
    if (run.parts > 1 && length < size)
        length += snprintf(text + length, (size_t)(size - length), " x%d", run.parts);
    return length;
}

void cuda_kernels(const struct pass *pass, char *text, int size)
{
    struct run_of_parts run = {NULL, 0};
    int length = 0;
    text[0] = '\0';
    dispatch(pass, [&](const struct kernel *kernel, const struct part *) {
        if (kernel != run.kernel) {
            length = append(run, text, length, size);
            run = {kernel, 0};
        }
        run.parts++;
    });
    append(run, text, length, size);
}
