// Measures the rate of the link between host and GPU with a plain loop of cudaMemcpy. The engine's copies are
// compared with this rate. Prints one JSON object of bytes per second (medians): h2d_pinned, d2h_pinned,
// h2d_pageable, d2h_pageable.
//
//   bandwidth [MEBIBYTES] [REPETITIONS]
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bandwidth: %s: %s\n", doing, cudaGetErrorString(error));
  std::exit(1);
}

double median_rate(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, int repetitions) {
  std::vector<double> rates;
  for (int i = 0; i < repetitions; ++i) {
    check(cudaDeviceSynchronize(), "waiting");
    const auto begin = std::chrono::steady_clock::now();
    check(cudaMemcpy(to, from, bytes, kind), "copying");
    check(cudaDeviceSynchronize(), "waiting");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    rates.push_back(static_cast<double>(bytes) / took.count());
  }
  std::nth_element(rates.begin(), rates.begin() + repetitions / 2, rates.end());
  return rates[static_cast<std::size_t>(repetitions) / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 64) << 20;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 20;
  void *device = nullptr, *pinned = nullptr;
  check(cudaMalloc(&device, bytes), "taking the device's memory");
  check(cudaMallocHost(&pinned, bytes), "taking pinned memory");
  std::vector<char> pageable(bytes, 1);
  std::memset(pinned, 1, bytes);
  const auto rate = [&](void* to, const void* from, cudaMemcpyKind kind) {
    return median_rate(to, from, bytes, kind, repetitions);
  };
  std::printf(
      "{\"h2d_pinned\": %.6e, \"d2h_pinned\": %.6e, \"h2d_pageable\": %.6e, \"d2h_pageable\": %.6e}\n",
      rate(device, pinned, cudaMemcpyHostToDevice), rate(pinned, device, cudaMemcpyDeviceToHost),
      rate(device, pageable.data(), cudaMemcpyHostToDevice),
      rate(pageable.data(), device, cudaMemcpyDeviceToHost));
  return 0;
}
