/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the program was built from, and how. */
struct build_info {
    const char *version;  /* of the program */
    const char *revision; /* of git; "unknown" outside it; ends in -dirty if files differ */
    const char *compiler; /* first line of its --version */
    const char *flags;    /* of the compiler */
};
extern const struct build_info build_info;
