/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H
/* A line that says how far a size has come, a few times a second at most; on stderr, and only where
 * rank 0 sees a terminal there. Not on stdout: Open MPI gives every rank a terminal as stdout, even
 * where its own stdout is a file. */

void progress_enable(int on);
void progress_show(const char *size, long done, long all);
void progress_clear(void);

#endif
