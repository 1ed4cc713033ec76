#ifndef REFERENCE_COMPARE_H
#define REFERENCE_COMPARE_H
/* Compares this program with the rows of hpgmg-fv.csv.
 *
 * Two codes that do the same operations in another order agree to rounding. A relative residual r
 * is known to about eps·‖A‖‖u‖/‖f‖, which is eps·N² times a number of order 1/10 here (‖A‖ ~ 12 N²,
 * ‖u‖/‖f‖ ~ 1/(12π²)); nothing smaller can be asked for. Above that floor: 1e-8 of the value while
 * it is above 1e-8, within a factor of 2 nearer to rounding.
 *
 * Order 4 and size `4 27`: HPGMG chooses the wall rule by the size of a box, this project by that
 * of the level. On the level of 6³ cells HPGMG has boxes of 2³ and takes the quadratic rule, this
 * project the quartic one; and its probe with four colours finds an inexact diagonal there. With
 * HPGMG's choices put in by hand on that level all Dirichlet rows agree to 1e-4. Without, what can
 * be compared is h, where that level matters least: the residual after the F-cycle to 5 %. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "support/solve_case.h"

/* One line of the file. */
struct reference_row {
    char operator_name[8], equation[16], boundary[16], smoother[16], cycle[4], level[4], step[24];
    int log2_box;
    long boxes;
    double value;
};

struct comparison {
    long compared, failed;
    double worst; /* largest relative difference where 1e-8 is asked for */
};

static inline bool read_row(FILE *file, struct reference_row *r)
{
    char line[256];
    int ranks;
    if (!fgets(line, sizeof line, file))
        return false;
    const int fields =
        sscanf(line, "%7[^,],%15[^,],%15[^,],%15[^,],%3[^,],%d,%ld,%d,%3[^,],%23[^,],%lf",
               r->operator_name, r->equation, r->boundary, r->smoother, r->cycle, &r->log2_box,
               &r->boxes, &ranks, r->level, r->step, &r->value);
    if (fields != 11 || ranks != 1) {
        fprintf(stderr, "cannot read: %s", line);
        exit(1);
    }
    return true;
}

static inline bool same_case(const struct reference_row *a, const struct reference_row *b)
{
    return strcmp(a->operator_name, b->operator_name) == 0 &&
           strcmp(a->equation, b->equation) == 0 && strcmp(a->boundary, b->boundary) == 0 &&
           strcmp(a->smoother, b->smoother) == 0 && strcmp(a->cycle, b->cycle) == 0 &&
           a->log2_box == b->log2_box && a->boxes == b->boxes;
}

static inline void solve_row(const struct reference_row *r, struct case_result *result)
{
    const enum smoother smoother = r->smoother[0] == 'g'   ? SMOOTHER_GSRB
                                   : r->smoother[0] == 'c' ? SMOOTHER_CHEBYSHEV
                                                           : SMOOTHER_JACOBI;
    const struct hierarchy_choice choice =
        case_choice(r->operator_name[2] - '0', r->equation[0] == 'h', r->boundary[0] == 'p',
                    smoother, r->log2_box, r->boxes);
    const bool one_cycle = strcmp(r->cycle, "F") == 0;
    const struct solver_choice solver = {
        .f_cycle = r->cycle[0] == 'F', .rtol = one_cycle ? 0.0 : 1e-10, .max_cycles = 20};
    case_run(&choice, solver, result);
}

/* Our value for a row; NaN if there was no such step. */
static inline double our_value(const struct reference_row *r, const struct case_result *result)
{
    if (strcmp(r->step, "richardson_error") == 0)
        return result->richardson_error;
    if (strcmp(r->step, "order") == 0)
        return result->richardson_order;
    const int size = r->level[0] == 'h' ? 0 : r->level[0] == '2' ? 1 : 2;
    const int v = r->step[0] == 'f' ? 0 : atoi(r->step + 1);
    const int index = r->cycle[0] == 'F' ? v : v - 1;
    return index < result->solves[size].cycles ? result->solves[size].history[index] : NAN;
}

/* A row that is outside the comparison, see above. */
static inline bool left_out(const struct reference_row *r)
{
    const bool hpgmg_lowers_rule = r->operator_name[2] == '4' && r->boxes == 27;
    return hpgmg_lowers_rule && !(strcmp(r->level, "h") == 0 && strcmp(r->step, "f") == 0);
}

static inline bool agrees(const struct reference_row *r, double ours, struct comparison *c)
{
    const double theirs = r->value, difference = fabs(ours - theirs);
    const int n = (1 << r->log2_box) * (r->boxes == 27 ? 3 : r->boxes == 8 ? 2 : 1);
    const double floor = DBL_EPSILON * n * n / 10.0;
    if (strcmp(r->step, "order") == 0)
        return difference < 5.1e-4; /* three digits are printed */
    if (r->operator_name[2] == '4' && r->boxes == 27)
        return difference <= 0.05 * theirs;
    if (strcmp(r->step, "richardson_error") == 0 || theirs > 1e-8) {
        const double relative = difference / theirs;
        if (difference > floor && relative > c->worst)
            c->worst = relative;
        return difference <= 1e-8 * theirs + floor;
    }
    return difference <= floor || (ours <= 2.0 * theirs && theirs <= 2.0 * ours);
}

static inline void compare_row(const struct reference_row *r, const struct case_result *result,
                               struct comparison *c)
{
    if (left_out(r))
        return;
    const double ours = our_value(r, result);
    c->compared++;
    if (agrees(r, ours, c))
        return;
    c->failed++;
    printf("%s %s %s %s %s, size %d %ld, %s %s: %.15e instead of %.15e\n", r->operator_name,
           r->equation, r->boundary, r->smoother, r->cycle, r->log2_box, r->boxes, r->level,
           r->step, ours, r->value);
}

/* Compares the rows of the cases that `wanted` picks. HPGMG's rows of a case stand together, and
 * are as many as its cycles: a case with a cycle too many is a failure too. */
static inline struct comparison compare_all(bool (*wanted)(const struct reference_row *))
{
    struct comparison c = {0, 0, 0.0};
    struct reference_row row = {.log2_box = 0}, current = {.log2_box = -1};
    static struct case_result result;
    char header[256];
    long rows = 0;
    FILE *file = fopen("tests/reference/hpgmg-fv.csv", "r");
    if (!file || !fgets(header, sizeof header, file)) {
        fprintf(stderr,
                "tests/reference/hpgmg-fv.csv cannot be read; run from the project's root\n");
        exit(1);
    }
    while (read_row(file, &row)) {
        rows++;
        if (!wanted(&row))
            continue;
        if (!same_case(&row, &current)) {
            current = row;
            solve_row(&row, &result);
        }
        compare_row(&row, &result, &c);
    }
    fclose(file);
    printf(
        "%ld of %ld rows compared, %ld differ; largest relative difference above the floor %.1e\n",
        c.compared, rows, c.failed, c.worst);
    return c;
}

#endif
