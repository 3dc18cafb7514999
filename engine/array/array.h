// Array: a float32 tensor on a device, as a handle to what will be there when its ops have run. Copying a
// handle shares the array. Its memory is taken when the op that makes it is enqueued or executed
// (EngineOptions::allocation) and given back when no handle and no unfinished op holds it.
//
// Functions that make or change arrays enqueue ops and return at once; errors of an op surface at a wait.
// Misuse (shapes that do not fit, arrays of two engines, two devices in one op) is a bug of the caller:
// RUNAHEAD_CHECK.
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
[[nodiscard]] std::int64_t element_count(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);  // "(1024, 512)"

// Where arrays are made: an engine and one of its devices.
struct Context {
  Engine* engine = nullptr;
  Device* device = nullptr;
  friend bool operator==(const Context&, const Context&) = default;
};

class ArrayState;
class Array {
 public:
  Array() = default;  // empty: no array
  explicit Array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}
  explicit operator bool() const { return state_ != nullptr; }

  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] std::int64_t size() const;  // elements
  [[nodiscard]] std::int64_t size_bytes() const;
  [[nodiscard]] const Context& context() const;
  [[nodiscard]] const Var& var() const;
  [[nodiscard]] ArrayState* state() const { return state_.get(); }

  // ---- blockers: each waits for what it reads, without saying so in its name ----------------------------
  // Copies the values to the host. A timing-only device: an error that says so.
  [[nodiscard]] Result<std::vector<float>> asnumpy() const;
  // The one number of a scalar; of a larger array the sum (sum().item()).
  [[nodiscard]] Result<float> item() const;
  // Prints the values to stderr as numpy would ("[[3. 3.]]", long ones with an ellipsis).
  [[nodiscard]] Status print() const;
  // The explicit wait.
  [[nodiscard]] Status wait_to_read() const;

 private:
  std::shared_ptr<ArrayState> state_;
};

}  // namespace runahead::engine
