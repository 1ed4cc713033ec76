#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/options_table.h"
#include "base/memory.h"
#include "operators/stencil.h"

static const struct choice orders[] = {{"2", 2}, {"4", 4}, {NULL, 0}};
static const struct choice equations[] = {
    {"poisson", EQUATION_POISSON}, {"helmholtz", EQUATION_HELMHOLTZ}, {NULL, 0}};
static const struct choice boundaries[] = {
    {"dirichlet", BOUNDARY_DIRICHLET}, {"periodic", BOUNDARY_PERIODIC}, {NULL, 0}};
static const struct choice coefficients[] = {
    {"variable", COEFFICIENTS_VARIABLE}, {"constant", COEFFICIENTS_CONSTANT}, {NULL, 0}};
static const struct choice problems[] = {
    {"fv", PROBLEM_FV}, {"sine", PROBLEM_SINE}, {"p4", PROBLEM_P4}, {"p6", PROBLEM_P6}, {NULL, 0}};
static const struct choice smoothers[] = {{"gsrb", SMOOTHER_GSRB},
                                          {"chebyshev", SMOOTHER_CHEBYSHEV},
                                          {"jacobi", SMOOTHER_JACOBI},
                                          {"l1jacobi", SMOOTHER_L1JACOBI},
                                          {NULL, 0}};
static const struct choice cycles[] = {{"f", CYCLE_F}, {"v", CYCLE_V}, {NULL, 0}};
static const struct choice solvers[] = {{"mg", SOLVER_MG}, {"mgpcg", SOLVER_MGPCG}, {NULL, 0}};
static const struct choice bottoms[] = {{"bicgstab", BOTTOM_BICGSTAB},
                                        {"cg", BOTTOM_CG},
                                        {"smooth", BOTTOM_SMOOTH},
                                        {"direct", BOTTOM_DIRECT},
                                        {NULL, 0}};
static const struct choice backends[] = {
    {"auto", BACKEND_AUTO}, {"cpu", BACKEND_CPU}, {"gpu", BACKEND_GPU}, {NULL, 0}};
static const struct choice loops[] = {{"tiled", LOOPS_TILED}, {"plain", LOOPS_PLAIN}, {NULL, 0}};

#define AT(member) .offset = offsetof(struct options, member)
#define ANYWHERE (OPTION_COMMAND_LINE | OPTION_FILE)
#define SIZE(type, member)                                                                         \
    .kind = (type), AT(member), .uses = OPTION_POSITIONAL | OPTION_FILE | OPTION_SHAPES
#define CHOICE(member, list, first)                                                                \
    .kind = OPTION_CHOICE, AT(member), .uses = ANYWHERE | OPTION_SHAPES, .choices = (list),        \
    .initial = (first)
#define NUMBER(type, member, first)                                                                \
    .kind = (type), AT(member), .uses = ANYWHERE | OPTION_SHAPES, .initial = (first)
#define FLAG(member) .kind = OPTION_FLAG, AT(member), .uses = ANYWHERE, .unset = "false"
#define REQUEST(member)                                                                            \
    .kind = OPTION_FLAG, AT(member), .uses = OPTION_COMMAND_LINE | OPTION_REQUEST, .unset = "false"
#define PATH(member) .kind = OPTION_PATH, AT(member), .unset = ""

