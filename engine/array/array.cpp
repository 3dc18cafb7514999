// The Array handle, and its blockers (functions that wait for the values).
#include "engine/array/array.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "engine/array/array_copies.h"
#include "engine/array/array_state.h"
#include "engine/array/numpy_format.h"
#include "engine/array/operators.h"
#include "instrumentation/base/check.h"

namespace runahead::engine {

namespace {

constexpr record::Site kAsnumpyWait{"asnumpy", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kItemWait{"item", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kPrintWait{"print", trace::SliceKind::kWait, __FILE__, __LINE__};
constexpr record::Site kReadWait{"wait_to_read", trace::SliceKind::kWait, __FILE__, __LINE__};

const ArrayState& checked(const Array& array) {
  RUNAHEAD_CHECK(static_cast<bool>(array));
  return *array.state();
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    RUNAHEAD_CHECK_OP(extent, >=, 0);
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + ")";
}

const Shape& Array::shape() const { return checked(*this).shape; }
std::int64_t Array::size() const { return checked(*this).elements; }
std::int64_t Array::size_bytes() const { return checked(*this).storage->size_bytes; }
const Context& Array::context() const { return checked(*this).context; }
const Var& Array::var() const { return checked(*this).var; }

Result<std::vector<float>> Array::asnumpy() const { return read_to_host(*this, kAsnumpyWait); }

Result<float> Array::item() const {
  const Array one = size() == 1 ? *this : sum(*this);
  const Result<std::vector<float>> values = read_to_host(one, kItemWait);
  if (!values.ok()) return values.error();
  return values->front();
}

Status Array::print() const {
  const Result<std::vector<float>> values = read_to_host(*this, kPrintWait);
  if (!values.ok()) return values.error();
  const std::string text = numpy_format(*values, shape()) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return Ok{};
}

Status Array::wait_to_read() const {
  const ArrayState& state = checked(*this);
  if (!state.refusal.empty()) return Error{state.refusal};
  return state.context.engine->wait_to_read(state.var, kReadWait);
}

}  // namespace runahead::engine
