#include "engine/device/opencl/queue.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/device/opencl/clblast.h"

namespace runahead::engine::opencl {
namespace {

constexpr std::size_t kThreads = 256;      // as in kernels.cl
constexpr std::size_t kMostGroups = 4096;  // with more elements than items, each item loops over several
constexpr std::size_t kSumParts = 1024;
constexpr std::size_t kColumns = 32, kRowItems = kThreads / kColumns;
constexpr std::size_t kSide = 16, kTile = 64;

std::size_t groups_for(std::size_t items, std::size_t each) { return (items + each - 1) / each; }

}  // namespace

// Sets the arguments of a kernel, in their order. An address becomes a buffer and the index of an element.
class Stream::Arguments {
 public:
  explicit Arguments(cl_kernel kernel) : kernel_(kernel) {}

  template <typename T>
  Arguments& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (status_ == 0) status_ = status_of(clSetKernelArg(kernel_, next_++, sizeof value, &value));
    return *this;
  }
  Arguments& array(const float* address) {
    const std::optional<Place> place = place_of(address);
    if (!place && status_ == 0) status_ = kNotOurMemory;
    if (!place) return *this;
    return add(place->buffer.get()).add(static_cast<cl_ulong>(place->at_bytes / sizeof(float)));
  }
  [[nodiscard]] std::int32_t status() const { return status_; }
  [[nodiscard]] cl_kernel kernel() const { return kernel_; }

 private:
  cl_kernel kernel_;
  cl_uint next_ = 0;
  std::int32_t status_ = 0;
};

// ---- making -----------------------------------------------------------------------------------------------

std::int32_t Stream::make_kernels() {
  constexpr std::array<const char*, kNames> kFunctions{"fill",
                                                       "with_scalar",
                                                       "of_two",
                                                       "subtract_scaled",
                                                       "add_row",
                                                       "uniform_numbers",
                                                       "normal_numbers",
                                                       "sum_parts_of",
                                                       "sum_of_parts",
                                                       "sum_down",
                                                       "half_squared_errors",
                                                       "product"};
  for (std::size_t i = 0; i < kNames; ++i) {
    cl_int error = CL_SUCCESS;
    kernels_[i] = Kernel(clCreateKernel(device_->program.get(), kFunctions[i], &error));
    if (error != CL_SUCCESS) return status_of(error);
  }
  return 0;
}

std::int32_t Stream::make(const std::shared_ptr<OpenDevice>& device, std::unique_ptr<Stream>& out) {
  std::unique_ptr<Stream> made(new (std::nothrow) Stream(device));
  if (made == nullptr) return kNoHostMemory;
  cl_int error = CL_SUCCESS;
  made->queue_ =
      Queue(clCreateCommandQueue(device->context.get(), device->id, CL_QUEUE_PROFILING_ENABLE, &error));
  if (error != CL_SUCCESS) return status_of(error);
  constexpr std::size_t kPartBytes = 8;  // a double, or two floats
  made->sum_parts_ = Memory(
      clCreateBuffer(device->context.get(), CL_MEM_READ_WRITE, kSumParts * kPartBytes, nullptr, &error));
  if (error != CL_SUCCESS) return status_of(error);
  if (const std::int32_t status = made->make_kernels(); status != 0) return status;
  out = std::move(made);
  return 0;
}

// ---- points in the stream ---------------------------------------------------------------------------------

const Event& Stream::note(cl_event command) {
  last_ = Event(command);
  if (starts_next_ != nullptr) *std::exchange(starts_next_, nullptr) = {.command = last_, .at_start = true};
  return last_;
}

std::int32_t Stream::mark() {
  cl_event marker = nullptr;
  const cl_int error = clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &marker);
  if (error == CL_SUCCESS) note(marker);
  return status_of(error);
}

void Stream::start_point(Point& point) {
  starts_next_ = &point;
  last_ = Event();
}

