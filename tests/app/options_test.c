/* SPDX-License-Identifier: BSD-3-Clause */
/* Drives options_parse through wrong and right command lines and input files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "app/options.h"
#include "base/memory.h"

enum { MAX_ARGUMENTS = 32, MESSAGE_SIZE = 400, NOBODY = 65534 };

struct answer {
    enum status status;
    struct options options;
    char message[MESSAGE_SIZE];
};

/* Parses a command line whose words are separated by single blanks; '' is the empty word. */
static struct answer parse(const char *command_line)
{
    static char words[1000];
    static char empty[] = "", program[] = "hpgmg-gpu";
    char *argv[MAX_ARGUMENTS] = {program};
    int argc = 1;
    assert_true(strlen(command_line) < sizeof words);
    strcpy(words, command_line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = strcmp(word, "''") == 0 ? empty : word;
    struct answer o = {.message = "nothing written"};
    o.status = options_parse(&o.options, argc, argv, o.message, MESSAGE_SIZE);
    return o;
}

static struct options parse_valid(const char *command_line)
{
    struct answer o = parse(command_line);
    if (o.status != STATUS_VALID)
        fail_msg("'%s' was refused: %s", command_line, o.message);
    return o.options;
}

static void expect_refused(const char *command_line, const char *part)
{
    const struct answer o = parse(command_line);
    if (o.status != STATUS_USAGE)
        fail_msg("'%s': status %d instead of 2", command_line, (int)o.status);
    if (!strstr(o.message, part))
        fail_msg("'%s': message '%s' lacks '%s'", command_line, o.message, part);
    assert_null(strchr(o.message, '\n'));
    assert_null(o.options.json);
    assert_null(o.options.input);
}

static const struct {
    const char *command_line, *message;
} wrong_command_lines[] = {
    /* sizes */
    {"", "missing LOG2_BOX_DIM"},
    {"5", "missing BOXES_PER_RANK"},
    {"5 8 9", "unexpected argument '9'"},
    {"--boundary periodic,neumann 5 8", "--boundary: wrong value 'periodic,neumann'; legal: "},
    {"--boundary neumann/ 5 8", "--boundary: wrong value 'neumann/'"},
    {"--boundary neumann,neumann,neumann,neumann 5 8", "--boundary: wrong value"},
    {"--boundary neuman 5 8", "one for all sides, or three with commas"},
    {"--boundary neumann,dirichlet/periodic,neumann 5 8", "direction j is periodic on one side"},
    {"abc 8", "LOG2_BOX_DIM: wrong value 'abc'; legal: an integer from 2 to 10"},
    {"5 def", "BOXES_PER_RANK: wrong value 'def'; legal: an integer from 1 to 1000000"},
    {"1 8", "LOG2_BOX_DIM: wrong value '1'"},
    {"11 8", "LOG2_BOX_DIM: wrong value '11'"},
    {"-5 8", "LOG2_BOX_DIM: wrong value '-5'"},
    {"5 -1", "BOXES_PER_RANK: wrong value '-1'"},
    {"5 1000001", "BOXES_PER_RANK: wrong value '1000001'"},
    {"5 99999999999999999999", "BOXES_PER_RANK: wrong value '99999999999999999999'"},
    {"5 4294967304", "BOXES_PER_RANK: wrong value"},
    {"5.0 8", "LOG2_BOX_DIM: wrong value '5.0'"},
    {"+5 8", "LOG2_BOX_DIM: wrong value '+5'"},
    {"'' 8", "LOG2_BOX_DIM: missing value"},
    {"5-5 8", "LOG2_BOX_DIM: wrong value '5-5'"},

    /* names */
    {"--smother gsrb 5 8", "unknown option '--smother'; --help lists all"},
    {"--max_cycles 3 5 8", "unknown option '--max_cycles'"},
    {"--Order 2 5 8", "unknown option '--Order'"},
    {"--bananas 5 8", "unknown option '--bananas'; --help lists all"},
    {"--ord 2 5 8", "unknown option '--ord'; --help lists all"},
    {"--s 2 5 8", "unknown option '--s'"},
    {"-order 2 5 8", "unknown option '-order'; --help lists all"},
    {"-help", "unknown option '-help'; --help lists all"},
    {"-h=1", "unknown option '-h=1'"},
    {"--= 5 8", "unknown option '--='"},
    {"--log2-box-dim 5 8", "unknown option '--log2-box-dim'"},

    /* values */
    {"--order 3 5 8", "--order: wrong value '3'; legal: 2, 4"},
    {"--order= 5 8", "--order: missing value"},
    {"5 8 --order", "--order: missing value; legal: 2, 4"},
    {"--json --quiet 5 8", "--json: missing value"},
    {"--json '' 5 8", "--json: missing value"},
    {"--quiet=1 5 8", "--quiet: takes no value"},
    {"--equation poison 5 8", "wrong value 'poison'; legal: poisson, helmholtz"},
    {"--problem p5 5 8", "--problem: wrong value 'p5'; legal: fv, sine, p4, p6"},
    {"--smoother l1-jacobi 5 8", "legal: gsrb, chebyshev, jacobi, l1jacobi"},
    {"--cycle V 5 8", "wrong value 'V'; legal: f, v, w"},
    {"--bottom bicg 5 8", "legal: bicgstab, cg, smooth"},
    {"--rtol nan 5 8", "--rtol: wrong value 'nan'; legal: none, or a number above 0 and below 1"},
    {"--rtol inf 5 8", "--rtol: wrong value 'inf'"},
    {"--rtol 0 5 8", "--rtol: wrong value '0'"},
    {"--atol -1 5 8",
     "--atol: wrong value '-1'; legal: none, or a number above 0 and below 1e+300"},
    {"--rtol 1 5 8", "--rtol: wrong value '1'"},
    {"--rtol 1e-400 5 8", "--rtol: wrong value '1e-400'"},
    {"--rtol 1e-3s 5 8", "--rtol: wrong value '1e-3s'"},
    {"--rtol 0x1p-3 5 8", "--rtol: wrong value '0x1p-3'"},
    {"--rtol 1e-3 --max-cycles 0 5 8", "--max-cycles: wrong value '0'; legal: an integer"},
    {"--rtol 1e-3 --max-cycles 10001 5 8", "--max-cycles: wrong value '10001'"},
    {"--rtol 1e-3 --max-cycles 4294967297 5 8", "--max-cycles: wrong value"},
    {"--solves 0 5 8", "--solves: wrong value '0'; legal: auto, or an integer"},
    {"--min-time 0 5 8", "--min-time: wrong value '0'; legal: a number above 0"},
    {"--lengths 1,2 5 8", "--lengths: wrong value '1,2'; legal: cubes, or 3 numbers above 0"},
    {"--lengths 1,2,3,4 5 8", "--lengths: wrong value '1,2,3,4'"},
    {"--lengths 1,0,1 5 8", "--lengths: wrong value '1,0,1'"},
    {"--lengths 1,nan,1 5 8", "--lengths: wrong value '1,nan,1'"},
    {"--lengths 1,,1 5 8", "--lengths: wrong value '1,,1'"},

    /* combinations */
    {"--order 2 --order 2 5 8", "--order: given twice"},
    {"--json a --json b 5 8", "--json: given twice"},
    {"--quiet --breakdown 5 8", "--quiet and --breakdown contradict each other"},
    {"--dry-run --checksum 5 8", "--dry-run and --checksum contradict"},
    {"--timeline a --dry-run 5 8", "--dry-run and --timeline contradict"},
    {"--timeline a --json a 5 8", "are the same file"},
    {"--solves 3 --min-time 2 5 8", "--solves and --min-time contradict"},
    {"--backend cpu --cpu-below 4096 5 8", "--backend and --cpu-below contradict"},
    {"--max-cycles 5 5 8", "--max-cycles: needs --rtol, --atol, --cycle v or w, or --solver idr"},

    /* files */
    {"--input /nonexistent/x.ini 5 8", "--input: cannot read '/nonexistent/x.ini': No such file"},
    {"--input / 5 8", "--input: cannot read '/': Is a directory"},
    {"--input inputs/smoke.ini 5", "missing BOXES_PER_RANK"},
};

static void wrong_command_lines_are_refused(void **state)
{
    (void)state;
    const size_t count = sizeof wrong_command_lines / sizeof wrong_command_lines[0];
    for (size_t i = 0; i < count; i++)
        expect_refused(wrong_command_lines[i].command_line, wrong_command_lines[i].message);
}

/* A file of the given text; its name is valid until the next call. */
static const char *file_with(const char *text)
{
    static char path[] = "/tmp/hpgmg-options-XXXXXX";
    static bool made;
    if (!made) {
        const int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        close(descriptor);
        made = true;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file_with(""));
}

/* The command line that reads a file of the given text, and goes on with `more`. */
static const char *with_file(const char *text, const char *more)
{
    static char command_line[300];
    snprintf(command_line, sizeof command_line, "--input %s %s", file_with(text), more);
    return command_line;
}

static const char long_line[] =
    "json = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";

static const struct {
    const char *text, *line, *message;
} wrong_files[] = {
    {"order = 3\n", "1", "order: wrong value '3'; legal: 2, 4"},
    {"# comment\n\norder = 2\norder = 2\n", "4", "order: given twice"},
    {"bananas = 2\n", "1", "unknown key 'bananas'; --help lists all"},
    {"log2_box_dim = 5\n", "1", "unknown key 'log2_box_dim'; --help lists all"},
    {"order =\n", "1", "order: missing value; legal: 2, 4"},
    {"\norder\n", "2", "expected `key = value`"},
    {"= 2\n", "1", "unknown key ''"},
    {"[run]\norder = 2\n", "1", "there are no sections"},
    {"\xef\xbb\xbf[run]\n", "1", "there are no sections"},
    {"\xef\xbb\xbf# comment = \norder = 3\n", "2", "order: wrong value '3'"},
    {"order = 2\n\xef\xbb\xbfquiet = true\n", "2", "unknown key"},
    {"quiet = yes\n", "1", "quiet: wrong value 'yes'; legal: true, false"},
    {"input = other.ini\n", "1", "input: only allowed on the command line"},
    {"log2-box-dim = 11\n", "1", "log2-box-dim: wrong value '11'; legal: an integer from 2 to 10"},
    {"order = 2\n   equation = laplace\n", "2", "equation: wrong value 'laplace'"},
    {"order = 5", "1", "order: wrong value '5'"},
    {long_line, "1", "the line is too long"},
};

static void wrong_files_are_refused_with_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong_files / sizeof wrong_files[0]; i++) {
        char message[MESSAGE_SIZE];
        const char *command_line = with_file(wrong_files[i].text, "5 8");
        snprintf(message, sizeof message, "%s:%s: %s", file_with(wrong_files[i].text),
                 wrong_files[i].line, wrong_files[i].message);
        expect_refused(command_line, message);
    }
}

