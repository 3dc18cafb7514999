// The words of CUDA that kernels use, for kernels that are compiled as C++ for the host, and run_grid(),
// which runs a kernel. host_source.cmake makes the C++ source from a .cu file and includes this header in it.
//
// The threads of a block are fibres. A thread runs until it reaches a barrier or ends; then another one runs.
// Blocks, and threads between two barriers, run in a random order. So a result that depends on the order
// differs from the expected one. The faults below are found in any order, because each access to shared
// memory is checked:
//   - a thread reaches another barrier than the other threads, or ends while others wait
//   - an access outside a shared array, or to a cell that no thread has written
//   - two threads use a cell between two barriers, and at least one of them writes it
// Not simulated: warps and their functions, atomics, dynamic shared memory. A kernel that uses them does not
// compile here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace runahead::host_cuda {

// The place of the running thread in its grid.
struct Place {
  dim3 thread{0, 0, 0}, block{0, 0, 0}, block_size, grid;
};
// This model of thread-local memory needs no call for an access from a library that is opened at run time.
extern thread_local constinit Place here __attribute__((tls_model("initial-exec")));

// Runs kernel() once for each thread. The seed determines the order. Returns the fault that ended the grid,
// with the line in the source; empty: none. Any thread, except a thread of a grid.
[[nodiscard]] std::string run_grid(const dim3& blocks, const dim3& threads, std::uint64_t seed,
                                   const std::function<void()>& kernel);

void barrier(int line);  // __syncthreads()

// The cells of one shared array of the running block. Identified by the line of its declaration.
struct SharedCells {
  struct Use {
    std::uint64_t written_in = 0, read_in = 0;  // the time between two barriers; 0: never
    unsigned writer = 0, reader = 0;            // threads
    bool several_readers = false;
  };
  int line = 0;
  std::vector<std::byte> bytes;
  std::vector<Use> uses;
};
[[nodiscard]] SharedCells& shared_cells(int line, std::size_t cells, std::size_t cell_bytes);
// Ends the grid if the running thread must not use the cell.
void check_shared(SharedCells& cells, std::int64_t cell, bool writes);
[[noreturn]] void outside_shared(const SharedCells& cells, std::int64_t index, std::size_t size);

template <typename T>
class SharedCell {
 public:
  SharedCell(SharedCells& cells, std::int64_t cell) : cells_(cells), cell_(cell) {}
  SharedCell(const SharedCell&) = default;
  operator T() const {  // NOLINT: a cell of a shared array is used like its value
    check_shared(cells_, cell_, false);
    return value();
  }
  SharedCell& operator=(T given) {
    check_shared(cells_, cell_, true);
    value() = given;
    return *this;
  }
  SharedCell& operator=(const SharedCell& other) { return *this = static_cast<T>(other); }
  SharedCell& operator+=(T added) { return *this = static_cast<T>(*this) + added; }

 private:
  [[nodiscard]] T& value() const {
    return reinterpret_cast<T*>(cells_.bytes.data())[cell_];  // NOLINT: aligned by std::vector
  }
  SharedCells& cells_;
  const std::int64_t cell_;
};

// A part of a shared array: `T` is the type of the part, such as double[32].
template <typename T>
class SharedPart {
 public:
  SharedPart(SharedCells& cells, std::int64_t first) : cells_(cells), first_(first) {}
  template <typename Index>
  [[nodiscard]] auto operator[](Index index) const {
    using Element = std::remove_extent_t<T>;
    using Value = std::remove_all_extents_t<T>;
    const auto i = static_cast<std::int64_t>(index);
    if (i < 0 || i >= static_cast<std::int64_t>(std::extent_v<T>))
      outside_shared(cells_, i, std::extent_v<T>);
    if constexpr (std::is_array_v<Element>) {
      return SharedPart<Element>(cells_,
                                 first_ + i * static_cast<std::int64_t>(sizeof(Element) / sizeof(Value)));
    } else {
      return SharedCell<Value>(cells_, first_ + i);
    }
  }

 private:
  SharedCells& cells_;
  const std::int64_t first_;
};

template <typename T>
struct SharedArray : SharedPart<T> {
  explicit SharedArray(int line)
      : SharedPart<T>(shared_cells(line, sizeof(T) / sizeof(std::remove_all_extents_t<T>),
                                   sizeof(std::remove_all_extents_t<T>)),
                      0) {}
};

// ---- launches ---------------------------------------------------------------------------------------------

// Puts the grid on the stream. A refused launch is the thread's last error (cudaGetLastError()).
void launch_grid(const char* kernel, const dim3& blocks, const dim3& threads, std::size_t shared_bytes,
                 cudaStream_t stream, std::function<void()> body);

// What a launch `kernel<<<blocks, threads, bytes, stream>>>(arguments)` becomes. `call` calls the kernel.
template <typename Call>
auto launch_of(const char* kernel, Call call, const dim3& blocks, const dim3& threads,
               std::size_t shared_bytes, cudaStream_t stream) {
  return [=](auto... arguments) {
    launch_grid(kernel, blocks, threads, shared_bytes, stream, [=] { call(arguments...); });
  };
}

// The number of the fault that a copy of the kernels with planted faults has now; 0: none.
inline int planted_fault = 0;
[[nodiscard]] inline bool planted(int number) { return planted_fault == number; }

}  // namespace runahead::host_cuda

// Only the sources that host_source.cmake makes define this macro.
#if defined(RUNAHEAD_HOST_CUDA_SOURCE)
#define __global__
#define __device__
#define threadIdx (::runahead::host_cuda::here.thread)
#define blockIdx (::runahead::host_cuda::here.block)
#define blockDim (::runahead::host_cuda::here.block_size)
#define gridDim (::runahead::host_cuda::here.grid)
#define __syncthreads() ::runahead::host_cuda::barrier(__LINE__)
#define RUNAHEAD_LAUNCH(kernel, ...) \
  ::runahead::host_cuda::launch_of(  \
      #kernel, [](auto... given) { kernel(given...); }, __VA_ARGS__)
#endif
