/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include "cli/nearest.h"

enum { MAX_WORD = 64 };

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Wagner and Fischer's recurrence, row by row. b is shorter than MAX_WORD. */
static int edit_distance(const char *a, const char *b)
{
    const int length = (int)strlen(b);
    int row[MAX_WORD];
    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            const int next = min3(row[j] + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = row[j];
            row[j] = next;
        }
    }
    return row[length];
}

void nearest_try(struct nearest *search, const char *candidate)
{
    const size_t length = strlen(search->word);
    if (length == 0 || length >= MAX_WORD || strlen(candidate) >= MAX_WORD)
        return;
    int distance = edit_distance(search->word, candidate);
    const int allowed = length < 2 ? 0 : (int)(length + 2) / 3;
    if (distance > 1 && strncasecmp(search->word, candidate, length) == 0)
        distance = 1;
    else if (distance > allowed)
        return;
    const bool closer = !search->best || distance < search->distance;
    if (closer || (distance == search->distance && strlen(candidate) < strlen(search->best))) {
        search->best = candidate;
        search->distance = distance;
    }
}
