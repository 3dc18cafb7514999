// Launches a number of small kernels, 100,000 if it is not told otherwise, on two streams, and waits for them now
// and then: what a recording of it must hold, every one of them. Prints how many.
//
//   launches [COUNT]
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void small_kernel(float* value) { value[threadIdx.x] += 1.0f; }

namespace {

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "launches: %s: %s\n", doing, cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 100'000;
  float* values = nullptr;
  check(cudaMalloc(&values, 64 * sizeof(float)), "taking memory");
  check(cudaMemset(values, 0, 64 * sizeof(float)), "setting memory");
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check(cudaStreamCreate(&stream), "making a stream");
  for (long i = 0; i < count; ++i) {
    small_kernel<<<1, 32, 0, streams[i % 2]>>>(values + 32 * (i % 2));
    check(cudaGetLastError(), "launching");
    if (i % 10'000 == 9'999) check(cudaDeviceSynchronize(), "waiting");
  }
  check(cudaDeviceSynchronize(), "waiting");
  std::printf("%ld\n", count);
  return 0;
}
