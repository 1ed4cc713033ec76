/* Dirichlet ghosts as stored values, for the kernels that do not fold them in. */
#include "cuda/walls.cuh"

/* The rule as a constant, so that the cells it reads are all fetched at once. */
template <int RULE>
static void fill(const struct shell &s, const struct wall_view &w)
{
    for_range(s.all, [=] __device__(long at) {
        int i, j, k;
        shell_cell(s, at, &i, &j, &k);
        if (behind_wall(w.c, i, j, k))
            w.x[i + j * w.c.sj + k * w.c.sk] = value_k<RULE>(w, i, j, k);
    });
}

void cuda_walls(const struct cells &c, double *x, int rule, int layers, int ghosts)
{
    /* Where one side has no wall, ghosts of other walls are needed as deep as that side's halo. */
    bool open = false, any = false;
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            open = open || !c.wall[d][side];
            any = any || c.wall[d][side];
        }
    if (!any)
        return;
    const struct shell s = shell_of(c, open ? ghosts : layers);
    const struct wall_view w = {c, x, rule};
    if (rule == 4)
        fill<4>(s, w);
    else if (rule == 2)
        fill<2>(s, w);
    else
        fill<1>(s, w);
}

void cuda_walls_fill(const struct level *level, double *field, int rule, int layers)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct cells c = cells_of(&level->patches[q]);
        cuda_walls(c, field + c.offset, rule, layers, level->ghosts);
    }
}
