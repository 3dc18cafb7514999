#include "instrumentation/predict/changes/change_loading.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "instrumentation/predict/changes/change_waits.h"

namespace runahead::predict {
namespace {

// The batch of a step: how long the frontend loaded it, and at which event first.
struct LoadedBatch {
  Duration time{};
  std::size_t event = 0;
};

// What is loaded before the first step belongs to it.
std::vector<LoadedBatch> batches_of(const Frontend& frontend) {
  std::vector<LoadedBatch> out;
  std::optional<LoadedBatch> batch;
  bool in_step = false;
  for (std::size_t i = 0; i < frontend.events.size(); ++i) {
    const Event& event = frontend.events[i];
    if (event.load > Duration{}) {
      if (!batch) batch = LoadedBatch{.event = i};
      batch->time = bounded(batch->time + event.load);
    }
    if (event.action != Action::kBeginStep) continue;
    if (in_step && batch) out.push_back(*std::exchange(batch, std::nullopt));
    in_step = true;
  }
  if (batch) out.push_back(*batch);
  return out;
}

// Moves the loading of the batches from the frontend to a new one, which is returned.
Frontend take_loading(Frontend& frontend, const std::vector<LoadedBatch>& batches, std::uint32_t& signals) {
  Frontend loader{.name = loader_of(frontend), .events = {}};
  loader.begin = frontend.begin;
  std::vector<Event> out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < frontend.events.size(); ++i) {
    if (next < batches.size() && batches[next].event == i) {
      const std::uint32_t ready = signals++, taken = signals++;
      out.push_back({.action = Action::kAwait, .target = ready});
      out.push_back({.action = Action::kSignal, .target = taken});
      // The event keeps its slow start. These are not slow too.
      for (Event& added : std::span(out).last(2)) added.after_sleep = frontend.events[i].after_sleep;
      loader.events.push_back({.before = batches[next].time, .action = Action::kSignal, .target = ready});
      loader.events.push_back({.action = Action::kAwait, .target = taken});
      ++next;
    }
    Event event = frontend.events[i];
    event.before = bounded(event.before - std::exchange(event.load, Duration{}));
    event.slow_start = std::min(event.slow_start, event.before);
    out.push_back(event);
  }
  frontend.events = std::move(out);
  return loader;
}

}  // namespace

Status load_ahead(const Change& change, Program& program) {
  if (change.value != "ahead") return wrong_change(change, "the value must be ahead");
  std::vector<Frontend> loaders;
  for (Frontend& frontend : program.frontends) {
    const std::vector<LoadedBatch> batches = batches_of(frontend);
    if (batches.size() >= 2) loaders.push_back(take_loading(frontend, batches, program.signals));
  }
  if (loaders.empty())
    return wrong_change(
        change,
        "no thread of the run loads data in two or more steps, as far as the names of its slices say");
  for (Frontend& loader : loaders) program.frontends.push_back(std::move(loader));
  return Ok{};
}

}  // namespace runahead::predict
