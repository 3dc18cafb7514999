// Arithmetic: the primitive computations of which operators consist, on one stream of a device. An operator
// is written once, in terms of these primitives. Each kind of device has its own Arithmetic (host:
// engine/array/host_arithmetic.h; CUDA: module_arithmetic.h).
//
// Pointers point to device memory: float32, row-major. On the host a call returns when its result is
// computed. On a device with streams a call puts the work on the stream and returns. Later calls on the same
// stream see its result. Errors: throws std::runtime_error if the device refuses the work. A failure during
// the work is reported when the work ends. Threads: only one thread at a time may call an Arithmetic.
// Exception: the host's Arithmetic has no state, so any thread may call it at any time.
#pragma once

#include <cstdint>

#include "instrumentation/base/unique_function.h"

namespace runahead::engine {

// Identifies a stream of random numbers. Use a different `stream` for each array, because the same key always
// gives the same numbers.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};

struct Extent {
  std::int64_t rows = 0, columns = 0;
};

struct MatrixProduct {
  std::int64_t m = 0, n = 0, k = 0;  // op(a) is (m, k), op(b) is (k, n)
  bool transpose_a = false, transpose_b = false;
  float beta = 0.0f;  // factor for the old values of the output c; 0: c may be uninitialised
};

// The values of the enumerators are part of the CUDA module's interface: do not renumber them.
// WithScalar::kRelu ignores the scalar.
enum class WithScalar : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kRelu };
enum class OfTwo : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kReluGradient };

enum class HostMemory : bool { kPinned, kPageable };
// Says which end of a copy is host memory: the source (kFrom) or the destination (kTo). kNone: the copy is
// not between host and device.
enum class HostEnd : std::uint8_t { kNone, kFrom, kTo };

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  virtual void fill(float* out, std::int64_t count, float value) = 0;
  // Write elements 0 .. count - 1 of the random stream of `key`. Every device gives the same values (normal:
  // within 1e-6).
  virtual void uniform(float* out, std::int64_t count, RandomKey key, float low, float high) = 0;
  virtual void normal(float* out, std::int64_t count, RandomKey key, float mean, float deviation) = 0;

  // Elementwise. `out` may be one of the operands.
  virtual void map(WithScalar what, const float* a, float scalar, float* out, std::int64_t count) = 0;
  // kReluGradient: out = a where b > 0, 0 elsewhere.
  virtual void map(OfTwo what, const float* a, const float* b, float* out, std::int64_t count) = 0;
  virtual void subtract_scaled(float* from, const float* a, float factor, std::int64_t count) = 0;

  // out = a with `row` added to each row. If a is null, zeros are used instead of a.
  virtual void add_row(const float* a, const float* row, float* out, Extent extent) = 0;
  // c = op(a) x op(b) + beta * c, where op(x) is x or x transposed.
  virtual void multiply(const MatrixProduct& product, const float* a, const float* b, float* c) = 0;
  // Sums accumulate in double. total: the sum of all elements, divided by `divisor`. sum_rows: the sum of
  // each column over the rows. half_squared_error: for each row, half of the sum of the squared differences.
  virtual void total(const float* a, std::int64_t count, double divisor, float* out) = 0;
  virtual void sum_rows(const float* a, Extent extent, float* out) = 0;
  virtual void half_squared_error(const float* a, const float* b, Extent extent, float* out) = 0;

  // Copies between the memory of this device (or of a device of the same kind) and any other memory. end:
  // tells which end of the copy is host memory. memory: the kind of this host memory. Pinned host memory must
  // begin at the start of a block of the cpu's pool.
  virtual void copy(const float* from, float* to, std::int64_t count, HostEnd end = HostEnd::kNone,
                    HostMemory memory = HostMemory::kPageable) = 0;
  // Calls the function on the host once all earlier work of the stream is done. Later work of the stream
  // waits for the function. The function must not throw.
  virtual void call(UniqueFunction<void()> function) = 0;
};

}  // namespace runahead::engine
