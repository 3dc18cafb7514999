// Array: a handle to a float32 tensor on a device. A copy of the handle refers to the same array. The array's
// values exist once the ops that compute them have run. The array's memory is allocated when the op that
// makes the array is enqueued or executed (EngineOptions::allocation). The memory is freed when no handle and
// no unfinished op uses the array.
//
// Functions that make or change arrays enqueue ops and return immediately. If an op fails, a later wait for
// its outputs returns the error. Misuse is a bug of the caller: RUNAHEAD_CHECK aborts the program. Examples
// of misuse: shapes that do not fit, arrays of two engines in one op, arrays of two devices in one op. The
// checked operators (checked/checked.h) return an error instead.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

using Shape = std::vector<std::int64_t>;
// Returns the number of elements: 1 for the shape (), 0 if an axis is empty. REQUIRES: no extent is negative.
[[nodiscard]] std::int64_t element_count(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);  // returns a text such as "(1024, 512)"

// A Context says where arrays are made: an engine and one of its devices.
struct Context {
  Engine* engine = nullptr;
  Device* device = nullptr;
  friend bool operator==(const Context&, const Context&) = default;
};

class ArrayState;
class Array {
 public:
  Array() = default;  // empty: the handle refers to no array
  explicit Array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}
  explicit operator bool() const { return state_ != nullptr; }

  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] std::int64_t size() const;  // number of elements
  [[nodiscard]] std::int64_t size_bytes() const;
  [[nodiscard]] const Context& context() const;
  [[nodiscard]] const Var& var() const;
  [[nodiscard]] ArrayState* state() const { return state_.get(); }

  // ---- blockers: each function waits for the array's values; only wait_to_read() says so in its name ----
  // Copies the values to the host. Returns an error on a timing-only device, which models times but computes
  // no values.
  [[nodiscard]] Result<std::vector<float>> asnumpy() const;
  // Returns the value of an array with one element. For a larger array, returns the sum of its elements
  // (sum().item()).
  [[nodiscard]] Result<float> item() const;
  // Prints the values to stderr like numpy: "[[3. 3.]]". Long arrays are shortened with an ellipsis.
  [[nodiscard]] Status print() const;
  // Waits explicitly until the values have been computed.
  [[nodiscard]] Status wait_to_read() const;

 private:
  std::shared_ptr<ArrayState> state_;
};

}  // namespace runahead::engine
