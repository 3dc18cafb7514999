#include "engine/device/module_arithmetic.h"

#include <stdexcept>
#include <utility>

#include "engine/device/pinned_blocks.h"

namespace runahead::engine {

void check_module(const RunaheadDeviceApi& api, const std::string& device, const char* doing,
                  std::int32_t status) {
  if (status != 0) throw std::runtime_error(device + ": " + doing + ": " + api.error_text(status));
}

namespace {

class ModuleArithmetic final : public Arithmetic {
 public:
  ModuleArithmetic(const RunaheadDeviceApi& api, std::string name, void* device, void* stream)
      : api_(api), name_(std::move(name)), device_(device), stream_(stream) {}
  ~ModuleArithmetic() override { PinnedBlocks::get().forget(place()); }

  void fill(float* out, std::int64_t count, float value) override {
    launch("filling", {.kind = kRunaheadFill, .out = out, .count = count, .scalar = value});
  }
  void uniform(float* out, std::int64_t count, RandomKey key, float low, float high) override {
    random(kRunaheadUniform, out, count, key, low, high);
  }
  void normal(float* out, std::int64_t count, RandomKey key, float mean, float deviation) override {
    random(kRunaheadNormal, out, count, key, mean, deviation);
  }

  void map(WithScalar what, const float* a, float scalar, float* out, std::int64_t count) override {
    launch("an elementwise operator", {.kind = kRunaheadWithScalar,
                                       .what = static_cast<std::int32_t>(what),
                                       .a = a,
                                       .out = out,
                                       .count = count,
                                       .scalar = scalar});
  }
  void map(OfTwo what, const float* a, const float* b, float* out, std::int64_t count) override {
    launch("an elementwise operator", {.kind = kRunaheadOfTwo,
                                       .what = static_cast<std::int32_t>(what),
                                       .a = a,
                                       .b = b,
                                       .out = out,
                                       .count = count});
  }
  void subtract_scaled(float* from, const float* a, float factor, std::int64_t count) override {
    launch("an update",
           {.kind = kRunaheadSubtractScaled, .a = a, .out = from, .count = count, .scalar = factor});
  }

  void add_row(const float* a, const float* row, float* out, Extent extent) override {
    launch("adding a row", {.kind = kRunaheadAddRow,
                            .a = a,
                            .b = row,
                            .out = out,
                            .rows = extent.rows,
                            .columns = extent.columns});
  }
  void multiply(const MatrixProduct& product, const float* a, const float* b, float* c) override {
    launch("a product", {.kind = kRunaheadMultiply,
                         .a = a,
                         .b = b,
                         .out = c,
                         .m = product.m,
                         .n = product.n,
                         .k = product.k,
                         .transpose_a = product.transpose_a,
                         .transpose_b = product.transpose_b,
                         .scalar = product.beta});
  }
  void total(const float* a, std::int64_t count, double divisor, float* out) override {
    launch("a sum", {.kind = kRunaheadTotal, .a = a, .out = out, .count = count, .divisor = divisor});
  }
  void sum_rows(const float* a, Extent extent, float* out) override {
    launch("a sum of rows",
           {.kind = kRunaheadSumRows, .a = a, .out = out, .rows = extent.rows, .columns = extent.columns});
  }
  void half_squared_error(const float* a, const float* b, Extent extent, float* out) override {
    launch("a loss", {.kind = kRunaheadHalfSquaredError,
                      .a = a,
                      .b = b,
                      .out = out,
                      .rows = extent.rows,
                      .columns = extent.columns});
  }

  void copy(const float* from, float* to, std::int64_t count, HostEnd end, HostMemory memory) override {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    const auto put = [&] { return api_.copy(device_, stream_, to, from, bytes); };
    const void* const host = end == HostEnd::kFrom ? from : to;
    check_module(api_, name_, "a copy",
                 end == HostEnd::kNone ? put() : PinnedBlocks::get().copy(place(), host, bytes, memory, put));
  }

  void call(UniqueFunction<void()> function) override {
    auto held = std::make_unique<UniqueFunction<void()>>(std::move(function));
    const auto run = [](void* data) {
      const std::unique_ptr<UniqueFunction<void()>> mine(static_cast<UniqueFunction<void()>*>(data));
      (*mine)();
    };
    check_module(api_, name_, "a call of the host", api_.call(device_, stream_, run, held.get()));
    // from now on `run` owns the function, and deletes it after the call
    (void)held.release();
  }

 private:
  void launch(const char* doing, const RunaheadPrimitive& primitive) {
    check_module(api_, name_, doing, api_.launch(device_, stream_, &primitive));
  }
  [[nodiscard]] PinnedBlocks::Stream place() const { return {&api_, device_, stream_}; }
  void random(RunaheadPrimitiveKind kind, float* out, std::int64_t count, RandomKey key, float first,
              float second) {
    launch("random numbers", {.kind = kind,
                              .out = out,
                              .count = count,
                              .seed = key.seed,
                              .random_stream = key.stream,
                              .scalar = first,
                              .scalar2 = second});
  }

  const RunaheadDeviceApi& api_;
  const std::string name_;
  void* const device_;
  void* const stream_;
};

}  // namespace

std::unique_ptr<Arithmetic> make_module_arithmetic(const RunaheadDeviceApi& api, std::string name,
                                                   void* device, void* stream) {
  return std::make_unique<ModuleArithmetic>(api, std::move(name), device, stream);
}

}  // namespace runahead::engine