std::int32_t Stream::end_point(Point& point) {
  const bool needs_marker = !last_;
  if (needs_marker) {
    if (const std::int32_t status = mark(); status != 0) return status;
  }
  point = {.command = last_, .at_start = false};
  if (needs_marker) last_ = Event();  // the next point gets a marker of its own
  return status_of(clFlush(queue_.get()));
}

std::int32_t Stream::finish() { return status_of(clFinish(queue_.get())); }

std::int32_t Stream::await(const Point& point) {
  cl_event const command = point.command.get();
  return status_of(clEnqueueBarrierWithWaitList(queue_.get(), 1, &command, nullptr));
}

// ---- work -------------------------------------------------------------------------------------------------

Stream::Range Stream::range_for(std::int64_t items) {
  const std::size_t groups =
      std::clamp<std::size_t>(groups_for(static_cast<std::size_t>(items), kThreads), 1, kMostGroups);
  return {.dimensions = 1, .all = {groups * kThreads, 0}, .group = {kThreads, 0}};
}

std::int32_t Stream::run(const Arguments& arguments, const Range& range) {
  if (arguments.status() != 0) return arguments.status();
  cl_event command = nullptr;
  const cl_int error = clEnqueueNDRangeKernel(queue_.get(), arguments.kernel(), range.dimensions, nullptr,
                                              range.all.data(), range.group.data(), 0, nullptr, &command);
  if (error == CL_SUCCESS) note(command);
  return status_of(error);
}

std::int32_t Stream::elementwise(const RunaheadPrimitive& p) {
  const auto count = static_cast<cl_ulong>(p.count);
  switch (p.kind) {
    case kRunaheadFill:
      return run(Arguments(kernels_[kFill].get()).array(p.out).add(count).add(p.scalar), range_for(p.count));
    case kRunaheadWithScalar:
      return run(
          Arguments(kernels_[kWithScalar].get()).add(p.what).array(p.a).add(p.scalar).array(p.out).add(count),
          range_for(p.count));
    case kRunaheadOfTwo:
      return run(Arguments(kernels_[kOfTwo].get()).add(p.what).array(p.a).array(p.b).array(p.out).add(count),
                 range_for(p.count));
    default:
      return run(Arguments(kernels_[kSubtractScaled].get()).array(p.a).add(p.scalar).array(p.out).add(count),
                 range_for(p.count));
  }
}

std::int32_t Stream::random(const RunaheadPrimitive& p) {
  const bool uniform = p.kind == kRunaheadUniform;
  Arguments arguments(kernels_[uniform ? kUniform : kNormal].get());
  arguments.array(p.out)
      .add(static_cast<cl_ulong>(p.count))
      .add(cl_ulong{p.seed})
      .add(cl_ulong{p.random_stream})
      .add(p.scalar);
  if (uniform) {
    arguments.add(p.scalar2 - p.scalar).add(std::nextafter(p.scalar2, p.scalar));
  } else {
    arguments.add(p.scalar2);
  }
  return run(arguments, range_for((p.count + 3) / 4));
}

std::int32_t Stream::total(const RunaheadPrimitive& p) {
  Range range = range_for(p.count);
  range.all[0] = std::min(range.all[0], kSumParts * kThreads);
  cl_mem const parts = sum_parts_.get();
  if (const std::int32_t status = run(
          Arguments(kernels_[kSumPartsOf].get()).array(p.a).add(static_cast<cl_ulong>(p.count)).add(parts),
          range);
      status != 0)
    return status;
  Arguments last(kernels_[kSumOfParts].get());
  last.add(parts).add(static_cast<cl_uint>(range.all[0] / kThreads));
  if (device_->has_double) {
    last.add(p.divisor);
  } else {
    last.add(static_cast<float>(p.divisor));
  }
  return run(last.array(p.out), {.dimensions = 1, .all = {kThreads, 0}, .group = {kThreads, 0}});
}

