// Runs workloads on virtual devices, and exports each recording as PyTorch's profiler would have recorded
// it: launches, kernels, copies and calls, without ops, dependencies and what a wait waited for. What the
// layer `causes` infers from the imported file is compared with what the engine knows (EngineTruth).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/causes/critical_path.h"
#include "instrumentation/causes/idle_time.h"
#include "instrumentation/causes/steps.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/predict/prediction.h"
#include "tests/samples/run_support.h"
#include "tests/session/engine_truth.h"
#include "tests/support/between_checks.h"
#include "tests/support/kineto_writer.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::gui {
namespace {

using causes::IdleCause;
using causes::IdleParts;
using testing::EngineTruth;
using trace::Trace;

// ns that were compared, and ns of them that agree.
struct Agreement {
  double all = 0, same = 0;
  void add(Duration time, Duration agreed) {
    all += static_cast<double>(time.count());
    same += static_cast<double>(agreed.count());
  }
  void add(const Agreement& other) {
    all += other.all;
    same += other.same;
  }
  [[nodiscard]] double ratio() const { return all == 0 ? 1 : same / all; }
};

struct Agreements {
  Agreement awaited, part, idle, path_class, path_work;
  std::string worst_wait;  // the longest wait of which another op was inferred
  Duration worst{};
  void note_wrong(const std::string& what, TimeRange wait) {
    if (wait.duration() <= worst) return;
    worst = wait.duration();
    worst_wait = what + ", ns: " + std::to_string(wait.duration().count());
  }
  void add(const Agreements& other) {
    if (other.worst > worst) {
      worst = other.worst;
      worst_wait = other.worst_wait;
    }
    awaited.add(other.awaited);
    part.add(other.part);
    idle.add(other.idle);
    path_class.add(other.path_class);
    path_work.add(other.path_work);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [name, agreement] :
         {std::pair{"awaited", awaited}, std::pair{"part", part}, std::pair{"idle", idle},
          std::pair{"path", path_class}, std::pair{"path work", path_work}}) {
      std::array<char, 80> line{};
      std::snprintf(line.data(), line.size(), "  %s %.2f %% of %.3g ms", name, 100 * agreement.ratio(),
                    agreement.all / 1e6);
      out += line.data();
    }
    if (!worst_wait.empty()) out += "; worst wait: " + worst_wait;
    return out;
  }
};

Trace imported(const Trace& from, const testing::KinetoOptions& options) {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "trace.json", testing::kineto_json(from, options));
  Result<Trace> loaded = importers::load_any(folder / "trace.json");
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
  return std::move(loaded).value();
}

// Compares one run. Times of the imported trace plus `shift` are those of the recording.
class Comparison {
 public:
  // has_sync_records: the trace says for which event a wait was.
  Comparison(const EngineTruth& truth, const causes::Execution& inferred, bool has_sync_records)
      : truth_(truth), inferred_(inferred), has_sync_records_(has_sync_records) {}

  // Checks that the imported work has the times of the recording, to the nanosecond.
  bool find_shift() {
    for (const causes::Work& work : inferred_.works()) {
      const auto ran = truth_.ran(work.correlation);
      if (!ran) return false;
      if (&work == inferred_.works().data()) shift_ = ran->begin - work.begin;
      if (work.begin + shift_ != ran->begin || work.end + shift_ != ran->end) return false;
    }
    return true;
  }

  Agreements run() const {
    Agreements sum;
    const auto all = causes::find_synchronisations(inferred_);
    compare_waits(all, sum);
    const causes::Steps steps = causes::find_steps(inferred_);
    const causes::IdleTimes idle(inferred_, steps);
    const TimeRange range = whole_run();
    for (causes::DeviceIndex at = 0; at < inferred_.devices().size(); ++at)
      compare_gaps(idle.of_device(at, range, inferred_.works().size() + 1), sum.idle);
    compare_paths(causes::critical_path(inferred_, all, steps, range), sum);
    return sum;
  }

 private:
  [[nodiscard]] std::int64_t op_of(causes::WorkIndex work) const {
    return work == causes::kNone ? 0 : inferred_.works()[work].correlation;
  }
  // From the first launch to the end of the last work.
  [[nodiscard]] TimeRange whole_run() const {
    TimeRange range{Timestamp::max(), Timestamp::min()};
    for (const causes::Work& work : inferred_.works()) {
      range.begin = std::min(range.begin, work.launched);
      range.end = std::max(range.end, work.end);
    }
    return range;
  }
  static std::int64_t number(OpId op) { return static_cast<std::int64_t>(op_number(op)); }

  // Of ops that ended at the same nanosecond, a wait for all ops waited for each.
  [[nodiscard]] bool awaits(const EngineTruth::Wait& wait, std::int64_t op) const {
    if (op == number(wait.awaited)) return true;
    const auto ran = truth_.ran(op), known = truth_.ran(number(wait.awaited));
    return wait.for_all && ran && known && ran->end == known->end;
  }

