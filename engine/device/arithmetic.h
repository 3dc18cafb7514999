// Arithmetic: the primitives that operators are made of, as one stream of a device computes them. Operators
// say what is computed once; each kind of device brings its own Arithmetic (the host's: engine/array/
// host_arithmetic.h; CUDA's: cuda_arithmetic.h).
//
// Pointers are to memory of that device, row-major float32. On the host a call returns when its values are
// there. On a device with streams it puts the work on the stream and returns; later calls find its values.
// Throws std::runtime_error when the device refuses; what fails once it runs is told when it ends.
// One op at a time: no two threads call one Arithmetic at once. (The host's keeps nothing: any thread.)
#pragma once

#include <cstdint>

#include "instrumentation/base/unique_function.h"

namespace runahead::engine {

struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};  // a new stream for each array

struct Extent {
  std::int64_t rows = 0, columns = 0;
};

struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;  // op(a) is (m, k), op(b) is (k, n)
  bool transpose_a = false, transpose_b = false;
  float beta = 0.0f;  // what was in c is multiplied by this first; 0: c need not be set
};

// The values are part of the CUDA module's interface.
enum class WithScalar : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRelu };  // relu: of none
enum class OfTwo : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kReluGradient };

enum class HostMemory : bool { kPinned, kPageable };
enum class HostEnd : std::uint8_t { kNone, kFrom, kTo };  // which end of a copy is the host's

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  virtual void fill(float* out, std::int64_t count, float value) = 0;
  // Elements 0 .. count of a random stream; the same everywhere (normal: within 1e-6).
  virtual void uniform(float* out, std::int64_t count, RandomKey key, float low, float high) = 0;
  virtual void normal(float* out, std::int64_t count, RandomKey key, float mean, float deviation) = 0;

  // Each element alone. `out` may be one of the operands.
  virtual void map(WithScalar what, const float* a, float scalar, float* out, std::int64_t count) = 0;
  // kReluGradient: a where b > 0, else 0.
  virtual void map(OfTwo what, const float* a, const float* b, float* out, std::int64_t count) = 0;
  virtual void subtract_scaled(float* from, const float* a, float factor, std::int64_t count) = 0;

  // out = each row of a, plus row. a null: of zeros.
  virtual void add_row(const float* a, const float* row, float* out, Extent extent) = 0;
  // c = op(a) x op(b) + beta * c.
  virtual void multiply(const MatrixProduct& product, const float* a, const float* b, float* c) = 0;
  // Sums are in double: of all elements, divided; down the columns; of half the squared differences in each
  // row.
  virtual void total(const float* a, std::int64_t count, double divisor, float* out) = 0;
  virtual void sum_rows(const float* a, Extent extent, float* out) = 0;
  virtual void half_squared_error(const float* a, const float* b, Extent extent, float* out) = 0;

  // Between this device's memory, or another's of its kind, and any; memory: of the end that is the host's. A
  // pinned end begins a block of the cpu's pool.
  virtual void copy(const float* from, float* to, std::int64_t count, HostEnd end = HostEnd::kNone,
                    HostMemory memory = HostMemory::kPageable) = 0;
  // Calls it on the host when all before it is done; what comes later waits for it. Throws nothing.
  virtual void call(UniqueFunction<void()> function) = 0;
};

}  // namespace runahead::engine
