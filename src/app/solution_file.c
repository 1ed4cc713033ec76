/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/solution_file.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "comm/file.h"

enum { SLAB_LENGTH = 1 << 20 }; /* doubles */

/* The last tag before the values. VTK reads VTK_BLOCK bytes at a time. It hands expat this tag up
 * to the end of the block, then byte by byte, and "/" before ">". New releases of expat look at
 * half a tag again when it has doubled, so the block ends in its middle: otherwise ParaView 5.11
 * misses the tag's end and takes values for XML. */
static const char tag[] = "<AppendedData encoding=\"raw\">";
enum { VTK_BLOCK = 4096, BEFORE_TAG = VTK_BLOCK - sizeof tag / 2 }; /* sizeof: with the "/" */

/* Header, then u and f, each after its number of bytes, then the end. */
struct file_layout {
    char header[BEFORE_TAG + 64];
    int64_t header_bytes, field_bytes;
};
static const char end[] = "\n  </AppendedData>\n</VTKFile>\n";
static const struct {
    const char *name;
    enum field field;
} arrays[] = {{"u", FIELD_U}, {"f", FIELD_F}};
enum { ARRAYS = sizeof arrays / sizeof arrays[0] };

/* Of the byte that has the length of array a. */
static int64_t array_offset(const struct file_layout *layout, int a)
{
    return a * ((int64_t)sizeof(uint64_t) + layout->field_bytes);
}

static struct file_layout lay_out(const struct operator_choice *choice, const int n[3])
{
    struct file_layout layout = {.field_bytes = (int64_t)sizeof(double) * n[0] * n[1] * n[2]};
    const struct spacing spacing = spacing_of(choice->lengths, n);
    char extent[64];
    snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", n[0], n[1], n[2]);
    const int bytes = snprintf(
        layout.header, BEFORE_TAG,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
        "  <ImageData WholeExtent=\"%s\" Origin=\"0 0 0\" Spacing=\"%.17g %.17g %.17g\">\n"
        "    <Piece Extent=\"%s\">\n"
        "      <CellData Scalars=\"%s\">\n"
        "        <DataArray type=\"Float64\" Name=\"%s\" format=\"appended\" offset=\"%lld\"/>\n"
        "        <DataArray type=\"Float64\" Name=\"%s\" format=\"appended\" offset=\"%lld\"/>\n"
        "      </CellData>\n"
        "    </Piece>\n"
        "  </ImageData>\n",
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian", extent,
        spacing.side[0], spacing.side[1], spacing.side[2], extent, arrays[0].name, arrays[0].name,
        (long long)array_offset(&layout, 0), arrays[1].name, (long long)array_offset(&layout, 1));
    layout.header_bytes =
        bytes + snprintf(layout.header + bytes, sizeof layout.header - (size_t)bytes, "%*s%s\n_",
                         (int)BEFORE_TAG - bytes, "", tag);
    return layout;
}

static int64_t bytes_before_end(const struct file_layout *layout)
{
    return layout->header_bytes + array_offset(layout, ARRAYS);
}

bool solution_file_open(const char *path, const struct hierarchy_choice *choice,
                        struct output_file **file)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    int n[3];
    spec_extent(&shape.specs[0], n);
    const struct file_layout layout = lay_out(&choice->op, n);
    return output_file_open_together("write-solution", path,
                                     bytes_before_end(&layout) + (int64_t)strlen(end), file);
}

/* Planes of one box that fit into SLAB_LENGTH. */
struct slab {
    const struct patch *patch; /* NULL: there is none */
    int first, planes;
};

/* This rank's, and the doubles that the longest has with its ghosts. */
struct slabs {
    int count;
    struct slab *list;
    long longest;
};

