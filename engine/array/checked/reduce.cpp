// Reductions over axes: sum, mean, max, min, prod, norm, argmax.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/array/checked/arguments.h"
#include "engine/array/checked/strides.h"

namespace runahead::engine::checked {
namespace {

// In the order of Reduction.
constexpr record::Site kReductionSites[] = {operator_site("sum"),  operator_site("mean"),
                                            operator_site("max"),  operator_site("min"),
                                            operator_site("prod"), operator_site("norm")};
constexpr record::Site kArgmax = operator_site("argmax");
constexpr record::Site kSumTo = operator_site("sum_to");

// ---- folds ------------------------------------------------------------------------------------------------

// add() takes the next element into a total. join() joins two totals.
struct SumFold {
  static constexpr double kFirst = 0;
  static double add(double total, double x) { return total + x; }
  static double join(double a, double b) { return a + b; }
};
struct SquaresFold {
  static constexpr double kFirst = 0;
  static double add(double total, double x) { return total + x * x; }
  static double join(double a, double b) { return a + b; }
};
struct ProductFold {
  static constexpr double kFirst = 1;
  static double add(double total, double x) { return total * x; }
  static double join(double a, double b) { return a * b; }
};
struct LargestFold {  // x != x: x is NaN
  static constexpr double kFirst = -std::numeric_limits<double>::infinity();
  static double add(double total, double x) { return x > total || x != x ? x : total; }
  static double join(double a, double b) { return add(a, b); }
};
struct SmallestFold {
  static constexpr double kFirst = std::numeric_limits<double>::infinity();
  static double add(double total, double x) { return x < total || x != x ? x : total; }
  static double join(double a, double b) { return add(a, b); }
};

// Four independent totals, so that a step does not have to wait for the previous one.
template <typename Fold>
double fold_row(const float* values, std::int64_t count) {
  double part[4] = {Fold::kFirst, Fold::kFirst, Fold::kFirst, Fold::kFirst};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane)
      part[lane] = Fold::add(part[lane], static_cast<double>(values[i + lane]));
  }
  for (; i < count; ++i) part[0] = Fold::add(part[0], static_cast<double>(values[i]));
  return Fold::join(Fold::join(part[0], part[1]), Fold::join(part[2], part[3]));
}

// Reads the input in the order of its elements. The innermost loop either runs over elements of one total, or
// over elements of adjacent totals.
template <typename Fold>
std::vector<double> fold_all(const Loops<2>& loops, const float* in, std::int64_t out_count) {
  std::vector<double> totals(static_cast<std::size_t>(out_count), Fold::kFirst);
  const Loop<2>& inner = loops.back();
  for_each_row(loops, [&](const auto& at) {
    const float* const from = in + at[0];
    double* const total = totals.data() + at[1];
    if (inner.step[1] == 0) {
      *total = Fold::join(*total, fold_row<Fold>(from, inner.count));
    } else {
      for (std::int64_t i = 0; i < inner.count; ++i)
        total[i] = Fold::add(total[i], static_cast<double>(from[i]));
    }
  });
  return totals;
}

std::vector<double> fold_all(Reduction op, const Loops<2>& loops, const float* in, std::int64_t out_count) {
  switch (op) {
    case Reduction::kSum:
    case Reduction::kMean:
      return fold_all<SumFold>(loops, in, out_count);
    case Reduction::kMax:
      return fold_all<LargestFold>(loops, in, out_count);
    case Reduction::kMin:
      return fold_all<SmallestFold>(loops, in, out_count);
    case Reduction::kProd:
      return fold_all<ProductFold>(loops, in, out_count);
    case Reduction::kNorm:
      return fold_all<SquaresFold>(loops, in, out_count);
  }
  return {};
}

// ---- the op -----------------------------------------------------------------------------------------------

