#ifndef CUDA_SHARED_CUH
#define CUDA_SHARED_CUH
/* A block's dynamic shared memory, by places in bytes. */

extern __shared__ __align__(128) unsigned char shared_memory[];

static __device__ __forceinline__ double at(int place)
{
    return *(const double *)(shared_memory + place);
}

static __device__ __forceinline__ void put(int place, double value)
{
    *(double *)(shared_memory + place) = value;
}

#endif
