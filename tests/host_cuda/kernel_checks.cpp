#include "tests/host_cuda/kernel_checks.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/device/arithmetic.h"
#include "engine/device/cuda_kernels.h"
#include "engine/device/random_math.h"
#include "tests/host_cuda/grid.h"
#include "tests/host_cuda/runtime.h"
#include "tests/support/random.h"

namespace runahead::host_cuda {
namespace {

using engine::OfTwo;
using engine::WithScalar;
namespace random_math = engine::random_math;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Memory of a kernel with NaN on both sides: a read outside gives NaN, and a write outside is seen. The
// address sanitizer also finds a read whose value is not used. It would end the process at a planted fault.
template <typename T>
class Guarded {
 public:
  explicit Guarded(std::int64_t count) : all_(static_cast<std::size_t>(count) + 2 * kSide, T{kNan}) {
    close();
  }
  ~Guarded() { open(); }
  Guarded(Guarded&&) = default;
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  [[nodiscard]] T* data() { return all_.data() + kSide; }
  [[nodiscard]] T& operator[](std::int64_t i) { return data()[i]; }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(all_.size() - 2 * kSide); }
  [[nodiscard]] bool whole() {
    open();
    const auto is_nan = [](T value) { return std::isnan(value); };
    const bool is_whole = std::all_of(all_.begin(), all_.begin() + kSide, is_nan) &&
                          std::all_of(all_.end() - kSide, all_.end(), is_nan);
    close();
    return is_whole;
  }

 private:
  // Between close() and open(), the sanitizer allows no access to the sides.
  void close() {
#if defined(__SANITIZE_ADDRESS__)
    if (planted_fault != 0) return;
    ASAN_POISON_MEMORY_REGION(all_.data(), kSide * sizeof(T));
    ASAN_POISON_MEMORY_REGION(all_.data() + all_.size() - kSide, kSide * sizeof(T));
#endif
  }
  void open() {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(all_.data(), all_.size() * sizeof(T));
#endif
  }

  static constexpr std::size_t kSide = 64;
  std::vector<T> all_;
};
using Floats = Guarded<float>;

struct Near {
  double value = 0, within = 0;
};
Near exact(double value) { return {value, 0}; }
// A sum in double of `terms` terms, rounded once to float.
Near sum_near(double value, double magnitude, double terms) {
  return {value, 0x1.01p-24 * std::abs(value) + 2 * terms * 0x1.0p-53 * magnitude};
}

class Checks {
 public:
  explicit Checks(std::uint64_t seed) : random_(seed) {
    (void)cudaSetDevice(0);
    (void)cudaStreamCreateWithFlags(&stream_, 0);
    (void)take_misuse();
    (void)cudaGetLastError();
  }
  ~Checks() { (void)cudaStreamDestroy(stream_); }
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  void elementwise(std::int64_t count) {
    Floats a = values(count), b = values(count), out(count);
    RunaheadPrimitive p{.a = a.data(), .b = b.data(), .out = out.data(), .count = count, .scalar = 0.7f};
    p.kind = kRunaheadFill;
    check("fill", p, out, [](std::int64_t) { return exact(double{0.7f}); });
    for (int what = 0; what < 5; ++what) {
      p.what = what;
      p.kind = kRunaheadWithScalar;
      check("with_scalar", p, out,
            [&](std::int64_t i) { return exact(with_scalar(static_cast<WithScalar>(what), a[i], 0.7f)); });
      p.kind = kRunaheadOfTwo;
      check("of_two", p, out,
            [&](std::int64_t i) { return exact(of_two(static_cast<OfTwo>(what), a[i], b[i])); });
    }
    Floats before = values(count);
    std::copy_n(before.data(), count, out.data());
    p.kind = kRunaheadSubtractScaled;
    check(
        "subtract_scaled", p, out, [&](std::int64_t i) { return exact(before[i] - 0.7f * a[i]); }, false);
  }

  void random_numbers(std::int64_t count) {
    const auto seed = random_.engine()(), stream = random_.engine()();
    Floats out(count);
    RunaheadPrimitive p{.kind = kRunaheadUniform,
                        .out = out.data(),
                        .count = count,
                        .seed = seed,
                        .random_stream = stream,
                        .scalar = -1.5f,
                        .scalar2 = 2.0f};
    const auto words = [&](std::int64_t i) {
      return random_math::words_of(seed, stream, static_cast<std::uint64_t>(i / 4));
    };
    check("uniform", p, out, [&](std::int64_t i) {
      return exact(random_math::uniform_of(words(i).at[i % 4], -1.5f, 3.5f, std::nextafter(2.0f, -1.5f)));
    });
    p.kind = kRunaheadNormal;
    check("normal", p, out, [&](std::int64_t i) {
      const random_math::Words w = words(i);
      const int first = i % 4 < 2 ? 0 : 2;
      const random_math::Pair pair = random_math::normal_of(w.at[first], w.at[first + 1]);
      return exact(static_cast<float>(-1.5f + 2.0f * (i % 2 == 0 ? pair.first : pair.second)));
    });
  }

  void total(std::int64_t count) {
    Floats a = values(count), out(1);
    const RunaheadPrimitive p{
        .kind = kRunaheadTotal, .a = a.data(), .out = out.data(), .count = count, .divisor = 3};
    double sum = 0, magnitude = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += static_cast<double>(a[i]);
      magnitude += std::abs(static_cast<double>(a[i]));
    }
    check("total", p, out,
          [&](std::int64_t) { return sum_near(sum / 3, magnitude, static_cast<double>(count)); });
  }

