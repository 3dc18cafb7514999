// The objects of the simulated driver. Each begins with the table of functions, where the loader looks for
// it.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/host_opencl/host_opencl.h"

namespace runahead::host_opencl {

[[nodiscard]] const cl_icd_dispatch* dispatch();
[[nodiscard]] HostOpenClControls& controls();

// What all objects with a count of references have in common. Without virtual functions, so that `dispatch`
// comes first.
struct Object {
  explicit Object(std::atomic<std::int64_t>& counter) : count(counter) { ++count; }
  ~Object() { --count; }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const cl_icd_dispatch* table = dispatch();
  std::atomic<int> references{1};
  std::atomic<std::int64_t>& count;  // of the objects of its kind
};

template <typename T>
cl_int retain(T* object) {
  ++object->references;
  return CL_SUCCESS;
}
template <typename T>
cl_int release(T* object) {
  if (--object->references == 0) delete object;
  return CL_SUCCESS;
}

// Owns one reference.
template <typename T>
class Shared {
 public:
  explicit Shared(T* object) : object_(object) { retain(object_); }
  Shared(const Shared& other) : Shared(other.object_) {}
  Shared& operator=(const Shared&) = delete;
  ~Shared() { release(object_); }
  T* operator->() const { return object_; }
  [[nodiscard]] T* get() const { return object_; }

 private:
  T* object_;
};

struct Callback {
  void(CL_CALLBACK* function)(cl_event, cl_int, void*) = nullptr;
  void* data = nullptr;
  cl_int at = CL_COMPLETE;  // the state at which it is called
};

}  // namespace runahead::host_opencl

struct _cl_platform_id {
  const cl_icd_dispatch* table = runahead::host_opencl::dispatch();
};

struct _cl_device_id {
  const cl_icd_dispatch* table = runahead::host_opencl::dispatch();
  std::atomic<cl_int> lost{CL_SUCCESS};  // not CL_SUCCESS: every command fails with this error
};

struct _cl_context : runahead::host_opencl::Object {
  explicit _cl_context(cl_device_id its_device);
  const cl_device_id device;
};

struct _cl_mem : runahead::host_opencl::Object {
  _cl_mem(cl_context its_context, std::size_t bytes, void* host);
  ~_cl_mem();
  const runahead::host_opencl::Shared<_cl_context> context;
  std::vector<std::byte> own;  // empty: host memory of the program is used
  std::byte* const data;
};

struct _cl_program : runahead::host_opencl::Object {
  explicit _cl_program(cl_context its_context);
  const runahead::host_opencl::Shared<_cl_context> context;
};

struct _cl_kernel : runahead::host_opencl::Object {
  _cl_kernel(cl_program its_program, std::string its_name);
  const runahead::host_opencl::Shared<_cl_program> program;
  const std::string name;
  std::array<std::vector<std::byte>, 16> arguments;
};

// A mutex of the driver guards the members that are not const.
struct _cl_event : runahead::host_opencl::Object {
  explicit _cl_event(bool by_user);
  cl_int status;
  cl_ulong queued_ns = 0, submitted_ns = 0, start_ns = 0, end_ns = 0;
  std::vector<runahead::host_opencl::Callback> callbacks;
};

// A queue runs its commands one after the other, on a thread of its own.
struct _cl_command_queue : runahead::host_opencl::Object {
  struct Command {
    std::function<void()> work;  // empty: a command that no gate holds
    runahead::host_opencl::Shared<_cl_event> event;
    std::vector<runahead::host_opencl::Shared<_cl_event>> waits;
    cl_int breaks_with = CL_SUCCESS;
  };

  explicit _cl_command_queue(cl_context its_context);
  ~_cl_command_queue();  // runs what is queued
  // Adds a command. `event` may be null; else it gets the command's event, with a reference of its own.
  cl_int enqueue(std::function<void()> work, cl_uint waits_count, const cl_event* waits, cl_event* event);
  cl_int enqueue_copy(std::function<void()> work, cl_uint waits_count, const cl_event* waits,
                      cl_event* event) {
    has_copied = true;
    return enqueue(std::move(work), waits_count, waits, event);
  }
  cl_int finish();

  const runahead::host_opencl::Shared<_cl_context> context;
  std::atomic<bool> has_copied{false};  // it had a copy from the host, or to it

 private:
  void run();
  void execute(const Command& command, bool after_error) const;
  [[nodiscard]] cl_int error_of(const Command& command, bool after_error) const;

  std::deque<Command> commands_;  // the front one runs
  bool stopping_ = false;
  std::thread thread_;
};