std::int32_t Stream::sum_rows(const RunaheadPrimitive& p) {
  const std::size_t groups = groups_for(static_cast<std::size_t>(p.columns), kColumns);
  return run(Arguments(kernels_[kSumDown].get())
                 .array(p.a)
                 .add(static_cast<cl_ulong>(p.rows))
                 .add(static_cast<cl_ulong>(p.columns))
                 .array(p.out),
             {.dimensions = 2, .all = {groups * kColumns, kRowItems}, .group = {kColumns, kRowItems}});
}

std::int32_t Stream::half_squared_error(const RunaheadPrimitive& p) {
  return run(
      Arguments(kernels_[kHalfSquaredErrors].get())
          .array(p.a)
          .array(p.b)
          .add(static_cast<cl_ulong>(p.columns))
          .array(p.out),
      {.dimensions = 1, .all = {static_cast<std::size_t>(p.rows) * kThreads, 0}, .group = {kThreads, 0}});
}

std::int32_t Stream::multiply(const RunaheadPrimitive& p) {
  const std::size_t down = groups_for(static_cast<std::size_t>(p.m), kTile),
                    across = groups_for(static_cast<std::size_t>(p.n), kTile);
  return run(Arguments(kernels_[kProduct].get())
                 .add(static_cast<cl_ulong>(p.m))
                 .add(static_cast<cl_ulong>(p.n))
                 .add(static_cast<cl_ulong>(p.k))
                 .add(p.transpose_a)
                 .add(p.transpose_b)
                 .add(p.scalar)
                 .array(p.a)
                 .array(p.b)
                 .array(p.out),
             {.dimensions = 2, .all = {across * kSide, down * kSide}, .group = {kSide, kSide}});
}

std::int32_t Stream::multiply_by_clblast(const RunaheadPrimitive& p) {
  const std::optional<Place> a = place_of(p.a), b = place_of(p.b), c = place_of(p.out);
  if (!a || !b || !c) return kNotOurMemory;
  const auto matrix = [](const Place& place, std::int64_t stride, bool transpose) {
    return BlasMatrix{.buffer = place.buffer.get(),
                      .at = place.at_bytes / sizeof(float),
                      .stride = static_cast<std::size_t>(stride),
                      .transpose = transpose};
  };
  // CLBlast gives the event of its last command only, so a marker is the start.
  if (starts_next_ != nullptr) {
    if (const std::int32_t status = mark(); status != 0) return status;
  }
  cl_event last = nullptr;
  const std::int32_t status = clblast_product(
      queue_.get(), static_cast<std::size_t>(p.m), static_cast<std::size_t>(p.n),
      static_cast<std::size_t>(p.k), matrix(*a, p.transpose_a != 0 ? p.m : p.k, p.transpose_a != 0),
      matrix(*b, p.transpose_b != 0 ? p.k : p.n, p.transpose_b != 0), p.scalar, matrix(*c, p.n, false), last);
  // A refused product may have commands in the queue: no known event is after them.
  if (status == 0) {
    note(last);
  } else {
    last_ = Event();
  }
  return status;
}

std::int32_t Stream::launch(const RunaheadPrimitive& p) {
  switch (p.kind) {
    case kRunaheadFill:
    case kRunaheadWithScalar:
    case kRunaheadOfTwo:
    case kRunaheadSubtractScaled:
      return p.count <= 0 ? 0 : elementwise(p);
    case kRunaheadUniform:
    case kRunaheadNormal:
      return p.count <= 0 ? 0 : random(p);
    case kRunaheadAddRow: {
      const std::int64_t count = p.rows * p.columns;
      if (count <= 0) return 0;
      const cl_int has_a = p.a != nullptr;
      return run(Arguments(kernels_[kAddRow].get())
                     .add(has_a)
                     .array(has_a != 0 ? p.a : p.b)
                     .array(p.b)
                     .array(p.out)
                     .add(static_cast<cl_ulong>(count))
                     .add(static_cast<cl_ulong>(p.columns)),
                 range_for(count));
    }
    case kRunaheadTotal:
      return total(p);
    case kRunaheadSumRows:
      return p.columns <= 0 ? 0 : sum_rows(p);
    case kRunaheadHalfSquaredError:
      return p.rows <= 0 ? 0 : half_squared_error(p);
    case kRunaheadMultiply:
      if (p.m <= 0 || p.n <= 0) return 0;
      return p.k > 0 && has_clblast() ? multiply_by_clblast(p) : multiply(p);
    default:
      return status_of(CL_INVALID_VALUE);
  }
}