static struct slabs cut_into_slabs(const struct level *l)
{
    struct slabs s = {.longest = 1};
    for (const struct patch *p = l->patches; p < l->patches + l->npatches; p++) {
        const long fit = SLAB_LENGTH / p->sk;
        const int most = fit < 1 ? 1 : fit > p->n[2] ? p->n[2] : (int)fit;
        s.longest = most * p->sk > s.longest ? most * p->sk : s.longest;
        for (int first = 0; first < p->n[2]; first += most) {
            const int left = p->n[2] - first;
            s.list = memory_room(s.list, s.count, sizeof *s.list, "planes of the solution");
            s.list[s.count++] = (struct slab){p, first, left < most ? left : most};
        }
    }
    return s;
}

/* Copies the slab's cells into values, without the ghosts between rows and planes. values also
 * holds the ghosts for a while: planes·sk doubles. */
static void slab_read(const struct level *l, enum field field, struct slab s, double *values)
{
    const struct patch *p = s.patch;
    const size_t row = (size_t)p->n[0];
    l->backend->memory->download(level_natural(l, field) + p->offset + s.first * p->sk, values,
                                 (s.planes - 1) * p->sk + (p->n[1] - 1) * p->sj + p->n[0]);
    for (int k = 0; k < s.planes; k++)
        for (int j = 0; j < p->n[1]; j++)
            memmove(values + ((size_t)k * (size_t)p->n[1] + (size_t)j) * row,
                    values + k * p->sk + j * p->sj, row * sizeof *values);
}

static void slab_write(struct comm_file *out, int64_t offset, const struct level *l, struct slab s,
                       const double *values)
{
    struct box box = {{0, 0, 0}, {0, 0, 0}};
    if (s.patch) {
        box = s.patch->box;
        box.lo[2] += s.first;
        box.hi[2] = box.lo[2] + s.planes;
    }
    comm_file_write_box(out, offset, l->n, box.lo, box.hi, values);
}

/* Ranks have different numbers of slabs, and those without one take part with an empty box. */
static void write_field(struct comm_file *out, int64_t offset, const struct level *l,
                        enum field field)
{
    const struct slabs own = cut_into_slabs(l);
    const int most = (int)comm_max_u64(comm_world(), (uint64_t)own.count);
    double *values = memory_alloc((size_t)own.longest * sizeof *values, "planes of the solution");
    for (int number = 0; number < most; number++) {
        const struct slab s = number < own.count ? own.list[number] : (struct slab){0};
        if (s.patch)
            slab_read(l, field, s, values);
        slab_write(out, offset, l, s, values);
    }
    memory_free(values);
    memory_free(own.list);
}

/* What is not a field. */
static void write_frame(struct comm_file *out, const struct file_layout *layout)
{
    const uint64_t bytes = (uint64_t)layout->field_bytes;
    comm_file_write(out, 0, layout->header, (int)layout->header_bytes);
    for (int a = 0; a < ARRAYS; a++)
        comm_file_write(out, layout->header_bytes + array_offset(layout, a), &bytes, sizeof bytes);
    comm_file_write(out, bytes_before_end(layout), end, (int)strlen(end));
}

/* True on all ranks if the file was written. */
static bool write_all(const char *path, const struct level *l, char *reason, int size)
{
    const struct file_layout layout = lay_out(&l->stencil->choice, l->n);
    struct comm_file out;
    comm_file_open(&out, path);
    if (comm_rank() == 0)
        write_frame(&out, &layout);
    for (int a = 0; a < ARRAYS; a++)
        write_field(&out,
                    layout.header_bytes + array_offset(&layout, a) + (int64_t)sizeof(uint64_t), l,
                    arrays[a].field);
    return comm_file_close(&out, reason, size);
}

bool solution_file_write(struct output_file *file, const struct hierarchy *h)
{
    char path[PATH_MAX + sizeof ".XXXXXX"] = "", reason[512] = "";
    const char *partial = comm_rank() == 0 ? output_file_begin(file) : NULL;
    if (partial)
        snprintf(path, sizeof path, "%s", partial);
    comm_broadcast(comm_world(), path, sizeof path);
    if (!path[0])
        return false;
    const bool written = write_all(path, h->levels[0], reason, sizeof reason);
    const bool good = comm_rank() > 0 || output_file_end(file, written ? NULL : reason);
    return comm_min_i64(comm_world(), good);
}
