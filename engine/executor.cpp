#include "engine/executor.h"

namespace runahead::engine {

Executor::Executor(Device& device, LeftTally& left, Ways ways)
    : device_(device),
      left_(left),
      modelled_(!device.runs_on_caller()),
      looks_ahead_(ways.looks_ahead),
      counts_memory_at_start_(ways.counts_memory_at_start),
      is_fed_(ways.is_fed),
      queue_track_(record::intern_track({.kind = trace::TrackKind::kCounter,
                                         .group = "Queue",
                                         .name = "run-ahead " + device.name(),
                                         .device = device.name(),
                                         .simulated = device.simulated(),
                                         .unit = trace::Unit::kCount,
                                         .role = trace::CounterRole::kRunAheadOps})) {}

}  // namespace runahead::engine
