/* The experimental kernels. To add one: a file with its struct variant, and its name here, twice.
 */
#include "cuda/internal.cuh"
#include "lab/gpu.h"

extern "C" {
extern const struct variant variant_example;

extern const struct variant *const gpu_variants[] = {
    &variant_example,
    NULL,
};
}
