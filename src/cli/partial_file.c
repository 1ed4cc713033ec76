/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/partial_file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/check.h"
#include "base/memory.h"

enum { MOST_NAMES = 1000, SUFFIX_SIZE = 48 };

struct partial_file {
    struct partial_file *next;
    char *path, *name;
};

/* The files that a signal handler must remove. The owner, the thread that opens and closes files,
 * runs the handler; each change of the list is one store, so that the list is always consistent. */
static struct partial_file *volatile existing;
static pthread_t owner;

/* Requests to end and exceeded limits. Crashes are not caught. */
static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM, SIGTERM,
                              SIGUSR1, SIGUSR2, SIGABRT, SIGXCPU, SIGXFSZ};
enum { NSIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction previous[NSIGNALS];

static void remove_existing(void)
{
    for (const struct partial_file *file = existing; file; file = file->next)
        unlink(file->name);
}

static void end_by_signal(int number);

static void restore_handlers(void)
{
    for (int s = 0; s < NSIGNALS; s++) {
        struct sigaction now;
        sigaction(signals[s], NULL, &now);
        if (now.sa_handler == end_by_signal)
            sigaction(signals[s], &previous[s], NULL);
    }
}

/* The signal is blocked here, so the raised one takes its previous effect on return. The system may
 * deliver the signal to a library's thread, also while the owner blocks it. */
static void end_by_signal(int number)
{
    if (!pthread_equal(pthread_self(), owner)) {
        pthread_kill(owner, number);
        return;
    }
    remove_existing();
    restore_handlers();
    raise(number);
}

/* Ignored signals stay ignored (nohup). */
static void install_handlers(void)
{
    struct sigaction action = {.sa_handler = end_by_signal};
    owner = pthread_self();
    sigemptyset(&action.sa_mask);
    for (int s = 0; s < NSIGNALS; s++) {
        sigaction(signals[s], NULL, &previous[s]);
        if (previous[s].sa_handler != SIG_IGN)
            sigaction(signals[s], &action, NULL);
    }
}

static void remove_at_exit(void)
{
    static bool registered;
    check_cleanup = remove_existing;
    if (!registered)
        registered = atexit(remove_existing) == 0;
}

static void enlist(struct partial_file *file)
{
    file->next = existing;
    existing = file;
}

static void delist(struct partial_file *file)
{
    if (existing == file) {
        existing = file->next;
    } else {
        struct partial_file *before = existing;
        while (before->next != file)
            before = before->next;
        before->next = file->next;
    }
    if (!existing)
        restore_handlers();
}

static void release(struct partial_file *file)
{
    memory_free(file->path);
    memory_free(file->name);
    memory_free(file);
}

/* Creates a new file; takes the next name where one exists, links included: processes of other
 * machines and killed ones may have had the same number. */
static int create(struct partial_file *file, mode_t mode)
{
    const size_t size = strlen(file->path) + SUFFIX_SIZE;
    int descriptor = -1;
    for (int number = 0; descriptor < 0 && number < MOST_NAMES; number++) {
        snprintf(file->name, size, "%s.%ld-%d.partial", file->path, (long)getpid(), number);
        descriptor = open(file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

/* Creates and enlists with signals blocked. Returns the file's descriptor, or -1. */
static int create_enlisted(struct partial_file *file, mode_t mode)
{
    sigset_t blocked, before;
    if (!existing)
        install_handlers();
    sigfillset(&blocked);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const int descriptor = create(file, mode);
    const int reason = errno;
    if (descriptor >= 0)
        enlist(file);
    else if (!existing)
        restore_handlers();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return descriptor;
}

struct partial_file *partial_file_create(const char *path, FILE **stream)
{
    struct stat old;
    const bool replaces = stat(path, &old) == 0;
    struct partial_file *file = memory_alloc_zero(sizeof *file, "an output file");
    file->path = memory_alloc(strlen(path) + 1, "a file name");
    strcpy(file->path, path);
    file->name = memory_alloc(strlen(path) + SUFFIX_SIZE, "a file name");
    remove_at_exit();
    const int descriptor = create_enlisted(file, replaces ? 0600 : 0666);
    if (descriptor < 0) {
        const int reason = errno;
        release(file);
        errno = reason;
        return NULL;
    }
    const bool good = !replaces || fchmod(descriptor, old.st_mode & 0777) == 0;
    *stream = good ? fdopen(descriptor, "w") : NULL;
    if (*stream)
        return file;
    const int reason = errno;
    close(descriptor);
    partial_file_remove(file);
    errno = reason;
    return NULL;
}

bool partial_file_finish(struct partial_file *file)
{
    if (rename(file->name, file->path) != 0) {
        const int reason = errno;
        partial_file_remove(file);
        errno = reason;
        return false;
    }
    delist(file);
    release(file);
    return true;
}

void partial_file_remove(struct partial_file *file)
{
    unlink(file->name);
    delist(file);
    release(file);
}
