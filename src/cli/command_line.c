/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command_line.h"
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>
#include <wctype.h>
#include "base/check.h"
#include "base/ranges.h"
#include "comm/comm.h"

enum { LEGAL_SIZE = 320 }; /* of a list of legal values */
enum { HEADING_WIDTH = 80 };
enum { NAMES_SIZE = 1024 }; /* of all names of a repeated option */
enum { LINE_SIZE = 200 };   /* of an input file */

enum status parser_fail(struct parser *p, const char *format, ...)
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

/* The option's name on the command line or in the file: two dashes or none, and its word. */
static const char *dashes_of(const struct parser *p, const struct option_row *row)
{
    return p->file ? "" : option_dashes(row);
}

static const char *word_of(const struct parser *p, const struct option_row *row)
{
    return p->file ? row->name : option_word(row);
}

/* text: NULL if there is none. */
static enum status fail_value(struct parser *p, const struct option_row *row, const char *text)
{
    const char *dashes = dashes_of(p, row), *word = word_of(p, row);
    char legal[LEGAL_SIZE];
    option_describe_legal(row, legal, sizeof legal);
    if (!text)
        return parser_fail(p, "%s%s: missing value; legal: %s", dashes, word, legal);
    return parser_fail(p, "%s%s: wrong value '%s'; legal: %s", dashes, word, text, legal);
}

enum status parser_fail_unknown(struct parser *p, const char *word)
{
    return parser_fail(p, "unknown %s '%s'; %s lists all", p->file ? "key" : "option", word,
                       option_find(p->list, "help", OPTION_REQUEST) ? "--help" : "docs/USAGE.md");
}

enum status parser_set(struct parser *p, const struct option_row *row, const char *text)
{
    const unsigned char origin = p->file ? OPTION_FILE : OPTION_COMMAND_LINE;
    unsigned char *seen = &p->seen[row - p->list->rows];
    if (*seen & origin)
        return parser_fail(p, "%s%s: given twice", dashes_of(p, row), word_of(p, row));
    /* No value begins with two dashes: in `--json --quiet` it was forgotten. */
    if (*text == '\0' || strncmp(text, "--", 2) == 0)
        return fail_value(p, row, NULL);
    if (!option_set(row, p->options, text))
        return fail_value(p, row, text);
    *seen |= origin;
    return STATUS_VALID;
}

/* One argument more than there are positional ones. */
static enum status fail_unexpected(struct parser *p, const char *text)
{
    char names[80] = "";
    int length = 0;
    for (int i = 0; i < p->list->count && length < (int)sizeof names; i++)
        if (p->list->rows[i].uses & OPTION_POSITIONAL)
            length += snprintf(names + length, sizeof names - (size_t)length, "%s%s",
                               length ? " and " : "", p->list->rows[i].argument);
    return parser_fail(p, "unexpected argument '%s'; expected only %s", text,
                       length ? names : "options");
}

/* One more name after those that the option has. */
static enum status append_name(struct parser *p, const struct option_row *row, const char *text)
{
    char names[NAMES_SIZE];
    const char *const *member = (void *)((char *)p->options + row->offset);
    const int length = snprintf(names, sizeof names, "%s,%s", *member, text);
    if (*text == '\0' || length >= (int)sizeof names || !option_set(row, p->options, names))
        return fail_value(p, row, text);
    return STATUS_VALID;
}

static enum status set_positional(struct parser *p, const char *text)
{
    for (int i = 0; i < p->list->count; i++)
        if ((p->list->rows[i].uses & OPTION_REPEATED) && (p->seen[i] & OPTION_COMMAND_LINE))
            return append_name(p, &p->list->rows[i], text);
    for (int i = 0; i < p->list->count; i++)
        if ((p->list->rows[i].uses & OPTION_POSITIONAL) && !(p->seen[i] & OPTION_COMMAND_LINE))
            return parser_set(p, &p->list->rows[i], text);
    return fail_unexpected(p, text);
}

/* Takes an option and its value, which may be the next word; NULL: there is none. Sets *took if it
 * is. */
static enum status take_option(struct parser *p, const char *word, const char *next, bool *took)
{
    char name[40];
    const size_t length = strcspn(word, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const struct option_row *row =
        strncmp(name, "--", 2) == 0 ? option_find(p->list, name + 2, OPTION_COMMAND_LINE) : NULL;
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!row)
        return parser_fail_unknown(p, word);
    if (row->kind == OPTION_FLAG)
        return value ? parser_fail(p, "%s: takes no value", name) : parser_set(p, row, "true");
    *took = !value && next;
    return parser_set(p, row, value ? value : next ? next : "");
}

bool parser_has_request(const struct parser *p)
{
    for (int i = 0; i < p->list->count; i++)
        if ((p->list->rows[i].uses & OPTION_REQUEST) && p->seen[i])
            return true;
    return false;
}

bool parser_was_given(const struct parser *p, const char *name)
{
    return p->seen[option_find(p->list, name, 0) - p->list->rows] != 0;
}

