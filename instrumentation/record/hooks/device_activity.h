// DeviceActivity: functions with which an engine informs the source of GPU activity (CUPTI). The engine
// states the op to which its next CUDA calls belong, and the names of its streams. All functions may also be
// called if no source runs. Then each call costs one load and the call of an empty function.
//
//   const DeviceActivity& activity = device_activity();
//   activity.push_op(raw(op));  ... launches ...  activity.pop_op();
//
// The members are plain C functions, so that the table can be passed to a module that is opened at run time.
#pragma once

#include <cstdint>

namespace runahead::record {

struct DeviceActivity {
  // Until pop_op(), CUDA calls of this thread and the work that they launch belong to this OpId. Pairs of
  // push_op() and pop_op() may be nested.
  void (*push_op)(std::uint64_t op);
  void (*pop_op)();
  // Names the track of this cudaStream_t (in the calling thread's current context). Call it before the
  // stream's first use. Copies the text.
  void (*name_stream)(void* stream, const char* name);
};

// Returns the table of the running source. If no source runs, returns a table of functions that do nothing.
// Any thread may call it.
[[nodiscard]] const DeviceActivity& device_activity() noexcept;
// The source calls this function. Null: no source runs. The table must live as long as the process.
void set_device_activity(const DeviceActivity* activity) noexcept;

}  // namespace runahead::record
