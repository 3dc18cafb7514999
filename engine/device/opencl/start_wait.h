// Waits until a command begins. Internal to the OpenCL module.
#pragma once

#include "engine/device/opencl/handles.h"

namespace runahead::engine::opencl {

// Blocks this thread until the driver says that the command runs or has ended. OpenCL can wait only for the
// end of a command, but it calls back when a command begins. A driver may make no call for a command that
// fails (PoCL 3.1), so the command's state is also read every 10 ms. It may return early if the driver does
// not tell the state: ask query_event() afterwards. REQUIRES: the command's queue was flushed, as by
// Stream::end_point(). Any thread.
void wait_for_start(cl_event command);

}  // namespace runahead::engine::opencl
