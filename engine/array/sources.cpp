// Operators without inputs.
#include <utility>

#include "engine/array/array_state.h"
#include "engine/array/operators.h"

namespace runahead::engine {

namespace {

using trace::SliceKind;
constexpr record::Site kFull{"full", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kOnes{"ones", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kZeros{"zeros", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kUniform{"uniform", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kNormal{"normal", SliceKind::kExecute, __FILE__, __LINE__};

// Operations per element of uniform numbers. Ten Philox rounds (8 operations each) give the bits of four
// elements. In addition, each element is scaled.
constexpr double kUniformFlops = 24;
// Operations per element of normal numbers: 20 for the Philox rounds, and about 100 for Box-Muller, which
// makes two elements from a logarithm, a root, a sine and a cosine in double (together about 200 operations).
constexpr double kNormalFlops = 120;

Array fill(const Call& call, const Context& context, const Shape& shape, float value,
           MemoryCategory category) {
  Array output = make_array(context, shape, category);
  const std::int64_t count = output.size();
  return enqueue_one(call, std::move(output), cost_of(0, static_cast<double>(count)),
                     [count, value](Arithmetic& math, const float* const*, float* const* out) {
                       math.fill(out[0], count, value);
                     });
}

}  // namespace

Array full(const Context& context, const Shape& shape, float value, MemoryCategory category, Where where) {
  return fill({kFull, where}, context, shape, value, category);
}
Array ones(const Context& context, const Shape& shape, MemoryCategory category, Where where) {
  return fill({kOnes, where}, context, shape, 1.0f, category);
}
Array zeros(const Context& context, const Shape& shape, MemoryCategory category, Where where) {
  return fill({kZeros, where}, context, shape, 0.0f, category);
}

Array uniform(const Context& context, const Shape& shape, RandomKey key, float low, float high,
              MemoryCategory category, Where where) {
  Array output = make_array(context, shape, category);
  const std::int64_t count = output.size();
  const double n = static_cast<double>(count);
  return enqueue_one({kUniform, where}, std::move(output), cost_of(kUniformFlops * n, n),
                     [=](Arithmetic& math, const float* const*, float* const* out) {
                       math.uniform(out[0], count, key, low, high);
                     });
}

Array normal(const Context& context, const Shape& shape, RandomKey key, float mean, float deviation,
             MemoryCategory category, Where where) {
  Array output = make_array(context, shape, category);
  const std::int64_t count = output.size();
  const double n = static_cast<double>(count);
  return enqueue_one({kNormal, where}, std::move(output), cost_of(kNormalFlops * n, n),
                     [=](Arithmetic& math, const float* const*, float* const* out) {
                       math.normal(out[0], count, key, mean, deviation);
                     });
}

}  // namespace runahead::engine
