// A stream of the OpenCL module: an in-order queue with its own kernels. Internal to the module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/device/device_module.h"
#include "engine/device/opencl/caller.h"
#include "engine/device/opencl/devices.h"
#include "engine/device/opencl/handles.h"

namespace runahead::engine::opencl {

// A point in a stream: the start of a command, or its end.
struct Point {
  Event command;
  bool at_start = false;
};

class Stream {
 public:
  [[nodiscard]] static std::int32_t make(const std::shared_ptr<OpenDevice>& device,
                                         std::unique_ptr<Stream>& out);

  // `point` becomes the start of the next command. At the latest end_point() decides it.
  void start_point(Point& point);
  // `point` becomes the end of the last command since start_point(); without one, that of a marker. The same
  // command may be the end of several points.
  [[nodiscard]] std::int32_t end_point(Point& point);
  [[nodiscard]] std::int32_t finish();                   // blocks until all commands have ended
  [[nodiscard]] std::int32_t await(const Point& point);  // later commands wait for this one of any queue

  [[nodiscard]] std::int32_t launch(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t copy(void* to, const void* from, std::size_t bytes);
  [[nodiscard]] std::int32_t call(void (*function)(void* data), void* data);

 private:
  enum Name : std::uint8_t {
    kFill,
    kWithScalar,
    kOfTwo,
    kSubtractScaled,
    kAddRow,
    kUniform,
    kNormal,
    kSumPartsOf,
    kSumOfParts,
    kSumDown,
    kHalfSquaredErrors,
    kProduct,
    kNames
  };
  // A size of the whole and of a group, in one or two dimensions.
  struct Range {
    cl_uint dimensions = 1;
    std::array<std::size_t, 2> all{}, group{};
  };
  class Arguments;

  explicit Stream(std::shared_ptr<OpenDevice> device) : device_(std::move(device)) {}
  [[nodiscard]] std::int32_t make_kernels();
  [[nodiscard]] std::int32_t mark();
  const Event& note(cl_event command);  // takes the reference
  [[nodiscard]] std::int32_t run(const Arguments& arguments, const Range& range);
  [[nodiscard]] std::int32_t elementwise(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t random(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t total(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t sum_rows(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t half_squared_error(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t multiply(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t multiply_by_clblast(const RunaheadPrimitive& primitive);
  [[nodiscard]] std::int32_t copy_between_contexts(const Place& to, const Place& from, std::size_t bytes);
  [[nodiscard]] static Range range_for(std::int64_t items);

  const std::shared_ptr<OpenDevice> device_;
  Queue queue_;
  std::array<Kernel, kNames> kernels_;
  Memory sum_parts_;  // the partial sums of one array: the kernels of a stream run one after the other
  Point* starts_next_ = nullptr;    // becomes the start of the next command
  Event last_;                      // the last command since start_point()
  std::unique_ptr<Caller> caller_;  // made by the first call()
};

}  // namespace runahead::engine::opencl