// Computes out from in. loops: the steps of in and out; an axis that is reduced has step 0 in out.
class Reducing {
 public:
  Reducing(Reduction op, Loops<2> loops, std::int64_t in_count, std::int64_t out_count)
      : op_(op), in_count_(in_count), out_count_(out_count), loops_(std::move(loops)) {}

  // True: the device's primitives compute this, so it runs on every device.
  [[nodiscard]] bool has_primitive() const {
    if (in_count_ == 0) return true;
    if (op_ != Reduction::kSum && op_ != Reduction::kMean) return false;
    return is_contiguous(loops_) || is_total() || is_over_rows();
  }

  void operator()(Arithmetic& math, const float* in, float* out) const {
    if (in_count_ == 0) return math.fill(out, out_count_, of_nothing());
    if (!has_primitive()) return compute_on_host(in, out);
    if (is_contiguous(loops_)) return math.copy(in, out, out_count_);
    if (is_total()) return math.total(in, in_count_, op_ == Reduction::kMean ? number_of(in_count_) : 1, out);
    const Extent extent{loops_[0].count, loops_[1].count};
    math.sum_rows(in, extent, out);
    if (op_ == Reduction::kMean)
      math.map(WithScalar::kDivide, out, static_cast<float>(extent.rows), out, out_count_);
  }

 private:
  [[nodiscard]] bool is_total() const { return loops_.size() == 1 && loops_[0].step[1] == 0; }
  [[nodiscard]] bool is_over_rows() const {
    return loops_.size() == 2 && loops_[0].step[1] == 0 && loops_[1].step[1] == 1;
  }
  // The result if there are no elements. max and min are refused before.
  [[nodiscard]] float of_nothing() const {
    if (op_ == Reduction::kMean) return std::numeric_limits<float>::quiet_NaN();
    return op_ == Reduction::kProd ? 1.0f : 0.0f;
  }
  void compute_on_host(const float* in, float* out) const {
    const std::vector<double> totals = fold_all(op_, loops_, in, out_count_);
    const double share = number_of(in_count_ / out_count_);  // elements per result
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const double total = totals[i];
      out[i] = static_cast<float>(op_ == Reduction::kMean   ? total / share
                                  : op_ == Reduction::kNorm ? std::sqrt(total)
                                                            : total);
    }
  }

  Reduction op_;
  std::int64_t in_count_, out_count_;
  Loops<2> loops_;
};

// Reduces `a` to the shape `kept`, which has as many axes: an axis of extent 1 is reduced. `shape`: the shape
// of the result, of the same size.
Result<Array> reduce_to(Reduction op, const Array& a, const Shape& kept, const Shape& shape,
                        MemoryCategory category, const Call& call) {
  Array output = make_array(a.context(), shape, category);
  Reducing work(op, loops_over<2>(a.shape(), {steps_of(a.shape()), broadcast_steps(kept, a.shape())}),
                a.size(), output.size());
  if (!work.has_primitive()) {
    if (Status sound = check_host_memory(call.site.name, a.context()); !sound.ok()) return sound.error();
  }
  const Cost cost = cost_of(number_of(a.size()), number_of(a.size() + output.size()));
  return enqueue_one(
      call, std::move(output), cost,
      [work = std::move(work)](Arithmetic& math, const float* const* in, float* const* out) {
        work(math, in[0], out[0]);
      },
      a);
}

// For each axis of `shape`, whether it is reduced.
Result<std::vector<bool>> reduced_axes(const char* name, const Shape& shape, const Axes& axes) {
  std::vector<bool> reduced(shape.size(), !axes.has_value());
  if (!axes) return reduced;
  for (const std::int64_t said : *axes) {
    const Result<std::size_t> axis = axis_of(name, shape, said);
    if (!axis.ok()) return axis.error();
    if (reduced[*axis]) return error_of(name, "axis " + std::to_string(said) + " is named twice");
    reduced[*axis] = true;
  }
  return reduced;
}

// ---- argmax -----------------------------------------------------------------------------------------------