/* A row is a few lines, and not one a member. */
/* clang-format off */
const struct option_row option_table[] = {
    {.name = "log2-box-dim", SIZE(OPTION_INT, log2_box_dim), .minimum = 2, .maximum = 10,
     .argument = "LOG2_BOX_DIM", .help = "boxes have 2^LOG2_BOX_DIM cells a side: 2 to 10"},
    {.name = "boxes-per-rank", SIZE(OPTION_LONG, boxes_per_rank), .minimum = 1, .maximum = 1e6,
     .argument = "BOXES_PER_RANK", .help = "at most; the domain is the largest such cube"},

    {.name = "order", CHOICE(order, orders, "2"), .help = "order of the operator: fv2 or fv4"},
    {.name = "equation", CHOICE(equation, equations, "poisson"),
     .help = "-div(beta grad u) = f, or + alpha u"},
    {.name = "boundary", CHOICE(boundary, boundaries, "dirichlet"), .help = "boundary condition"},
    {.name = "coefficients", CHOICE(coefficients, coefficients, "variable"),
     .help = "stored alpha and beta, or alpha = beta = 1"},
    {.name = "problem", CHOICE(problem, problems, "fv"),
     .help = "right-hand side; all but fv know u"},
    {.name = "smoother", CHOICE(smoother, smoothers, "gsrb"), .help = "6 sweeps each"},
    {.name = "cycle", CHOICE(cycle, cycles, "f"),
     .help = "F-cycle (full multigrid), or V from zero"},
    {.name = "rtol", NUMBER(OPTION_REAL, rtol, "none"), .unset = "none", .minimum = 0, .maximum = 1,
     .argument = "R",
     .help = "go on with V-cycles to this residual; none: one\n"
             "F-cycle (1e-10 for --cycle v and mgpcg)"},
    {.name = "max-cycles", NUMBER(OPTION_INT, max_cycles, "20"), .minimum = 1, .maximum = 10000,
     .argument = "N", .help = "V-cycles or CG iterations that may take"},
    {.name = "solver", CHOICE(solver, solvers, "mg"),
     .help = "multigrid, or CG preconditioned by it"},
    {.name = "bottom", CHOICE(bottom, bottoms, "bicgstab"), .help = "solver of the coarsest level"},
    {.name = "backend", CHOICE(backend, backends, "auto"), .help = "where the levels live"},
    {.name = "cpu-below", NUMBER(OPTION_LONG, cpu_below, "never"), .unset = "never", .minimum = 1,
     .maximum = 1e12, .argument = "CELLS", .help = "levels of fewer cells leave the GPU"},
    {.name = "loops", CHOICE(loops, loops, "tiled"), .help = "CPU loops; same bits"},
    {.name = "solves", NUMBER(OPTION_LONG, solves, "auto"), .unset = "auto", .minimum = 1,
     .maximum = 1e6, .argument = "N",
     .help = "timed solves per size; auto: at least 10, and\nas many as fill --min-time"},
    {.name = "min-time", NUMBER(OPTION_REAL, min_time, "2"), .minimum = 0, .maximum = 1e6,
     .argument = "SECONDS", .help = "timed seconds per size"},

    {.name = "json", PATH(json), .uses = ANYWHERE, .argument = "FILE",
     .help = "also write the report there"},
    {.name = "breakdown", FLAG(breakdown), .help = "print time by level and kind of operation"},
    {.name = "show-cycle", FLAG(show_cycle), .help = "print the cycle's stages"},
    {.name = "checksum", FLAG(checksum), .help = "print a checksum of the solution's bits"},
    {.name = "quiet", FLAG(quiet), .help = "print results and verdict only"},
    {.name = "dry-run", FLAG(dry_run), .help = "print levels and memory, solve nothing"},
    {.name = "input", PATH(input), .uses = OPTION_COMMAND_LINE, .argument = "FILE",
     .help = "read options from FILE; the command line wins"},
    {.name = "help", REQUEST(help), .help = "print this text"},
    {.name = "version", REQUEST(version), .help = "print version and build"},
};
/* clang-format on */
const int option_count = sizeof option_table / sizeof option_table[0];
_Static_assert(sizeof option_table / sizeof option_table[0] <= MAX_OPTIONS, "raise MAX_OPTIONS");

const struct option_row *option_find(const char *name, unsigned uses)
{
    for (int i = 0; i < option_count; i++)
        if ((option_table[i].uses & uses) == uses && strcmp(option_table[i].name, name) == 0)
            return &option_table[i];
    return NULL;
}

void option_set_defaults(struct options *options)
{
    memset(options, 0, sizeof *options);
    for (int i = 0; i < option_count; i++)
        if (option_table[i].initial)
            option_set(&option_table[i], options, option_table[i].initial);
}

/* Decimal digits with an optional sign and nothing else: strtol alone would skip leading blanks. */
static bool parse_integer(const char *text, double minimum, double maximum, long *value)
{
    if (*text == '\0' || strspn(text, "-0123456789") != strlen(text))
        return false;
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return *end == '\0' && errno == 0 && (double)*value >= minimum && (double)*value <= maximum;
}

/* A decimal number: strtod alone would take blanks, hexadecimal digits, "inf" and "nan". */
static bool parse_real(const char *text, double minimum, double maximum, double *value)
{
    if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return *end == '\0' && errno == 0 && *value > minimum && *value < maximum;
}

static bool set_flag(bool *member, const char *text)
{
    const bool value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return false;
    *member = value;
    return true;
}

