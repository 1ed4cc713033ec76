/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/domain.h"
#include <string.h>
#include "level/extent.h"

static long odd_part(long n)
{
    while (n % 2 == 0)
        n /= 2;
    return n;
}

int domain_cube_side(long boxes)
{
    int best = 1;
    for (long n = 1; n * n * n <= boxes; n++)
        if (odd_part(n) <= LARGEST_ODD_PART)
            best = (int)n;
    return best;
}

long domain_count(const struct domain_choice *choice, long boxes)
{
    const int *n = choice->boxes;
    if (n[0] == DOMAIN_EXACT)
        return boxes;
    const long side = n[0] == DOMAIN_CUBE ? domain_cube_side(boxes) : 0;
    return side ? side * side * side : (long)n[0] * n[1] * n[2];
}

double domain_remainder(const int shape[3])
{
    int n[3] = {shape[0], shape[1], shape[2]};
    while (n[0] % 2 == 0 && n[1] % 2 == 0 && n[2] % 2 == 0)
        for (int d = 0; d < 3; d++)
            n[d] /= 2;
    return extent_cells(n);
}

/* Half the surface. */
static double surface(const int n[3])
{
    return (double)n[0] * n[1] + (double)n[1] * n[2] + (double)n[2] * n[0];
}

static bool is_better(const int a[3], const int b[3])
{
    double left[2] = {domain_remainder(a), domain_remainder(b)};
    for (int x = 0; x < 2; x++)
        left[x] = left[x] < SMALL_COARSEST_CELLS ? SMALL_COARSEST_CELLS : left[x];
    return left[0] != left[1] ? left[0] < left[1] : surface(a) < surface(b);
}

static void find_exact(int boxes, int shape[3])
{
    const int line[3] = {boxes, 1, 1};
    memcpy(shape, line, sizeof line);
    for (int k = 1; (long)k * k * k <= boxes; k++)
        for (int j = k; boxes % k == 0 && (long)j * j <= boxes / k; j++) {
            const int other[3] = {boxes / k / j, j, k};
            if (boxes / k % j == 0 && is_better(other, shape))
                memcpy(shape, other, sizeof other);
        }
}

void domain_shape(const struct domain_choice *choice, long boxes, int shape[3])
{
    memcpy(shape, choice->boxes, sizeof choice->boxes);
    if (choice->boxes[0] == DOMAIN_EXACT)
        find_exact((int)boxes, shape);
    else if (choice->boxes[0] == DOMAIN_CUBE)
        shape[0] = shape[1] = shape[2] = domain_cube_side(boxes);
}

void domain_suggest_shape(long boxes, int left, int shape[3])
{
    enum { MAX_TRIED = 256 };
    const struct domain_choice exact = {{DOMAIN_EXACT}}, cube = {{DOMAIN_CUBE}};
    for (long count = boxes; count > 0 && count > boxes - MAX_TRIED; count--) {
        domain_shape(&exact, count, shape);
        if (domain_remainder(shape) <= left)
            return;
    }
    domain_shape(&cube, boxes, shape);
}
