#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>
#include "app/input_file.h"
#include "app/nearest.h"
#include "app/options.h"
#include "app/options_table.h"
#include "base/memory.h"

enum { FIRST_CODE = 256 }; /* of long options for getopt: above all characters */

/* Pairs that contradict each other. */
static const struct {
    const char *names[2];
    const char *reason;
} exclusive[] = {
    {{"quiet", "breakdown"}, "quiet leaves the breakdown out"},
    {{"dry-run", "checksum"}, "a dry run solves nothing"},
    {{"dry-run", "json"}, "a dry run solves nothing"},
    {{"solves", "min-time"}, "they both say how many solves are timed"},
};
enum { EXCLUSIVE_PAIRS = sizeof exclusive / sizeof exclusive[0] };

struct parser {
    struct options *options;
    unsigned char seen[MAX_OPTIONS]; /* OPTION_COMMAND_LINE, OPTION_FILE: where each was given */
    const char *file;                /* being read; NULL: the command line is */
    int line;                        /* of file */
    char *message;
    int message_size;
};

static enum status fail(struct parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum status fail(struct parser *p, const char *format, ...)
{
    int length = 0;
    if (p->file)
        length = snprintf(p->message, (size_t)p->message_size, "%s:%d: ", p->file, p->line);
    if (length < p->message_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(p->message + length, (size_t)(p->message_size - length), format, arguments);
        va_end(arguments);
    }
    return STATUS_USAGE;
}

/* The name of an option as the user would write it where the parser is reading. */
struct label {
    char text[40];
};

static struct label label_of(const struct parser *p, const struct option_row *row)
{
    struct label label;
    if (p->file)
        snprintf(label.text, sizeof label.text, "%s", row->name);
    else if (row->uses & OPTION_POSITIONAL)
        snprintf(label.text, sizeof label.text, "%s", row->argument);
    else
        snprintf(label.text, sizeof label.text, "--%s", row->name);
    return label;
}

static enum status fail_value(struct parser *p, const struct option_row *row, const char *text)
{
    char legal[200];
    option_describe_legal(row, legal, sizeof legal);
    struct nearest search = {.word = text};
    for (const struct choice *c = row->choices; c && c->name; c++)
        nearest_try(&search, c->name);
    return fail(p, "%s: wrong value '%s'; legal: %s%s%s%s", label_of(p, row).text, text, legal,
                search.best ? "; did you mean " : "", search.best ? search.best : "",
                search.best ? "?" : "");
}

static enum status fail_missing(struct parser *p, const struct option_row *row)
{
    char legal[200];
    option_describe_legal(row, legal, sizeof legal);
    return fail(p, "%s: missing value; legal: %s", label_of(p, row).text, legal);
}

/* word: as given, with its dashes. */
static enum status fail_unknown(struct parser *p, const char *word)
{
    const unsigned use = p->file ? OPTION_FILE : OPTION_COMMAND_LINE;
    char name[80];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    if (!p->file)
        name[strcspn(name, "=")] = '\0';
    struct nearest search = {.word = name};
    for (int i = 0; i < option_count; i++)
        if (option_table[i].uses & use)
            nearest_try(&search, option_table[i].name);
    const char *kind = p->file ? "key" : "option";
    if (!search.best)
        return fail(p, "unknown %s '%s'; --help lists all", kind, word);
    return fail(p, "unknown %s '%s'; did you mean %s%s?", kind, word, p->file ? "" : "--",
                search.best);
}

static enum status set(struct parser *p, const struct option_row *row, const char *text)
{
    const unsigned char origin = p->file ? OPTION_FILE : OPTION_COMMAND_LINE;
    unsigned char *seen = &p->seen[row - option_table];
    if (*seen & origin)
        return fail(p, "%s: given twice", label_of(p, row).text);
    /* A value never begins with two dashes, so this one was forgotten: `--json --quiet`. */
    if (*text == '\0' || strncmp(text, "--", 2) == 0)
        return fail_missing(p, row);
    if (!option_set(row, p->options, text))
        return fail_value(p, row, text);
    *seen |= origin;
    return STATUS_VALID;
}

static enum status set_positional(struct parser *p, const char *text)
{
    for (int i = 0; i < option_count; i++)
        if ((option_table[i].uses & OPTION_POSITIONAL) && !(p->seen[i] & OPTION_COMMAND_LINE))
            return set(p, &option_table[i], text);
    return fail(p, "unexpected argument '%s'; expected only LOG2_BOX_DIM and BOXES_PER_RANK", text);
}

static void list_long_options(struct option list[MAX_OPTIONS + 1])
{
    int n = 0;
    for (int i = 0; i < option_count; i++)
        if (option_table[i].uses & OPTION_COMMAND_LINE) {
            const int argument =
                option_table[i].kind == OPTION_FLAG ? no_argument : required_argument;
            list[n++] = (struct option){option_table[i].name, argument, NULL, FIRST_CODE + i};
        }
    list[n] = (struct option){0};
}

/* What getopt_long made of word. It takes abbreviations, which would change their meaning when an
 * option is added: so the name must be there in full. */
static enum status take_option(struct parser *p, int code, const char *word)
{
    const int given = code >= FIRST_CODE ? code : optopt;
    const struct option_row *row = given >= FIRST_CODE ? &option_table[given - FIRST_CODE] : NULL;
    const size_t length = row ? strlen(row->name) : 0;
    if (!row || strncmp(word + 2, row->name, length) != 0 || strcspn(word + 2, "=") != length)
        return fail_unknown(p, word);
    if (code == ':')
        return fail_missing(p, row);
    if (code == '?')
        return fail(p, "--%s: takes no value", row->name);
    return set(p, row, row->kind == OPTION_FLAG ? "true" : optarg);
}

static bool is_negative_number(const char *word)
{
    return word[0] == '-' && isdigit((unsigned char)word[1]);
}

static bool is_request(const struct options *options)
{
    return options->help || options->version;
}

static enum status read_command_line(struct parser *p, int argc, char **argv)
{
    struct option list[MAX_OPTIONS + 1];
    list_long_options(list);
    enum status status = STATUS_VALID;
    opterr = 0;
    optind = 0; /* starts getopt afresh */
    while (status == STATUS_VALID && !is_request(p->options)) {
        const int next = optind == 0 ? 1 : optind;
        if (next < argc && is_negative_number(argv[next])) {
            status = set_positional(p, argv[next]);
            continue;
        }
        /* "-": arguments in their order, as code 1; ":": tell missing values from unknown options
         */
        const int code = getopt_long(argc, argv, "-:", list, NULL);
        if (code == -1)
            break;
        status = code == 1 ? set_positional(p, optarg) : take_option(p, code, argv[next]);
    }
    while (status == STATUS_VALID && !is_request(p->options) && optind < argc)
        status = set_positional(p, argv[optind++]); /* what follows "--" */
    return status;
}

static bool set_from_file(void *data, int line, const char *key, const char *value)
{
    struct parser *p = data;
    p->line = line;
    const struct option_row *row = option_find(key, OPTION_FILE);
    if (!row && option_find(key, OPTION_COMMAND_LINE))
        return fail(p, "%s: only allowed on the command line", key) == STATUS_VALID;
    return (row ? set(p, row, value) : fail_unknown(p, key)) == STATUS_VALID;
}

/* The command line has named a file: starts again with the file, and reads the command line over
 * it. */
static enum status read_file(struct parser *p, int argc, char **argv)
{
    char *path = p->options->input;
    p->options->input = NULL;
    options_release(p->options);
    option_set_defaults(p->options);
    memset(p->seen, 0, sizeof p->seen);
    p->file = path;
    enum status status = input_file_read(path, set_from_file, p, p->message, p->message_size);
    p->file = NULL;
    if (status == STATUS_VALID)
        status = read_command_line(p, argc, argv);
    memory_free(path);
    return status;
}

static enum status check_positionals(struct parser *p)
{
    int from_command_line = 0;
    const struct option_row *missing = NULL;
    for (int i = option_count - 1; i >= 0; i--)
        if (option_table[i].uses & OPTION_POSITIONAL) {
            from_command_line += (p->seen[i] & OPTION_COMMAND_LINE) != 0;
            if (!p->seen[i])
                missing = &option_table[i];
        }
    if (missing)
        return fail(p, "missing %s; usage: hpgmg-gpu [options] LOG2_BOX_DIM BOXES_PER_RANK",
                    missing->argument);
    if (from_command_line == 1)
        return fail(p, "missing BOXES_PER_RANK; give both sizes on the command line, or none and "
                       "both in the input file");
    return STATUS_VALID;
}

/* 0: not given; 1: in the file; 2: on the command line, which wins. */
static int strength(const struct parser *p, const struct option_row *row)
{
    const int seen = p->seen[row - option_table];
    if (!seen || !option_is_chosen(row, p->options))
        return 0;
    return seen & OPTION_COMMAND_LINE ? 2 : 1;
}

/* Refuses contradicting pairs, unless one is in the file and the other on the command line. */
static enum status check_exclusive(struct parser *p)
{
    for (int i = 0; i < EXCLUSIVE_PAIRS; i++) {
        const struct option_row *a = option_find(exclusive[i].names[0], OPTION_COMMAND_LINE);
        const struct option_row *b = option_find(exclusive[i].names[1], OPTION_COMMAND_LINE);
        const int of_a = strength(p, a), of_b = strength(p, b);
        if (of_a == 0 || of_b == 0)
            continue;
        if (of_a == of_b)
            return fail(p, "--%s and --%s contradict each other: %s", a->name, b->name,
                        exclusive[i].reason);
        option_reset(of_a < of_b ? a : b, p->options);
    }
    return STATUS_VALID;
}

/* Only the F-cycle has an end of its own: all else needs a tolerance. */
static enum status check_tolerance(struct parser *p)
{
    struct options *o = p->options;
    if (o->rtol == 0 && (o->cycle == CYCLE_V || o->solver == SOLVER_MGPCG))
        o->rtol = 1e-10;
    if (o->rtol == 0 && p->seen[option_find("max-cycles", 0) - option_table])
        return fail(p,
                    "--max-cycles: needs --rtol, --cycle v or --solver mgpcg; one F-cycle is run "
                    "without them");
    return STATUS_VALID;
}

static enum status check(struct parser *p)
{
    enum status status = check_positionals(p);
    if (status == STATUS_VALID)
        status = check_exclusive(p);
    if (status == STATUS_VALID)
        status = check_tolerance(p);
    return status;
}

/* Values and file names may hold line ends and escape sequences; a message must not. */
static void make_one_line(char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            *text = '?';
}

static void keep_request_only(struct options *options)
{
    const bool help = options->help;
    options_release(options);
    memset(options, 0, sizeof *options);
    options->help = help;
    options->version = !help;
}

enum status options_parse(struct options *options, int argc, char **argv, char *message,
                          int message_size)
{
    struct parser p = {.options = options, .message = message, .message_size = message_size};
    option_set_defaults(options);
    enum status status = read_command_line(&p, argc, argv);
    if (status == STATUS_VALID && is_request(options)) {
        keep_request_only(options);
        return STATUS_VALID;
    }
    if (status == STATUS_VALID && options->input)
        status = read_file(&p, argc, argv);
    if (status == STATUS_VALID)
        status = check(&p);
    if (status != STATUS_VALID) {
        options_release(options);
        make_one_line(message);
    }
    return status;
}

void options_release(struct options *options)
{
    memory_free(options->json);
    memory_free(options->input);
    options->json = NULL;
    options->input = NULL;
}

/* What has no effect on this run although the table has it. */
static bool is_idle(const struct option_row *row, const struct options *options)
{
    if (strcmp(row->name, "max-cycles") == 0)
        return options->rtol == 0;
    return strcmp(row->name, "min-time") == 0 && options->solves > 0;
}

void options_visit(const struct options *options,
                   void (*visit)(void *data, const char *name, const char *value), void *data)
{
    char buffer[OPTION_TEXT_SIZE];
    for (int i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if ((row->uses & OPTION_SHAPES) && !is_idle(row, options))
            visit(data, row->name, option_text(row, options, buffer));
    }
}
