/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A field between pages that nobody may access: a kernel that reads one plane too far crashes,
 * though it does nothing with what it reads. */
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include "patch.h"

namespace emulated
{
enum fence { FENCE_BELOW, FENCE_ABOVE }; /* the plane at which the page without access begins */

/* Holds a copy of the planes of a field, from `layers` below the patch to as many above it. */
class fenced
{
    char *pages;
    size_t bytes;
    real *first; /* the cell (0,0,0) */

  public:
    fenced(const struct box &b, const values &x, int layers, enum fence fence)
    {
        const long left_out = (MARGIN - layers) * b.c.sk;
        const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                     used = (size_t)((b.c.n[2] + 2 * layers) * b.c.sk) * sizeof(real),
                     held = (used + page - 1) / page * page;
        bytes = held + 2 * page;
        pages = (char *)mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || mprotect(pages + page, held, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
        char *const begin = pages + page + (fence == FENCE_ABOVE ? held - used : 0);
        memcpy(begin, x.data() + left_out, used);
        first = (real *)begin + b.origin - left_out;
    }
    ~fenced()
    {
        munmap(pages, bytes);
    }
    fenced(const fenced &) = delete;
    fenced &operator=(const fenced &) = delete;

    const real *cells() const
    {
        return first;
    }
};
} // namespace emulated
