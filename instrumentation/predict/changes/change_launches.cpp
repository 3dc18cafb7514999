#include "instrumentation/predict/changes/change_launches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/median.h"
#include "instrumentation/predict/changes/change_waits.h"

namespace runahead::predict {
namespace {

class GraphMaker {
 public:
  GraphMaker(const Change& change, Program& program) : change_(change), program_(program) {}
  Status run();

 private:
  // The ops [first, last) of a step.
  struct Step {
    OpIndex first = 0, last = 0;
  };
  // Where a frontend launches the ops of a step: the first and the last of these events.
  struct Section {
    std::size_t first = 0, last = 0;
    OpIndex last_op = 0;
  };
  using Sections = std::map<std::size_t, Section>;  // of a frontend, by step

  void find_steps();
  void find_sections();
  void find_signals();
  [[nodiscard]] std::optional<std::size_t> step_of(const Event& event) const;
  [[nodiscard]] Status check_launches() const;
  [[nodiscard]] Status check_waits(std::size_t frontend) const;
  [[nodiscard]] bool is_inside(std::size_t frontend, std::size_t event, std::size_t step,
                               const std::vector<std::size_t>& reached) const;
  [[nodiscard]] Error wait_inside(const Event& event) const;
  // True for the wait of a launch, such as for a place in the full queue.
  [[nodiscard]] bool is_of_launch(const Event& event) const {
    return event.action == Action::kWaitSet && event.target < program_.recorded_waits.size() &&
           causes::is_launch(program_.recorded_waits[event.target].role);
  }
  void join_launches(std::size_t frontend);
  void add_graph(std::vector<Event>& out, const Event& first, const Step& step) const;
  void set_delays();

  const Change& change_;
  Program& program_;
  std::vector<Step> steps_;
  std::vector<Sections> sections_;                            // of each frontend
  std::vector<std::pair<std::size_t, std::size_t>> signals_;  // of each: its frontend and event
};

void GraphMaker::find_steps() {
  for (const Frontend& frontend : program_.frontends) {
    OpIndex first = 0;
    for (const Event& event : frontend.events) {
      if (event.action == Action::kBeginStep) first = event.target;
      if (event.action == Action::kEndStep && first < event.target && event.target != kNone)
        steps_.push_back({first, event.target});
    }
  }
  std::ranges::sort(steps_, {}, &Step::first);
}

std::optional<std::size_t> GraphMaker::step_of(const Event& event) const {
  if (event.action != Action::kEnqueue) return std::nullopt;
  const auto after = std::ranges::upper_bound(steps_, event.target, {}, &Step::first);
  if (after == steps_.begin() || event.target >= std::prev(after)->last) return std::nullopt;
  return static_cast<std::size_t>(std::prev(after) - steps_.begin());
}

void GraphMaker::find_sections() {
  for (const Frontend& frontend : program_.frontends) {
    Sections& sections = sections_.emplace_back();
    for (std::size_t i = 0; i < frontend.events.size(); ++i) {
      const auto step = step_of(frontend.events[i]);
      if (!step) continue;
      Section& section = sections.try_emplace(*step, Section{.first = i}).first->second;
      section.last = i;
      section.last_op = std::max(section.last_op, frontend.events[i].target);
    }
  }
}

void GraphMaker::find_signals() {
  signals_.resize(program_.signals);
  for (std::size_t f = 0; f < program_.frontends.size(); ++f) {
    const std::vector<Event>& events = program_.frontends[f].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].action == Action::kSignal) signals_[events[i].target] = {f, i};
    }
  }
}

Status GraphMaker::check_launches() const {
  if (std::ranges::none_of(steps_, [](const Step& step) { return step.last - step.first > 1; }))
    return wrong_change(change_, "no step launches more than one kernel or copy");
  for (std::size_t f = 0; f < program_.frontends.size(); ++f) {
    if (program_.frontends[f].name == kLaunchedElsewhere && !sections_[f].empty())
      return wrong_change(change_,
                          "the trace does not say when some of the kernels in its steps were launched");
  }
  return Ok{};
}

Error GraphMaker::wait_inside(const Event& event) const {
  const std::uint32_t place = program_.recorded_waits[event.target].place;
  const SyncPlace at = place == kNone ? SyncPlace{"a call", ""} : program_.sync_places[place];
  const std::string name = at.call + "@" + at.place;
  return wrong_change(change_, "a graph cannot contain the wait " + name +
                                   " between two launches of a step; also give --change 'sync:" + name +
                                   "=drop'");
}

