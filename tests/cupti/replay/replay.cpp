#include "tests/cupti/replay/replay.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/cupti/source.h"
#include "instrumentation/cupti/translate.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/record/hooks/recorder_state.h"
#include "tests/cupti/fake_cupti.h"
#include "tests/record/capture.h"

namespace runahead::testing {
namespace {

constexpr std::int64_t kStartNs = 1'000'000;  // the profile begins this time after the recording

// The clock that the module gets instead of the machine's: the time of the replay.
std::atomic<std::int64_t> replay_clock_ns{0};

// The module, but with the clock of the replay.
const RunaheadCuptiModule& with_replay_clock(const RunaheadCuptiModule& real) {
  static const RunaheadCuptiModule* original = nullptr;
  static RunaheadCuptiModule changed;
  original = &real;
  changed = real;
  changed.start = [](const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options,
                     RunaheadCuptiStatus* out) {
    RunaheadCuptiOptions with_clock = *options;
    with_clock.now_ns = [] { return static_cast<std::uint64_t>(replay_clock_ns.load()); };
    return original->start(sink, &with_clock, out);
  };
  return changed;
}

std::int64_t origin_ns(Capture& capture) {
  return TickClock::get().ns_from_ticks(capture.recorder.state().current_session().origin_ticks);
}

std::vector<bool> recorded_calls(const Profile& profile) {
  std::vector<bool> recorded;
  for (const ProfiledCall& call : profile.calls) {
    const CallNumber number = number_of_call(call);
    recorded.push_back(fake_cupti::records_call(number.domain, number.cbid));
  }
  return recorded;
}

// Runs the source until CUPTI has given all records.
Status run_source(const RunaheadCuptiModule& module, const Profile& profile, FillOrder order,
                  std::size_t buffer_bytes, const std::function<void(std::vector<Activity>&)>& change,
                  Capture& capture, Replayed& out) {
  const std::int64_t base_ns = origin_ns(capture) + kStartNs;
  replay_clock_ns = base_ns;
  cupti::SourceOptions options;
  options.flush_period = std::chrono::milliseconds(1);
  options.buffer_bytes = std::size_t{4} << 20;
  options.most_bytes = std::size_t{1} << 40;
  fake_cupti::reset();
  auto source = cupti::Source::start(capture.recorder, with_replay_clock(module), options);
  if (!source) return source.error();
  out.recorded = recorded_calls(profile);
  std::vector<Activity> activities = make_activities(profile, base_ns + cupti::kClockShiftNs, out.recorded);
  if (change) change(activities);
  out.records = activities.size();
  std::atomic<bool> done{false};
  fake_cupti::set_producer(
      [&, filler = std::make_shared<BufferFiller>(std::move(activities), order, buffer_bytes)] {
        if (done.load()) return;
        filler->step([&](std::int64_t ns) { replay_clock_ns = base_ns + ns; });
        done = filler->done();
      });
  while (!done.load()) capture.settle();
  (*source)->stop();
  fake_cupti::set_producer(nullptr);
  capture.settle();
  return Ok{};
}

}  // namespace

Result<Replayed> replay(const Profile& profile, FillOrder order, std::size_t buffer_bytes,
                        const std::filesystem::path& file,
                        const std::function<void(std::vector<Activity>&)>& change) {
  const Result<const RunaheadCuptiModule*> module = cupti::find_module();
  if (!module) return module.error();
  Replayed out{.shift_ns = kStartNs};
  Capture capture;
  if (Status started = capture.collector->start_file(file, {}); !started) return started.error();
  if (Status ran = run_source(**module, profile, order, buffer_bytes, change, capture, out); !ran)
    return ran.error();
  if (Status stopped = capture.collector->stop_file(); !stopped) return stopped.error();
  Result<trace::Trace> trace = importers::load_checked(file);
  if (!trace) return trace.error();
  out.trace = std::move(*trace);
  return out;
}

}  // namespace runahead::testing