  void matrix(std::int64_t rows, std::int64_t columns) {
    Floats a = values(rows * columns), b = values(rows * columns), row = values(columns), out(rows * columns);
    RunaheadPrimitive p{.kind = kRunaheadAddRow,
                        .a = a.data(),
                        .b = row.data(),
                        .out = out.data(),
                        .rows = rows,
                        .columns = columns};
    check("add_row", p, out, [&](std::int64_t i) { return exact(a[i] + row[i % columns]); });
    p.a = nullptr;
    check("add_row of zeros", p, out, [&](std::int64_t i) { return exact(row[i % columns]); });
    Floats down(columns), losses(rows);
    p.a = a.data();
    p.kind = kRunaheadSumRows;
    p.out = down.data();
    check("sum_rows", p, down, [&](std::int64_t c) {
      return sum_of(rows, [&](std::int64_t r) { return static_cast<double>(a[r * columns + c]); });
    });
    p.kind = kRunaheadHalfSquaredError;
    p.b = b.data();
    p.out = losses.data();
    check("half_squared_error", p, losses, [&](std::int64_t r) {
      return sum_of(columns, [&](std::int64_t c) {
        const double error =
            static_cast<double>(b[r * columns + c]) - static_cast<double>(a[r * columns + c]);
        return error * error / 2;
      });
    });
  }

 private:
  // Values between -2 and 2. Every seventh is 0, where relu has its corner.
  Floats values(std::int64_t count) {
    Floats made(count);
    for (std::int64_t i = 0; i < count; ++i)
      made[i] = i % 7 == 3 ? 0.0f : static_cast<float>(random_.real(-2, 2));
    return made;
  }
  static double with_scalar(WithScalar what, float x, float s) {
    switch (what) {
      case WithScalar::kAdd:
        return x + s;
      case WithScalar::kSubtract:
        return x - s;
      case WithScalar::kMultiply:
        return x * s;
      case WithScalar::kDivide:
        return x / s;
      default:
        return x > 0 ? x : 0;
    }
  }
  static double of_two(OfTwo what, float x, float y) {
    switch (what) {
      case OfTwo::kAdd:
        return x + y;
      case OfTwo::kSubtract:
        return x - y;
      case OfTwo::kMultiply:
        return x * y;
      case OfTwo::kDivide:
        return x / y;
      default:
        return y > 0 ? x : 0;
    }
  }
  template <typename Term>
  static Near sum_of(std::int64_t count, Term term) {
    double sum = 0, magnitude = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += term(i);
      magnitude += std::abs(term(i));
    }
    return sum_near(sum, magnitude, static_cast<double>(count));
  }

  // Launches the primitive and compares. `parts` is as large as the memory of a stream for partial sums.
  template <typename Expected>
  void check(const char* name, const RunaheadPrimitive& p, Floats& out, Expected expected,
             bool clear = true) {
    if (!wrong_.empty()) return;
    if (clear) std::fill_n(out.data(), out.count(), kNan);
    Guarded<double> parts(engine::kSumParts);
    const cudaError_t status = engine::launch_kernel(p, parts.data(), stream_);
    (void)cudaStreamSynchronize(stream_);
    const std::string size = p.rows == 0 && p.columns == 0
                                 ? std::to_string(p.count)
                                 : std::to_string(p.rows) + " x " + std::to_string(p.columns);
    const std::string begin = std::string(name) + " of " + size + ": ";
    if (const std::string misuse = take_misuse(); !misuse.empty()) {
      wrong_ = begin + misuse;
    } else if (status != cudaSuccess) {
      wrong_ = begin + cudaGetErrorString(status);
    } else if (!out.whole() || !parts.whole()) {
      wrong_ = begin + "a write outside the memory";
    }
    for (std::int64_t i = 0; i < out.count() && wrong_.empty(); ++i) {
      const Near right = expected(i);
      const double off = std::abs(static_cast<double>(out[i]) - right.value);
      const bool both_nan = std::isnan(out[i]) && std::isnan(right.value);
      const bool same = static_cast<double>(out[i]) == right.value || both_nan;
      if (!same && !(off <= right.within))
        wrong_ = begin + "element " + std::to_string(i) + " is " + std::to_string(out[i]) + ", not " +
                 std::to_string(right.value);
    }
  }

  runahead::testing::Random random_;
  cudaStream_t stream_ = nullptr;
  std::string wrong_;
};

}  // namespace

std::string wrong_with_kernels(std::uint64_t seed) {
  constexpr std::int64_t kBorders[] = {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 511, 513, 1021};
  constexpr std::int64_t kMatrices[][2] = {{0, 5},  {1, 1},    {1, 31},  {7, 32},   {8, 33},
                                           {9, 65}, {16, 255}, {3, 256}, {33, 257}, {513, 3}};
  controls().order_seed = seed;
  Checks checks(seed);
  runahead::testing::Random random(seed + 1);
  for (const std::int64_t count : kBorders) {
    checks.elementwise(count);
    checks.random_numbers(count);
    checks.total(count);
  }
  for (const auto& [rows, columns] : kMatrices) checks.matrix(rows, columns);
  for (int round = 0; round < 3; ++round) {
    checks.elementwise(random.integer(1, 5000));
    checks.random_numbers(random.integer(1, 5000));
    checks.total(random.integer(1, 9000));
    checks.matrix(random.integer(1, 70), random.integer(1, 700));
  }
  // more elements than one pass of all blocks: 1024 parts of a sum
  if (checks.wrong().empty()) checks.total(256 * 1024 + 3 * 256 + random.integer(1, 255));
  return checks.wrong();
}

}  // namespace runahead::host_cuda