static bool set_choice(int *member, const struct choice *choices, const char *text)
{
    for (const struct choice *c = choices; c->name; c++)
        if (strcmp(c->name, text) == 0) {
            *member = c->value;
            return true;
        }
    return false;
}

static bool set_integer(const struct option_row *row, void *member, const char *text)
{
    long value = 0;
    if (!(row->unset && strcmp(text, row->unset) == 0) &&
        !parse_integer(text, row->minimum, row->maximum, &value))
        return false;
    if (row->kind == OPTION_INT)
        *(int *)member = (int)value;
    else
        *(long *)member = value;
    return true;
}

static bool set_real(const struct option_row *row, double *member, const char *text)
{
    double value = 0;
    if (!(row->unset && strcmp(text, row->unset) == 0) &&
        !parse_real(text, row->minimum, row->maximum, &value))
        return false;
    *member = value;
    return true;
}

static bool set_path(char **member, const char *text)
{
    if (*text == '\0')
        return false;
    memory_free(*member);
    *member = memory_alloc(strlen(text) + 1, "a path of the options");
    strcpy(*member, text);
    return true;
}

bool option_set(const struct option_row *row, struct options *options, const char *text)
{
    void *member = (char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return set_flag(member, text);
    case OPTION_CHOICE:
        return set_choice(member, row->choices, text);
    case OPTION_INT:
    case OPTION_LONG:
        return set_integer(row, member, text);
    case OPTION_REAL:
        return set_real(row, member, text);
    case OPTION_PATH:
        return set_path(member, text);
    }
    return false;
}

void option_reset(const struct option_row *row, struct options *options)
{
    if (row->kind == OPTION_PATH) {
        char **path = (void *)((char *)options + row->offset);
        memory_free(*path);
        *path = NULL;
    } else {
        option_set(row, options, row->initial ? row->initial : "false");
    }
}

/* The shortest decimal text that reads back as the same number. */
static const char *real_text(double value, char buffer[OPTION_TEXT_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, OPTION_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

static const char *integer_text(const struct option_row *row, long value,
                                char buffer[OPTION_TEXT_SIZE])
{
    if (row->unset && value == 0)
        return row->unset;
    snprintf(buffer, OPTION_TEXT_SIZE, "%ld", value);
    return buffer;
}

static const char *choice_text(const struct choice *choices, int value)
{
    const struct choice *c = choices;
    while (c->name && c->value != value)
        c++;
    return c->name;
}

const char *option_text(const struct option_row *row, const struct options *options,
                        char buffer[OPTION_TEXT_SIZE])
{
    const void *member = (const char *)options + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        return *(const bool *)member ? "true" : "false";
    case OPTION_CHOICE:
        return choice_text(row->choices, *(const int *)member);
    case OPTION_INT:
        return integer_text(row, *(const int *)member, buffer);
    case OPTION_LONG:
        return integer_text(row, *(const long *)member, buffer);
    case OPTION_REAL:
        if (row->unset && *(const double *)member == 0)
            return row->unset;
        return real_text(*(const double *)member, buffer);
    case OPTION_PATH:
        return *(char *const *)member ? *(char *const *)member : "";
    }
    return "";
}

bool option_is_chosen(const struct option_row *row, const struct options *options)
{
    char buffer[OPTION_TEXT_SIZE];
    return !row->unset || strcmp(option_text(row, options, buffer), row->unset) != 0;
}

static void describe_choices(const struct choice *choices, char *text, int size)
{
    int length = 0;
    for (const struct choice *c = choices; c->name && length < size; c++)
        length += snprintf(text + length, (size_t)(size - length), "%s%s", c == choices ? "" : ", ",
                           c->name);
}

void option_describe_legal(const struct option_row *row, char *text, int size)
{
    const size_t n = (size_t)size;
    const char *unset = row->unset ? row->unset : "";
    const char *or_else = row->unset ? ", or " : "";
    switch (row->kind) {
    case OPTION_FLAG:
        snprintf(text, n, "true, false");
        break;
    case OPTION_CHOICE:
        describe_choices(row->choices, text, size);
        break;
    case OPTION_INT:
    case OPTION_LONG:
        snprintf(text, n, "%s%san integer from %.0f to %.0f", unset, or_else, row->minimum,
                 row->maximum);
        break;
    case OPTION_REAL:
        snprintf(text, n, "%s%sa number above %g and below %.0f", unset, or_else, row->minimum,
                 row->maximum);
        break;
    case OPTION_PATH:
        snprintf(text, n, "a file name");
        break;
    }
}
