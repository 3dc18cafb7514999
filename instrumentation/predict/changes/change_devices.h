// The changes of the devices of a run. For apply() (change.h).
#pragma once

#include "instrumentation/base/result.h"
#include "instrumentation/predict/changes/change.h"
#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// streams=N, in recordings of our engine: each device has N streams that compute. A ready op goes to a stream
// that is idle. The prediction is an upper bound, since ops that run at the same time share the device, and
// the model runs each as fast as alone. Error: the trace is of another tool (which does not say what the
// kernels of a stream depend on), or no device has a stream.
[[nodiscard]] Status set_streams(const Change& change, Program& program);

// device=+N, in recordings of our engine: N more devices for each one, with the same streams. A ready op goes
// to one that is idle. For ops that compute, this is the same as (N + 1) times the streams; there are also
// more streams for copies. An upper bound: nothing has to be copied between the devices. Errors as above.
[[nodiscard]] Status add_devices(const Change& change, Program& program);

}  // namespace runahead::predict