// True if the event of the frontend, which comes after its first launch of the step, comes before the last
// launch of the step. `reached`: of each frontend, the event for which this one has waited.
bool GraphMaker::is_inside(std::size_t frontend, std::size_t event, std::size_t step,
                           const std::vector<std::size_t>& reached) const {
  const Section& own = sections_[frontend].at(step);
  if (event < own.last) return true;
  for (std::size_t other = 0; other < sections_.size(); ++other) {
    const auto section = sections_[other].find(step);
    if (other == frontend || section == sections_[other].end()) continue;
    if (section->second.last_op > own.last_op && reached[other] < section->second.last) return true;
  }
  return false;
}

Status GraphMaker::check_waits(std::size_t frontend) const {
  const std::vector<Event>& events = program_.frontends[frontend].events;
  std::vector<std::size_t> reached(program_.frontends.size());
  std::optional<std::size_t> launching;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (const auto step = step_of(event)) launching = step;
    if (event.action == Action::kEndStep) launching.reset();
    if (event.action == Action::kAwait) {
      const auto [other, at] = signals_[event.target];
      reached[other] = std::max(reached[other], at);
    }
    const bool waits = event.action == Action::kWaitSet && !is_left_out(event, program_.settings);
    if (waits && launching && !is_of_launch(event) && is_inside(frontend, i, *launching, reached))
      return wait_inside(event);
  }
  return Ok{};
}

void GraphMaker::add_graph(std::vector<Event>& out, const Event& first, const Step& step) const {
  out.push_back(first);
  for (OpIndex op = step.first; op < step.last; ++op) {
    if (op != first.target) out.push_back({.action = Action::kEnqueue, .target = op});
  }
}

void GraphMaker::join_launches(std::size_t frontend) {
  std::vector<Event>& events = program_.frontends[frontend].events;
  std::vector<Event> out;
  Duration own{};
  const Section* inside = nullptr;
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event event = events[i];
    const auto step = step_of(event);
    if (inside != nullptr && i > inside->last) inside = nullptr;
    const bool begins = step && inside == nullptr;
    if (inside != nullptr) event.before = event.own_cost = Duration{};
    event.before += std::exchange(own, Duration{});
    const bool goes = inside != nullptr && is_of_launch(event);
    if (begins) inside = &sections_[frontend].at(*step);
    if (goes) {
      own = event.before;
    } else if (!step) {
      out.push_back(event);
    } else if (event.target == steps_[*step].first) {
      add_graph(out, event, steps_[*step]);
    } else {
      own = event.before;
    }
  }
  events = std::move(out);
}

void GraphMaker::set_delays() {
  const Lists& before = program_.predecessors;
  std::vector<Duration> gaps;
  for (OpIndex op = 0; op < program_.ops.size(); ++op) {
    if (!before.of(op).empty()) gaps.push_back(program_.ops[op].ready_delay);
  }
  const Duration gap = gaps.empty() ? kGraphGap : std::min(kGraphGap, median(gaps));
  for (const Step& step : steps_) {
    const Duration latency = program_.ops[step.first].enqueue_delay;
    for (OpIndex op = step.first; op < step.last; ++op) {
      Op& row = program_.ops[op];
      row.enqueue_delay = latency;
      if (std::ranges::any_of(before.of(op), [&](OpIndex on) { return on >= step.first; }))
        row.ready_delay = std::min(row.ready_delay, gap);
    }
  }
}

Status GraphMaker::run() {
  find_steps();
  find_sections();
  find_signals();
  if (Status status = check_launches(); !status) return status;
  for (std::size_t f = 0; f < program_.frontends.size(); ++f) {
    if (Status status = check_waits(f); !status) return status;
  }
  for (std::size_t f = 0; f < program_.frontends.size(); ++f) join_launches(f);
  set_delays();
  return Ok{};
}

}  // namespace

Status launch_as_graph(const Change& change, Program& program) {
  if (change.value != "1") return wrong_change(change, "the value must be 1");
  const Settings& settings = program.settings;
  if (!settings.of_graph) return wrong_change(change, "this can be changed only in a trace of another tool");
  if (settings.limit_ops > 0 || settings.barrier.kind == BarrierKind::kOps)
    return wrong_change(change, "a graph is one launch: the ops in flight cannot be limited");
  if (Status status = GraphMaker(change, program).run(); !status) return status;
  program.notes.emplace_back(
      "graph=1 assumes that the kernels of a step have the same shapes and addresses in each step, and that "
      "a "
      "graph is launched as fast as a kernel");
  return Ok{};
}

}  // namespace runahead::predict
