/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H
/* Finds the word that a misspelt word was probably meant to be. */

/* A search in progress; start with {.word = misspelt}. */
struct nearest {
    const char *word;
    const char *best; /* NULL: no candidate is near enough */
    int distance;     /* of best */
};

/* Takes candidate as the best if it is nearer than all before, by Levenshtein distance without
 * regard to case. A prefix of the candidate has distance 1. More than a third of the word's
 * letters, rounded up, is too far. Of two as near, the shorter one is taken. */
void nearest_try(struct nearest *search, const char *candidate);

#endif