  // The waiting thread was not scheduled for so long that a later op ended before the call returned. Only a
  // record says for which of the two the wait was.
  [[nodiscard]] bool woke_too_late(const EngineTruth::Wait& wait, std::int64_t inferred) const {
    constexpr Duration kLate{500'000};
    const auto known = truth_.ran(number(wait.awaited)), later = truth_.ran(inferred);
    return known && later && wait.range.end - known->end > kLate && later->end > known->end &&
           later->end <= wait.range.end;
  }
  // When an op ended, in ns from the beginning of the wait.
  [[nodiscard]] std::string describe(const EngineTruth::Wait& wait, std::int64_t inferred) const {
    const auto ended = [&](std::int64_t op) {
      const auto ran = truth_.ran(op);
      if (!ran) return std::string("none");
      return std::to_string(op) + " ended at " + std::to_string((ran->end - wait.range.begin).count());
    };
    return "op " + ended(number(wait.awaited)) + ", inferred " + ended(inferred);
  }
  void compare_waits(const std::vector<causes::Synchronisation>& all, Agreements& sum) const {
    std::map<std::pair<Timestamp, Timestamp>, const causes::Synchronisation*> found;
    Duration inferred_time{}, matched_time{};
    for (const causes::Synchronisation& sync : all) {
      const causes::HostCall& call = inferred_.calls()[sync.call];
      found[{call.begin + shift_, call.end + shift_}] = &sync;
      inferred_time += call.end - call.begin;
    }
    for (const EngineTruth::Wait& wait : truth_.waits()) {
      const Duration blocked = wait.range.duration();
      const auto at = found.find({wait.range.begin, wait.range.end});
      if (at == found.end()) {
        sum.note_wrong("not found", wait.range);
        sum.awaited.add(blocked, {});
        sum.part.add(blocked, {});
        continue;
      }
      matched_time += blocked;
      const bool same = awaits(wait, op_of(at->second->awaited));
      if (!same && !has_sync_records_ && woke_too_late(wait, op_of(at->second->awaited))) continue;
      if (!same) sum.note_wrong(describe(wait, op_of(at->second->awaited)), wait.range);
      sum.awaited.add(blocked, same ? blocked : Duration{});
      Duration agreed{};
      for (std::size_t i = 0; i < causes::kSyncPartCount; ++i)
        agreed += std::min(at->second->parts.times[i], wait.parts.times[i]);
      sum.part.add(blocked, agreed);
    }
    // calls that are taken for waits and are none
    sum.awaited.add(inferred_time - matched_time, {});
    sum.part.add(inferred_time - matched_time, {});
  }

  // Of the host's time, the engine tells apart waits, enqueues and the rest.
  static IdleParts merged(IdleParts parts) {
    for (const IdleCause cause :
         {IdleCause::kDataLoading, IdleCause::kOperator, IdleCause::kPython, IdleCause::kAllocation}) {
      parts.of(IdleCause::kHost) += parts.of(cause);
      parts.of(cause) = {};
    }
    return parts;
  }
  void compare_gaps(const causes::IdleReport& report, Agreement& sum) const {
    for (const causes::IdleGap& gap : report.gaps) {
      if (gap.next == causes::kNone) continue;  // no op ended it, so the engine knows no cause
      const TimeRange range{gap.range.begin + shift_, gap.range.end + shift_};
      const IdleParts known = truth_.idle_before(op_of(gap.next), range);
      const IdleParts parts = merged(gap.parts);
      Duration agreed{};
      for (std::size_t i = 0; i < causes::kIdleCauseCount; ++i)
        agreed += std::min(parts.times[i], known.times[i]);
      sum.add(range.duration(), agreed);
    }
  }

  void compare_paths(const causes::CriticalPath& path, Agreements& sum) const {
    const auto known = truth_.critical_path({path.range.begin + shift_, path.range.end + shift_});
    auto at = known.begin();
    for (const causes::PathSegment& segment : path.segments) {
      const TimeRange range{segment.range.begin + shift_, segment.range.end + shift_};
      Duration same_class{}, same_work{};
      while (at != known.end() && at->range.end <= range.begin) ++at;
      for (auto other = at; other != known.end() && other->range.begin < range.end; ++other) {
        const Duration both =
            std::min(other->range.end, range.end) - std::max(other->range.begin, range.begin);
        if (other->path_class != segment.path_class) continue;
        same_class += both;
        if (number(other->op) == op_of(segment.work)) same_work += both;
      }
      sum.path_class.add(range.duration(), same_class);
      if (segment.work != causes::kNone) sum.path_work.add(range.duration(), same_work);
    }
  }

  const EngineTruth& truth_;
  const causes::Execution& inferred_;
  const bool has_sync_records_;
  Duration shift_{};
};

Agreements compare(const Trace& recording, const EngineTruth& truth, const testing::KinetoOptions& options) {
  const Trace other = imported(recording, options);
  const causes::Execution inferred(other);
  Comparison comparison(truth, inferred, options.sync_records);
  EXPECT_TRUE(comparison.find_shift());
  // The imported trace can also be replayed (docs/predict.md).
  const Result<predict::Replay> replay = predict::Replay::of(other);
  EXPECT_LE(replay.ok() ? replay->drift() : 1, 0.01);
  return comparison.run();
}

void run_completely(Session& session, const samples::RunConfig& config) {
  const auto error = session.start(config);
  ASSERT_FALSE(error) << error->error.message;
  while (session.live()) {
    if (!session.poll()) between_checks();
  }
  session.settle();
}

struct ComparedRun {
  std::string workload;
  std::vector<std::string> devices;
};
// Every workload on one virtual device. Two of those that copy between devices also on two. With a sanitizer
// only a part of them, another one for each barrier.
std::vector<ComparedRun> compared_runs(std::size_t barrier) {
  std::vector<ComparedRun> runs;
  for (const samples::WorkloadSpec* spec : samples::list_workloads())
    runs.push_back({spec->name, {"virtual:0"}});
  for (const char* workload : {"hidden_waits", "data_parallel"})
    runs.push_back({workload, {"virtual:0", "virtual:1"}});
  std::vector<ComparedRun> part;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % testing::kOneRoundOf == barrier % testing::kOneRoundOf) part.push_back(runs[i]);
  }
  return part;
}

