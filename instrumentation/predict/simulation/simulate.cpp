#include "instrumentation/predict/simulation/simulate.h"

#include <utility>

#include "instrumentation/base/wrapping.h"
#include "instrumentation/predict/simulation/agenda.h"
#include "instrumentation/predict/simulation/simulated_frontends.h"
#include "instrumentation/predict/simulation/simulated_memory.h"
#include "instrumentation/predict/simulation/simulated_queues.h"

namespace runahead::predict {
namespace {

// The frontends enqueue ops. The queues run them, and the memory has their blocks.
class Simulation {
 public:
  Simulation(const Program& program, const SimulateOptions& options)
      : memory_(program, agenda_, options.keep_times, out_),
        queues_(program, options, agenda_, memory_, out_),
        frontends_(program, options, agenda_, memory_, queues_, out_) {}
  Outcome run();

 private:
  void perform(const Due& due);

  Agenda agenda_;
  Outcome out_;
  SimulatedMemory memory_;
  SimulatedQueues queues_;
  SimulatedFrontends frontends_;
};

Outcome Simulation::run() {
  frontends_.begin();
  while (!agenda_.due.empty() && agenda_.due.top().at < kEndOfTime) {
    const Due due = agenda_.due.top();
    agenda_.due.pop();
    agenda_.now = due.at;
    perform(due);
  }
  out_.stuck = !agenda_.due.empty();
  frontends_.finish();
  out_.settled_peak_bytes = memory_.settled_peak();
  return std::move(out_);
}

void Simulation::perform(const Due& due) {
  switch (due.kind) {
    case DueKind::kPart:
      return memory_.begin_part(due.index);
    case DueKind::kOpAllocates:
      return memory_.allocate_first(due.index);
    case DueKind::kOpEnds:  // first the memory is free, then other ops begin
      if (queues_.delay_if_late(due)) return;
      memory_.end_op(due.index);
      queues_.end(due.index);
      return queues_.go_on(due, frontends_.end_op(due.index));
    case DueKind::kOpLearned:
      (void)frontends_.learn_of(due.index);
      return;
    case DueKind::kOpReady:
      return queues_.make_ready(due.index);
    case DueKind::kFrontend:
      return frontends_.resume(due.index);
  }
}

}  // namespace

double Outcome::steps_per_s() const { return rate_of(steps, steps_time); }
double Outcome::blocked_ratio() const { return share_of(blocked, steps_time); }

std::int64_t Outcome::total_peak_bytes() const {
  std::int64_t sum = 0;
  for (const std::int64_t bytes : peak_bytes) sum = wrapping_sum(sum, bytes);
  return sum;
}

Outcome simulate(const Program& program, const SimulateOptions& options) {
  return Simulation(program, options).run();
}

}  // namespace runahead::predict
