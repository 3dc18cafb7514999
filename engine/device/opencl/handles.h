// Owners of OpenCL's objects, the module's status values, and their texts. Internal to the OpenCL module.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstdint>
#include <utility>

namespace runahead::engine::opencl {

// Owns one reference of an OpenCL object.
template <typename T, auto kRetain, auto kRelease>
class Held {
 public:
  Held() = default;
  explicit Held(T taken) : object_(taken) {}
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Held(const Held& other) : object_(other.object_) {
    if (object_ != nullptr) (void)kRetain(object_);
  }
  Held& operator=(const Held& other) {
    if (this != &other) *this = Held(other);
    return *this;
  }
  ~Held() {
    if (object_ != nullptr) (void)kRelease(object_);
  }
  [[nodiscard]] T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

using Context = Held<cl_context, &clRetainContext, &clReleaseContext>;
using Queue = Held<cl_command_queue, &clRetainCommandQueue, &clReleaseCommandQueue>;
using Program = Held<cl_program, &clRetainProgram, &clReleaseProgram>;
using Kernel = Held<cl_kernel, &clRetainKernel, &clReleaseKernel>;
using Memory = Held<cl_mem, &clRetainMemObject, &clReleaseMemObject>;
using Event = Held<cl_event, &clRetainEvent, &clReleaseEvent>;

// Sets `out` to the state of a command: CL_QUEUED, CL_SUBMITTED, CL_RUNNING or CL_COMPLETE, in falling order;
// below CL_COMPLETE, it is the error with which the command ended.
[[nodiscard]] inline cl_int read_state(cl_event command, cl_int& out) {
  return clGetEventInfo(command, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof out, &out, nullptr);
}

// The module's own status values. Those of OpenCL and of CLBlast lie below kFirstOpenCl.
inline constexpr std::int32_t kNoHostMemory = -2;
inline constexpr std::int32_t kNoProgram = -3;     // the kernels do not compile; build_log() says why
inline constexpr std::int32_t kNotOurMemory = -4;  // an address that take_memory() did not give
inline constexpr std::int32_t kSmallGroups = -5;   // the device has too small work groups for the kernels
inline constexpr std::int32_t kFirstOpenCl = -100;

[[nodiscard]] constexpr std::int32_t status_of(cl_int error) {
  return error == CL_SUCCESS ? 0 : kFirstOpenCl + error;
}
// A text for a status. It lives as long as the program, or until this thread calls set_build_log().
[[nodiscard]] const char* error_text(std::int32_t status);
// What the compiler said of the kernels, for the next error_text(kNoProgram) of this thread.
void set_build_log(const char* log);

}  // namespace runahead::engine::opencl
