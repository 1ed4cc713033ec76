/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Runs code that ends the program in a forked child, and keeps its output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/check.h"

enum { CHILD_RETURNED = 99 }; /* status of a child whose function returned */

struct child {
    int status; /* of its exit; -1 if a signal ended it */
    int lines;  /* on stderr */
    char text[4096];
};

static inline void child_leave(int status)
{
    _exit(status);
}

static inline void child_read(struct child *c, int from)
{
    size_t length = 0;
    ssize_t got;
    while (length < sizeof c->text - 1 &&
           (got = read(from, c->text + length, sizeof c->text - 1 - length)) > 0)
        length += (size_t)got;
    for (size_t at = 0; at < length; at++)
        c->lines += c->text[at] == '\n';
}

/* The child must not call MPI, so die() leaves it without MPI_Abort. */
static inline struct child child_run(void (*function)(const void *), const void *argument)
{
    struct child c = {.status = -1};
    int ends[2], status = 0;
    fflush(NULL);
    if (pipe(ends) != 0)
        abort();
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        check_abort = child_leave;
        function(argument);
        _exit(CHILD_RETURNED);
    }
    close(ends[1]);
    child_read(&c, ends[0]);
    close(ends[0]);
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
        c.status = WEXITSTATUS(status);
    return c;
}
