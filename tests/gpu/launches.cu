// Launches kernels, and sometimes waits for them. With this program, tests/gpu/run checks that a recording
// has every kernel, and measures the cost of recording for kernels of different lengths. Prints one JSON
// object: the number of kernels launched, and the seconds from the first launch to the last kernel's end.
// These seconds do not include the start of the process and of CUDA.
//
//   gpu_launches [COUNT] [MICROSECONDS] [STREAMS]
//     COUNT          default 100,000
//     MICROSECONDS   approximate length of each kernel; 0 (default): as short as possible
//     STREAMS        default 2
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

__device__ unsigned long long now_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void timed_kernel(float* value, unsigned long long duration_ns) {
  value[threadIdx.x] += 1.0f;
  if (duration_ns == 0) return;
  const unsigned long long begin = now_ns();
  while (now_ns() - begin < duration_ns) {
  }
}

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "launches: %s: %s\n", doing, cudaGetErrorString(error));
  std::exit(1);
}

long argument(int argc, char** argv, int index, long otherwise) {
  return argc > index ? std::atol(argv[index]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kThreads = 32;
  constexpr long kBetweenWaits = 10'000;
  const long count = argument(argc, argv, 1, 100'000);
  const unsigned long long duration_ns =
      1000ull * static_cast<unsigned long long>(argument(argc, argv, 2, 0));
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(argument(argc, argv, 3, 2)));
  const std::size_t bytes = streams.size() * kThreads * sizeof(float);
  float* values = nullptr;
  check(cudaMalloc(&values, bytes), "taking memory");
  check(cudaMemset(values, 0, bytes), "setting memory");
  for (cudaStream_t& stream : streams) check(cudaStreamCreate(&stream), "making a stream");
  check(cudaDeviceSynchronize(), "waiting");
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    const std::size_t turn = static_cast<std::size_t>(i) % streams.size();
    timed_kernel<<<1, kThreads, 0, streams[turn]>>>(values + kThreads * turn, duration_ns);
    check(cudaGetLastError(), "launching");
    if (i % kBetweenWaits == kBetweenWaits - 1) check(cudaDeviceSynchronize(), "waiting");
  }
  check(cudaDeviceSynchronize(), "waiting");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("{\"launched\": %ld, \"seconds\": %.6f}\n", count, took.count());
  return 0;
}
