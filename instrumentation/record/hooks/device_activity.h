// What an engine tells the source of the GPU's activity, if there is one: which op the calls belong to that
// it makes next, and how its streams are called. All may be called whether or not a source runs; each costs
// one load and an empty call then.
//
//   const DeviceActivity& activity = device_activity();
//   activity.push_op(raw(op));  ... launches ...  activity.pop_op();
//
// Plain C functions, so that the table may be handed to a module that is opened at run time.
#pragma once

#include <cstdint>

namespace runahead::record {

struct DeviceActivity {
  // CUDA calls of this thread from here to pop_op() belong to that OpId, and so does what they launch. Nests.
  void (*push_op)(std::uint64_t op);
  void (*pop_op)();
  // The track of that cudaStream_t (in the calling thread's current context). Before its first use; copies
  // the text.
  void (*name_stream)(void* stream, const char* name);
};

// Of the source that runs now; one whose functions do nothing if none does. Any thread.
[[nodiscard]] const DeviceActivity& device_activity() noexcept;
// For the source. Null: none runs. The table lives as long as the process.
void set_device_activity(const DeviceActivity* activity) noexcept;

}  // namespace runahead::record