samples::RunConfig config_of_run(const ComparedRun& of, const std::string& barrier) {
  samples::RunConfig config{.workload = of.workload, .devices = of.devices};
  config.barrier = *parse_barrier(barrier);
  config.settings["steps"] = "4";
  if (of.workload == "increment") config.settings["iterations"] = "100";
  if (of.workload == "barriers") config.settings["extent"] = "200";
  return config;
}

void expect_agreement(const Agreements& sum) {
  if (testing::kOneRoundOf == 1) {  // there was something to compare
    for (const Agreement* agreement : {&sum.awaited, &sum.part, &sum.path_class, &sum.path_work})
      EXPECT_GT(agreement->all, 1e8) << sum.text();
    EXPECT_GT(sum.idle.all, 2e7) << sum.text();
  }
  EXPECT_GE(sum.awaited.ratio(), 0.99) << sum.text();
  EXPECT_GE(sum.part.ratio(), 0.99) << sum.text();
  EXPECT_GE(sum.idle.ratio(), 0.98) << sum.text();
  EXPECT_GE(sum.path_class.ratio(), 0.98) << sum.text();
  EXPECT_GE(sum.path_work.ratio(), 0.98) << sum.text();
}

constexpr std::array kBarriers{"none", "waitall", "item"};

class InferredCauses : public ::testing::TestWithParam<std::size_t> {};  // index into kBarriers

TEST_P(InferredCauses, OfRunsAreThoseThatTheEngineKnows) {
  const std::string barrier = kBarriers[GetParam()];
  Agreements from_calls, from_records, without_events;
  for (const ComparedRun& of : compared_runs(GetParam())) {
    SCOPED_TRACE(of.workload + " with barrier " + barrier);
    Session session;
    ::testing::internal::CaptureStderr();  // what the workloads print
    run_completely(session, config_of_run(of, barrier));
    (void)::testing::internal::GetCapturedStderr();
    const EngineTruth truth(session.trace());
    const std::string name = of.workload + "_" + std::to_string(of.devices.size());
    const Agreements calls = compare(session.trace(), truth, {});
    const Agreements records = compare(session.trace(), truth, {.sync_records = true});
    without_events.add(compare(session.trace(), truth, {.event_records = false}));
    RecordProperty(name + "_calls", calls.text());
    RecordProperty(name + "_records", records.text());
    from_calls.add(calls);
    from_records.add(records);
  }
  RecordProperty("all_calls", from_calls.text());
  RecordProperty("all_records", from_records.text());
  RecordProperty("all_without_events", without_events.text());
  expect_agreement(from_calls);
  expect_agreement(from_records);
  if (testing::kOneRoundOf > 1) return;
  // The comparison sees what the export leaves out.
  EXPECT_LT(without_events.part.ratio(), from_calls.part.ratio());
  EXPECT_GE(without_events.part.ratio(), 0.9) << without_events.text();
}

// One case for each barrier, so that they run beside each other.
INSTANTIATE_TEST_SUITE_P(Barriers, InferredCauses, ::testing::Range(std::size_t{0}, kBarriers.size()),
                         [](const auto& barrier) { return std::string(kBarriers[barrier.param]); });

}  // namespace
}  // namespace runahead::gui