static void contradictions_inside_a_file_are_refused(void **state)
{
    (void)state;
    expect_refused(with_file("quiet = true\nbreakdown = true\n", "5 8"), "contradict each other");
    expect_refused(with_file("solves = 3\nmin-time = 2\n", "5 8"), "contradict each other");
    expect_refused(with_file("max-cycles = 3\n", "5 8"), "--max-cycles: needs --rtol");
    expect_refused(with_file("log2-box-dim = 5\n", ""), "missing BOXES_PER_RANK");
    expect_refused(with_file("boxes-per-rank = 5\n", ""), "missing LOG2_BOX_DIM");
    expect_refused(with_file("boxes-per-rank = 5\n", "5"), "missing BOXES_PER_RANK");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    struct options o = parse_valid(with_file("\xef\xbb\xbf  order = 4 # why\n", "5 8"));
    assert_int_equal(o.solver.order, 4);
    option_release(&options_list, &o);
}

static void an_unreadable_file_is_refused(void **state)
{
    (void)state;
    const bool root = geteuid() == 0;
    const char *path = file_with("order = 2\n");
    const char *command_line = with_file("order = 2\n", "5 8");
    assert_int_equal(chmod(path, 0), 0);
    if (root) /* root reads everything */
        assert_int_equal(seteuid(NOBODY), 0);
    expect_refused(command_line, "Permission denied");
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static void append_line(void *data, const char *name, const char *value)
{
    char *text = data;
    const size_t length = strlen(text);
    snprintf(text + length, 1000 - length, "%s = %s\n", name, value);
}

static void defaults_are_those_of_the_manual(void **state)
{
    (void)state;
    char text[1000] = "";
    struct options o = parse_valid("5 8");
    options_visit(&o, append_line, text);
    assert_string_equal(
        text, "log2-box-dim = 5\nboxes-per-rank = 8\ndomain = cube\nlengths = cubes\nproblem = "
              "fv\norder = "
              "2\nequation = poisson\n"
              "boundary = dirichlet\ncoefficients = variable\nsmoother = gsrb\n"
              "sweeps = auto\nweight = auto\nlevels = all\ncycle = f\nprecision = double\n"
              "single-above = 262144\nrtol = none\natol = none\n"
              "solver = mg\nbottom = bicgstab\nbackend = auto\n"
              "cpu-below = auto\nagglomerate-below = auto\ntransport = auto\n"
              "overlap-above = auto\nkernels = default\nloops = tiled\nfuse = on\nsolves = auto\n"
              "min-time = 2\nbenchmark = false\n");
    assert_int_equal(o.solver.max_cycles, 100);
    assert_false(o.breakdown || o.show_cycle || o.checksum || o.quiet || o.dry_run);
    assert_false(o.help || o.version);
    assert_true(!o.json && !o.timeline && !o.input);
}

/* Whether the row's value is `text`, as options_visit would print it. */
static bool has_value(const struct options *o, const struct option_row *row, const char *text)
{
    char buffer[OPTION_TEXT_SIZE];
    return strcmp(option_text(row, o, buffer), text) == 0;
}

static void lengths_are_three_numbers(void **state)
{
    (void)state;
    struct options o = parse_valid("--lengths 1,2.5,1e-3 5 8");
    assert_true(o.lengths[0] == 1.0 && o.lengths[1] == 2.5 && o.lengths[2] == 1e-3);
    assert_true(has_value(&o, option_find(&options_list, "lengths", 0), "1,2.5,0.001"));
    o = parse_valid("--lengths cubes 5 8");
    assert_true(o.lengths[0] == 0.0 && o.lengths[1] == 0.0 && o.lengths[2] == 0.0);
}

static void every_choice_and_flag_is_taken(void **state)
{
    (void)state;
    char command_line[100];
    for (int i = 0; i < options_list.count; i++) {
        const struct option_row *row = &options_list.rows[i];
        for (const struct choice *c = row->choices; c && c->name; c++) {
            snprintf(command_line, sizeof command_line, "5 --%s %s 8", row->name, c->name);
            struct options spaced = parse_valid(command_line);
            assert_true(has_value(&spaced, row, c->name));
            snprintf(command_line, sizeof command_line, "--%s=%s 5 8", row->name, c->name);
            struct options joined = parse_valid(command_line);
            assert_true(has_value(&joined, row, c->name));
        }
        if (row->kind == OPTION_FLAG && !(row->uses & OPTION_REQUEST)) {
            snprintf(command_line, sizeof command_line, "5 8 --%s", row->name);
            struct options o = parse_valid(command_line);
            assert_true(has_value(&o, row, "true"));
        }
    }
}

static void bounds_are_taken(void **state)
{
    (void)state;
    assert_int_equal(parse_valid("2 1").log2_box_dim, 2);
    assert_int_equal(parse_valid("10 1000000").boxes_per_rank, 1000000);
    assert_int_equal(parse_valid("-- 5 8").boxes_per_rank, 8);
    assert_int_equal(parse_valid("--solves 1 5 8").solves, 1);
    assert_int_equal(parse_valid("--solves auto 5 8").solves, 0);
    assert_int_equal(parse_valid("--cycle v --max-cycles 10000 5 8").solver.max_cycles, 10000);
    assert_true(parse_valid("--rtol .5 5 8").solver.rtol == 0.5);
    assert_true(parse_valid("--rtol none 5 8").solver.rtol == 0);
    assert_true(parse_valid("--min-time 0.25 5 8").min_time == 0.25);
    assert_true(parse_valid("--benchmark 5 8").min_time == 60.0);
    assert_true(parse_valid("--benchmark --min-time 0.25 5 8").min_time == 0.25);
    assert_true(parse_valid("--benchmark --solves 3 5 8").min_time == 2.0);
}

static void solvers_without_an_end_have_a_tolerance(void **state)
{
    (void)state;
    assert_true(parse_valid("--cycle v 5 8").solver.rtol == 1e-10);
    assert_true(parse_valid("--solver idr 5 8").solver.rtol == 1e-10);
    assert_true(parse_valid("--solver auto 5 8").solver.rtol == 0.0);
    assert_true(parse_valid("--solver idr --atol 1e-3 5 8").solver.rtol == 0.0);
    assert_true(parse_valid("--atol 1e-3 --max-cycles 7 5 8").solver.atol == 1e-3);
    assert_true(parse_valid("--cycle v --rtol 1e-3 5 8").solver.rtol == 1e-3);
    assert_int_equal(parse_valid("--solver idr --max-cycles 7 5 8").solver.max_cycles, 7);
}

static void requests_stand_alone(void **state)
{
    (void)state;
    struct options o = parse_valid("--json out --order 4 --help --bananas");
    assert_true(o.help);
    assert_false(o.version);
    assert_null(o.json);
    assert_int_equal(o.solver.order, 0);
    assert_true(parse_valid("-h --bananas").help);
    o = parse_valid("5 --version 8 9");
    assert_true(o.version);
    assert_false(o.help);
}

static void a_file_gives_what_the_command_line_does_not(void **state)
{
    (void)state;
    const char *text = "# sizes\nlog2-box-dim=4\n boxes-per-rank = 27 # cube\n\norder = 4\n"
                       "checksum = true\nquiet = false\njson = from # file\n";
    struct options o = parse_valid(with_file(text, ""));
    assert_int_equal(o.log2_box_dim, 4);
    assert_int_equal(o.boxes_per_rank, 27);
    assert_int_equal(o.solver.order, 4);
    assert_true(o.checksum);
    assert_false(o.quiet);
    assert_string_equal(o.json, "from");
    assert_string_equal(o.input, file_with(text));
    option_release(&options_list, &o);

    o = parse_valid(with_file(text, "6 8 --order 2 --json mine"));
    assert_int_equal(o.log2_box_dim, 6);
    assert_int_equal(o.boxes_per_rank, 8);
    assert_int_equal(o.solver.order, 2);
    assert_string_equal(o.json, "mine");
    option_release(&options_list, &o);

    expect_refused(with_file("order = 3\n", "--order 2 5 8"), "order: wrong value '3'");
}

/* So that a value may have one. */
static void a_hash_begins_a_comment_after_a_blank_only(void **state)
{
    (void)state;
    struct options o = parse_valid(with_file("#order = 4\njson = run#7 \t#8\n", "5 8"));
    assert_int_equal(o.solver.order, 2);
    assert_string_equal(o.json, "run#7");
    option_release(&options_list, &o);
    o = parse_valid(with_file("json = a##b#\t# c # d\n", "5 8"));
    assert_string_equal(o.json, "a##b#");
    option_release(&options_list, &o);
}

static void the_command_line_settles_contradictions_with_a_file(void **state)
{
    (void)state;
    struct options o = parse_valid(with_file("quiet = true\n", "--breakdown 5 8"));
    assert_true(o.breakdown);
    assert_false(o.quiet);
    option_release(&options_list, &o);
    o = parse_valid(with_file("json = out\n", "--dry-run 5 8"));
    assert_true(o.dry_run);
    assert_null(o.json);
    option_release(&options_list, &o);
    o = parse_valid(with_file("solves = 5\n", "--min-time 9 5 8"));
    assert_int_equal(o.solves, 0);
    assert_true(o.min_time == 9);
    option_release(&options_list, &o);
    o = parse_valid(with_file("min-time = 9\n", "--solves 5 5 8"));
    assert_int_equal(o.solves, 5);
    option_release(&options_list, &o);
}

static void the_echo_is_an_input_file_for_the_same_run(void **state)
{
    (void)state;
    static const char *const command_lines[] = {
        "5 8",
        "--order 4 --rtol 0.1 --solves 7 --smoother l1jacobi 3 1000",
        "--solver idr --equation helmholtz --boundary periodic --min-time 0.3 2 1",
        "--boundary dirichlet/neumann,neumann/dirichlet,dirichlet/neumann 5 8",
        "--boundary periodic,neumann,dirichlet 5 8",
        "--cycle v --max-cycles 3 --bottom smooth --problem p6 --loops plain --backend cpu 9 9",
        "--fuse off 5 8",
    };
    for (size_t i = 0; i < sizeof command_lines / sizeof command_lines[0]; i++) {
        char first[1000] = "", second[1000] = "";
        struct options o = parse_valid(command_lines[i]);
        options_visit(&o, append_line, first);
        o = parse_valid(with_file(first, ""));
        options_visit(&o, append_line, second);
        option_release(&options_list, &o);
        assert_string_equal(first, second);
    }
}

static void help_names_every_option_in_56_lines_of_79_columns(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    options_print_help(out);
    fclose(out);
    for (int i = 0; i < options_list.count; i++) {
        const struct option_row *row = &options_list.rows[i];
        assert_non_null(strstr(text, row->name));
        for (const struct choice *c = row->choices; c && c->name; c++)
            assert_non_null(strstr(text, c->name));
    }
    int lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_in_range(strlen(line), 1, 79);
        lines++;
    }
    assert_in_range(lines, options_list.count, 56);
    free(text);
}

