// CLBlast, simulated: a product computes nothing. The library counts the calls that overlap.
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstddef>
#include <thread>

#include "tests/host_opencl/host_opencl.h"

namespace {

runahead::host_opencl::HostClblastCounters& counters() {
  static runahead::host_opencl::HostClblastCounters only;
  return only;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int CLBlastSgemm(int, int, int, std::size_t, std::size_t, std::size_t,
                                                        float, cl_mem, std::size_t, std::size_t, cl_mem,
                                                        std::size_t, std::size_t, float, cl_mem, std::size_t,
                                                        std::size_t, cl_command_queue* queue,
                                                        cl_event* event) {
  ++counters().products;
  if (counters().inside++ != 0) ++counters().overlapping;
  for (int i = 0; i < 10; ++i) std::this_thread::yield();  // a call at the same time begins now
  const cl_int error = clEnqueueMarkerWithWaitList(*queue, 0, nullptr, event);
  --counters().inside;
  return error;
}

__attribute__((visibility("default"))) runahead::host_opencl::HostClblastCounters*
runahead_host_clblast_counters() {
  return &counters();
}
}
