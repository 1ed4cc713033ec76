#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H
/* A line that says how far a size has come; only where rank 0's stdout is a terminal, a few times a
 * second at most. */

void progress_enable(int on);
void progress_show(const char *size, long done, long all);
void progress_clear(void);

#endif