static void input_files_of_the_project_are_valid(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("inputs/*.ini", 0, NULL, &files), 0);
    assert_in_range(files.gl_pathc, 5, 100);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char command_line[200];
        snprintf(command_line, sizeof command_line, "--input %s", files.gl_pathv[i]);
        struct options o = parse_valid(command_line);
        assert_in_range(o.log2_box_dim, 2, 5);
        option_release(&options_list, &o);
    }
    globfree(&files);
}

static void messages_fit_and_are_one_line(void **state)
{
    (void)state;
    expect_refused("--order 3\n4 5 8", "wrong value '3?4'");
    expect_refused("--ord\ner 5 8", "unknown option '--ord?er'");
    char program[] = "hpgmg-gpu", word[] = "--bananas", message[9] = "########";
    char *argv[] = {program, word, NULL};
    struct options o;
    assert_int_equal(options_parse(&o, 2, argv, message, 8), STATUS_USAGE);
    assert_string_equal(message, "unknown");
}

static void nothing_is_left_allocated(void **state)
{
    (void)state;
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_command_lines_are_refused),
        cmocka_unit_test(wrong_files_are_refused_with_their_line),
        cmocka_unit_test(contradictions_inside_a_file_are_refused),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(an_unreadable_file_is_refused),
        cmocka_unit_test(defaults_are_those_of_the_manual),
        cmocka_unit_test(lengths_are_three_numbers),
        cmocka_unit_test(every_choice_and_flag_is_taken),
        cmocka_unit_test(bounds_are_taken),
        cmocka_unit_test(solvers_without_an_end_have_a_tolerance),
        cmocka_unit_test(requests_stand_alone),
        cmocka_unit_test(a_file_gives_what_the_command_line_does_not),
        cmocka_unit_test(a_hash_begins_a_comment_after_a_blank_only),
        cmocka_unit_test(the_command_line_settles_contradictions_with_a_file),
        cmocka_unit_test(the_echo_is_an_input_file_for_the_same_run),
        cmocka_unit_test(help_names_every_option_in_56_lines_of_79_columns),
        cmocka_unit_test(input_files_of_the_project_are_valid),
        cmocka_unit_test(messages_fit_and_are_one_line),
        cmocka_unit_test(nothing_is_left_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
