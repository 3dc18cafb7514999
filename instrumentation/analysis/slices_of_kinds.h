// The kinds of slices that are work of a device, and the function that reads slices of some kinds.
#pragma once

#include "instrumentation/trace/each_of_kinds.h"

namespace runahead::analysis {

inline constexpr trace::SliceKinds kCopyKinds = trace::kinds_of(trace::SliceKind::kCopyToDevice) |
                                                trace::kinds_of(trace::SliceKind::kCopyToHost) |
                                                trace::kinds_of(trace::SliceKind::kCopyOnDevice);

// The work of a device. Slices of other kinds on the track of a device, such as the annotations of PyTorch's
// profiler, are no work.
inline constexpr trace::SliceKinds kDeviceWork = trace::kinds_of(trace::SliceKind::kExecute) | kCopyKinds;

using trace::each_of_kinds;

}  // namespace runahead::analysis
