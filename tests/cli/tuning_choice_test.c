/* SPDX-License-Identifier: BSD-3-Clause */
/* The tuning files that a program finds from its own place: beside it or up to two folders above,
 * as in a build, or in share/hpgmg-gpu/tuning/ of any folder above, as `make install` puts them.
 * The test runs copies of itself; with an argument it prints the file of that GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/tuning_choice.h"

static char root[] = "/tmp/tuning_choice_test.XXXXXX";
static int wrong;

static void shell(const char *format, const char *word)
{
    char line[512];
    int length = snprintf(line, sizeof line, "cd %s && ", root);
    length += snprintf(line + length, sizeof line - (size_t)length, "%s", format);
    snprintf(line + length, sizeof line - (size_t)length, " %s", word);
    if (system(line) != 0) {
        printf("failed: %s\n", line);
        exit(1);
    }
}

/* The file that a copy of this program at `program` finds for the GPU, from root on. */
static void finds(const char *program, const char *device, const char *expected)
{
    char line[512], found[512] = "";
    snprintf(line, sizeof line, "%s/%s '%s'", root, program, device);
    FILE *output = popen(line, "r");
    if (!output || !fgets(found, sizeof found, output) || pclose(output) != 0)
        snprintf(found, sizeof found, "(it failed)\n");
    found[strcspn(found, "\n")] = '\0';
    const char *relative =
        strncmp(found, root, strlen(root)) == 0 ? found + strlen(root) + 1 : found;
    if (strcmp(relative, expected) != 0) {
        printf("%s finds for '%s': %s, not %s\n", program, device, relative, expected);
        wrong++;
    }
}

static void copy_to(const char *folder)
{
    char self[512], line[600];
    if (!realpath("/proc/self/exe", self))
        exit(1);
    snprintf(line, sizeof line, "%s && cp %s %s/program", folder, self, folder);
    shell("mkdir -p", line);
}

static void test_build(void)
{
    copy_to("a/b/c/d");
    finds("a/b/c/d/program", "Some GPU", "none");
    shell("mkdir a/tuning && touch", "a/tuning/Some-GPU.txt");
    finds("a/b/c/d/program", "Some GPU", "none"); /* three folders above */
    shell("mkdir a/b/tuning && touch", "a/b/tuning/Some-GPU.txt");
    finds("a/b/c/d/program", "Some GPU", "a/b/tuning/Some-GPU.txt");
    finds("a/b/c/d/program", "Some other GPU", "none");
    shell("mkdir a/b/c/d/tuning && touch", "a/b/c/d/tuning/Some-other-GPU.txt");
    finds("a/b/c/d/program", "Some other GPU", "a/b/c/d/tuning/Some-other-GPU.txt");
    finds("a/b/c/d/program", "Some GPU", "none"); /* the nearest folder only */
}

static void test_installed(void)
{
    copy_to("usr/lib64/mpi/bin");
    copy_to("usr/bin");
    shell("mkdir -p usr/share/hpgmg-gpu/tuning && touch", "usr/share/hpgmg-gpu/tuning/A-1.txt");
    finds("usr/bin/program", "A 1", "usr/share/hpgmg-gpu/tuning/A-1.txt");
    finds("usr/lib64/mpi/bin/program", "A 1", "usr/share/hpgmg-gpu/tuning/A-1.txt");
    shell("mv", "usr moved");
    finds("moved/bin/program", "A 1", "moved/share/hpgmg-gpu/tuning/A-1.txt");
    shell("ln -s", "moved/bin/program linked");
    finds("linked", "A 1", "moved/share/hpgmg-gpu/tuning/A-1.txt");
}

int main(int argc, char **argv)
{
    char path[TUNING_PATH_SIZE];
    if (argc > 1) {
        puts(tuning_find(argv[1], path) ? path : "none");
        return 0;
    }
    if (!mkdtemp(root))
        return 1;
    test_build();
    test_installed();
    shell("rm -rf", "a moved linked");
    remove(root);
    return wrong > 0;
}
