#include "engine/executor.h"

namespace runahead::engine {

Executor::Executor(Device& device)
    : device_(device),
      modelled_(!device.runs_on_caller()),
      queue_track_(record::intern_track({.kind = trace::TrackKind::kCounter,
                                         .group = "Queue",
                                         .name = "run-ahead " + device.name(),
                                         .device = device.name(),
                                         .simulated = device.simulated(),
                                         .unit = trace::Unit::kCount,
                                         .role = trace::CounterRole::kRunAheadOps})) {}

}  // namespace runahead::engine