// For each of `outer` x `inner` rows, the index of the first largest element. Goes through the input in the
// order of its elements, and keeps the largest values so far.
void compute_argmax(const AroundAxis& rows, const float* in, float* out) {
  std::vector<float> largest(static_cast<std::size_t>(rows.inner));
  for (std::int64_t o = 0; o < rows.outer; ++o, out += rows.inner) {
    std::copy_n(in, rows.inner, largest.begin());
    std::fill_n(out, rows.inner, 0.0f);
    for (std::int64_t k = 0; k < rows.extent; ++k, in += rows.inner) {
      for (std::int64_t i = 0; i < rows.inner; ++i) {
        const float x = in[i];
        float& most = largest[static_cast<std::size_t>(i)];
        if (!(x > most || (x != x && most == most))) continue;  // x != x: x is NaN
        most = x;
        out[i] = static_cast<float>(k);
      }
    }
  }
}

}  // namespace

const char* name_of(Reduction op) { return kReductionSites[static_cast<std::size_t>(op)].name; }

std::optional<Reduction> reduction_named(std::string_view name) {
  const auto* const found = std::ranges::find(kReductionSites, name, &record::Site::name);
  if (found == std::end(kReductionSites)) return std::nullopt;
  return static_cast<Reduction>(found - std::begin(kReductionSites));
}

Result<Array> reduce(Reduction op, const Array& a, Axes axes, bool keep_dims, Where where) {
  const record::Site& site = kReductionSites[static_cast<std::size_t>(op)];
  if (Status sound = check_arrays(site.name, {&a}); !sound.ok()) return sound.error();
  const Result<std::vector<bool>> reduced = reduced_axes(site.name, a.shape(), axes);
  if (!reduced.ok()) return reduced.error();
  Shape kept = a.shape(), shape;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if ((*reduced)[axis]) kept[axis] = 1;
    if (keep_dims || !(*reduced)[axis]) shape.push_back(kept[axis]);
  }
  const bool needs_elements = op == Reduction::kMax || op == Reduction::kMin;
  if (needs_elements && a.size() == 0 && element_count(shape) != 0)
    return error_of(site.name, "shape " + to_string(a.shape()) + " has no elements along the axes");
  return reduce_to(op, a, kept, shape, MemoryCategory::kActivation, {site, where});
}

Result<Array> sum_to(const Array& a, const Shape& shape, Where where) {
  if (Status sound = check_arrays(kSumTo.name, {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_shape(kSumTo.name, shape); !sound.ok()) return sound.error();
  if (!can_broadcast(shape, a.shape())) return shapes_do_not_fit(kSumTo.name, a.shape(), shape);
  Shape kept(a.shape().size() - shape.size(), 1);
  kept.insert(kept.end(), shape.begin(), shape.end());
  return reduce_to(Reduction::kSum, a, kept, shape, MemoryCategory::kGradient, {kSumTo, where});
}

Result<Array> argmax(const Array& a, std::optional<std::int64_t> axis, Where where) {
  const char* const name = kArgmax.name;
  if (Status sound = check_arrays(name, {&a}); !sound.ok()) return sound.error();
  if (Status sound = check_host_memory(name, a.context()); !sound.ok()) return sound.error();
  AroundAxis rows{.extent = a.size()};
  Shape shape;
  if (axis) {
    const Result<std::size_t> at = axis_of(name, a.shape(), *axis);
    if (!at.ok()) return at.error();
    rows = around(a.shape(), *at);
    shape = a.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*at));
  }
  if (rows.extent == 0 && element_count(shape) != 0)
    return error_of(name, "shape " + to_string(a.shape()) + " has no elements along the axis");
  const double n = number_of(a.size());
  return enqueue_one(
      {kArgmax, where}, make_array(a.context(), std::move(shape), MemoryCategory::kActivation), cost_of(n, n),
      [rows](Arithmetic&, const float* const* in, float* const* out) { compute_argmax(rows, in[0], out[0]); },
      a);
}

}  // namespace runahead::engine::checked