// ---- copies and calls -------------------------------------------------------------------------------------

// A context cannot read the buffers of another one, so the bytes go through the host. REQUIRES: what writes
// `from` has ended; the engine submits a copy between devices only then.
std::int32_t Stream::copy_between_contexts(const Place& to, const Place& from, std::size_t bytes) {
  auto staged = std::unique_ptr<std::vector<std::byte>>(new (std::nothrow) std::vector<std::byte>(bytes));
  if (staged == nullptr) return kNoHostMemory;
  cl_int error = clEnqueueReadBuffer(from.device->memory.get(), from.buffer.get(), CL_TRUE, from.at_bytes,
                                     bytes, staged->data(), 0, nullptr, nullptr);
  if (error != CL_SUCCESS) return status_of(error);
  cl_event command = nullptr;
  error = clEnqueueWriteBuffer(queue_.get(), to.buffer.get(), CL_FALSE, to.at_bytes, bytes, staged->data(), 0,
                               nullptr, &command);
  if (error != CL_SUCCESS) return status_of(error);
  const auto free_staged = [](cl_event, cl_int, void* data) {
    delete static_cast<std::vector<std::byte>*>(data);
  };
  error = clSetEventCallback(command, CL_COMPLETE, free_staged, staged.get());
  if (error == CL_SUCCESS) {
    (void)staged.release();  // the callback frees it
  } else {
    (void)clWaitForEvents(1, &command);
  }
  note(command);
  return 0;
}

std::int32_t Stream::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return 0;
  const std::optional<Place> source = place_of(from), target = place_of(to);
  if (source && target && source->device != target->device)
    return copy_between_contexts(*target, *source, bytes);
  cl_event command = nullptr;
  cl_int error = CL_SUCCESS;
  if (source && target) {
    error = clEnqueueCopyBuffer(queue_.get(), source->buffer.get(), target->buffer.get(), source->at_bytes,
                                target->at_bytes, bytes, 0, nullptr, &command);
  } else if (target) {
    error = clEnqueueWriteBuffer(queue_.get(), target->buffer.get(), CL_FALSE, target->at_bytes, bytes, from,
                                 0, nullptr, &command);
  } else if (source) {
    error = clEnqueueReadBuffer(queue_.get(), source->buffer.get(), CL_FALSE, source->at_bytes, bytes, to, 0,
                                nullptr, &command);
  } else {
    return kNotOurMemory;
  }
  if (error == CL_SUCCESS) note(command);
  return status_of(error);
}

// A marker says when the earlier work is done, and a barrier holds the later work until the function has
// returned. The driver's own thread must not wait, so a thread of the stream makes the call.
std::int32_t Stream::call(void (*function)(void* data), void* data) {
  cl_int error = CL_SUCCESS;
  const Event returned(clCreateUserEvent(device_->context.get(), &error));
  if (error != CL_SUCCESS) return status_of(error);
  cl_event reached = nullptr;
  error = clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &reached);
  if (error != CL_SUCCESS) return status_of(error);
  const Event marker = note(reached);
  cl_event const waits_for = returned.get();
  cl_event held = nullptr;
  error = clEnqueueBarrierWithWaitList(queue_.get(), 1, &waits_for, &held);
  if (error != CL_SUCCESS) return status_of(error);
  note(held);
  if (caller_ == nullptr) caller_ = std::make_unique<Caller>();
  caller_->call_after(marker, function, data, returned);
  // The function will be called, so this call must not fail any more. The next one finds a lost device.
  (void)clFlush(queue_.get());
  return 0;
}

}  // namespace runahead::engine::opencl