/* A dash alone and negative numbers are none. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !isdigit((unsigned char)word[1]);
}

enum status parser_read(struct parser *p, int argc, char **argv)
{
    enum status status = STATUS_VALID;
    bool ended = false; /* by "--" */
    for (int i = 1; i < argc && status == STATUS_VALID && !parser_has_request(p); i++) {
        bool took = false;
        if (ended || !is_option(argv[i]))
            status = set_positional(p, argv[i]);
        else if (strcmp(argv[i], "--") == 0)
            ended = true;
        else
            status = take_option(p, strcmp(argv[i], "-h") ? argv[i] : "--help", argv[i + 1], &took);
        i += took;
    }
    return status;
}

/* Without blanks at both ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    for (size_t end = strlen(text); end > 0 && strchr(" \t\r\n", text[end - 1]); end--)
        text[end - 1] = '\0';
    return text;
}

static void cut_comment(char *line)
{
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || isblank((unsigned char)c[-1])))
            *c = '\0';
}

static enum status take_line(struct parser *p, char *line)
{
    cut_comment(line);
    char *key = trim(line), *equals = strchr(key, '=');
    if (*key == '\0')
        return STATUS_VALID;
    if (*key == '[')
        return parser_fail(p, "there are no sections in input files: expected `key = value`");
    if (!equals)
        return parser_fail(p, "expected `key = value`");
    *equals = '\0';
    key = trim(key);
    const struct option_row *row = option_find(p->list, key, OPTION_FILE);
    if (row)
        return parser_set(p, row, trim(equals + 1));
    return option_find(p->list, key, OPTION_COMMAND_LINE)
               ? parser_fail(p, "%s: only allowed on the command line", key)
               : parser_fail_unknown(p, key);
}

static enum status read_lines(struct parser *p, FILE *file)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* which some editors write */
    const size_t mark = strlen(byte_order_mark);
    char line[LINE_SIZE];
    enum status status = STATUS_VALID;
    for (p->line = 1; status == STATUS_VALID && fgets(line, sizeof line, file); p->line++)
        if (!strchr(line, '\n') && !feof(file))
            status = parser_fail(p, "the line is too long, or no text");
        else
            status = take_line(
                p, p->line == 1 && strncmp(line, byte_order_mark, mark) == 0 ? line + mark : line);
    return status;
}

/* Of a pipe only one rank would get the contents. */
static bool is_for_one_rank(const char *path)
{
    struct stat s;
    return comm_size() > 1 && stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

enum status parser_read_file(struct parser *p, const char *path)
{
    if (is_for_one_rank(path))
        return parser_fail(p, "--input: '%s' is no regular file, and %d ranks read it", path,
                           comm_size());
    errno = 0;
    FILE *file = fopen(path, "r");
    p->file = path;
    enum status status = file ? read_lines(p, file) : STATUS_VALID;
    p->file = NULL;
    if (!file || ferror(file))
        status = parser_fail(p, "--input: cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
    return status;
}

/* The value of the row if it is a path, else NULL. */
static const char *path_of(const struct parser *p, int row)
{
    const struct option_row *r = &p->list->rows[row];
    char *const *path = (void *)((char *)p->options + r->offset);
    return r->kind == OPTION_PATH ? *path : NULL;
}

/* Devices may be shared: a terminal is input and output. */
static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) != 0 || stat(b, &y) != 0)
        return strcmp(a, b) == 0;
    return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

enum status parser_check_paths(struct parser *p)
{
    for (int i = 0; i < p->list->count; i++)
        for (int j = 0; j < i; j++) {
            const char *a = path_of(p, j), *b = path_of(p, i);
            if (a && b && same_file(a, b))
                return parser_fail(p, "--%s and --%s are the same file, '%s'",
                                   p->list->rows[j].name, p->list->rows[i].name, b);
        }
    return STATUS_VALID;
}

void message_make_one_line(char *text)
{
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0),
                   before = uselocale(utf8);
    for (size_t length; *text; text += length) {
        mbstate_t start = {0};
        wchar_t letter;
        length = mbrtowc(&letter, text, strlen(text), &start);
        if (length > strlen(text) || !iswprint((wint_t)letter)) { /* invalid: (size_t)-1 or -2 */
            *text = '?';
            length = 1;
        }
    }
    uselocale(before);
    if (utf8)
        freelocale(utf8);
}

void print_heading(const char *format, ...)
{
    char title[HEADING_WIDTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(title, sizeof title, format, arguments);
    va_end(arguments);
    printf("\n===== %s ", title);
    for (size_t column = strlen(title) + 7; column < HEADING_WIDTH; column++)
        putchar('=');
    putchar('\n');
}

void message_print(char *message)
{
    message_make_one_line(message);
    fprintf(stderr, "%s: error: %s\n", check_program, message);
}

enum status program_refuse(enum status status, char *message)
{
    if (comm_rank() == 0)
        message_print(message);
    return status;
}

void program_start(const char *name, int argc, char **argv)
{
    check_program = name;
    comm_start(&argc, &argv);
    if (ranges_complaint() && comm_rank() == 0)
        warn("%s", ranges_complaint());
}

enum status program_end(enum status status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: error: standard output could not be written\n", check_program);
        status = STATUS_SYSTEM;
    }
    comm_finish();
    return status;
}
