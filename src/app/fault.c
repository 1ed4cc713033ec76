#include "app/fault.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comm/comm.h"
#include "level/backend.h"
#include "solvers/program.h"

struct fault {
    char what[16];
    int rank;
    double value;
    bool done;
};
static struct fault armed;

static bool parse(const char *text, struct fault *fault)
{
    char value[8] = "";
    int length = 0;
    if (sscanf(text, "%15[^:]:%d:%7[a-z]%n", fault->what, &fault->rank, value, &length) != 3 ||
        text[length] != '\0')
        return false;
    fault->value = strcmp(value, "inf") == 0 ? INFINITY : NAN;
    const bool known = strcmp(fault->what, "f") == 0 || strcmp(fault->what, "beta") == 0 ||
                       strcmp(fault->what, "ghost") == 0 || strcmp(fault->what, "message") == 0;
    return known && (strcmp(value, "nan") == 0 || strcmp(value, "inf") == 0) && fault->rank >= 0 &&
           fault->rank < comm_size();
}

/* True if the copy writes the element. */
static bool writes(const struct copy *c, long element)
{
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++) {
            const long row = c->to + j * c->to_sj + k * c->to_sk;
            if (element >= row && element < row + c->n[0])
                return true;
        }
    return false;
}

static bool arrived(const struct plan *halo, long element)
{
    for (int c = 0; c < halo->unpack.count; c++)
        if (writes(&halo->unpack.copies[c], element))
            return true;
    return false;
}

/* A ghost cell next to a corner cell of the patch across a side that is no wall (from_message:
 * whose value came in a message); 0 if there is none. */
static long open_ghost(const struct level *l, const struct patch *p, bool from_message)
{
    const long stride[3] = {1, p->sj, p->sk};
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            const long ghost = p->offset + (side == 0 ? -1 : p->n[d]) * stride[d];
            if (!p->wall[d][side] && (!from_message || arrived(l->halo, ghost)))
                return ghost;
        }
    return 0;
}

static void spoil_halo(void *data, const struct program *p, const struct stage *stage)
{
    struct fault *fault = data;
    const struct level *l = p->hierarchy->levels[stage->level];
    if (fault->done || stage->kind != STAGE_HALO || stage->field != FIELD_U || l->npatches == 0)
        return;
    const long at = open_ghost(l, &l->patches[0], fault->what[0] == 'm');
    if (at == 0)
        return;
    fault->done = true;
    l->backend->upload(l->fields[stage->field] + at, &fault->value, 1);
}

enum status fault_install(struct hierarchy *h, char *message, int message_size)
{
    const char *text = getenv("HPGMG_FAULT");
    if (!text)
        return STATUS_VALID;
    if (!parse(text, &armed)) {
        snprintf(message, (size_t)message_size,
                 "HPGMG_FAULT=%s is not f|beta|ghost|message:RANK:nan|inf", text);
        return STATUS_USAGE;
    }
    const struct level *l = h->levels[0];
    if (armed.rank != comm_rank() || l->npatches == 0)
        return STATUS_VALID;
    const enum field field = armed.what[0] == 'f' ? FIELD_F : FIELD_BETA_I;
    if (armed.what[0] == 'f' || armed.what[0] == 'b')
        l->backend->upload(l->fields[field] + l->patches[0].offset, &armed.value, 1);
    else
        program_observe(spoil_halo, &armed);
    return STATUS_VALID;
}
