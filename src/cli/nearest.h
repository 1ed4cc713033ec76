/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H
/* Finds the word that a misspelt one was probably meant to be. */

/* A search in progress; start with {.word = misspelt}. */
struct nearest {
    const char *word;
    const char *best; /* NULL: none is near enough to be worth naming */
    int distance;     /* of best */
};

/* Takes candidate as the best one if it is nearer than all before it: in edits (Levenshtein
 * distance, letter case ignored), where a beginning of the candidate counts as one edit. More edits
 * than a third of the word are too many. */
void nearest_try(struct nearest *search, const char *candidate);

#endif
