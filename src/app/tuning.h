#ifndef APP_TUNING_H
#define APP_TUNING_H
/* --tuning: which file of tuned choices the GPU's kernels follow. */
#include "app/options.h"

/* Reads the file that is asked for, or without one the file of this GPU in tuning/ beside the
 * program (or one or two folders above it), if there is one. on_gpu: the device is open.
 * STATUS_USAGE if a file is malformed, STATUS_ENVIRONMENT if the one asked for was made for another
 * device, with one line in message. Collective over the world; all ranks return the same and follow
 * the same choices. */
enum status tuning_choose(const struct options *options, bool on_gpu, char *message, int size);

/* The file that is followed; NULL if none is. */
const char *tuning_path(void);

#endif
