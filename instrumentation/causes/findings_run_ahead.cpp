// Findings about run-ahead: the host could have launched work before the device needed it, and waited
// instead.
#include <algorithm>
#include <map>
#include <utility>

#include "instrumentation/base/format.h"
#include "instrumentation/causes/call_place.h"
#include "instrumentation/causes/finding_rules.h"

namespace runahead::causes {
namespace {

constexpr std::uint64_t kFewestLaunches = 20;
constexpr std::uint64_t kFewestWaits = 3;
// To wait for less than this costs more than the work: a wake-up takes several microseconds.
constexpr Duration kTinyWork = std::chrono::microseconds(10);
// A smaller cost is not worth a sentence here: sync_in_every_step names the same calls.
constexpr double kSomeTime = 0.01;

class RunAheadRules {
 public:
  explicit RunAheadRules(const FindingInput& input) : in_(input), execution_(*input.execution) {}

  std::vector<Finding> run() {
    count_launches();
    count_waits();
    emptied_queue();
    for (const auto& [key, place] : places_) {
      if (&place != named_) needless_waits(place);
    }
    return std::move(out_);
  }

 private:
  // The explicit synchronisations with one name, at one place.
  struct Place {
    std::string call, where;
    Finding finding;             // the longest case; its cost is unused
    std::uint64_t emptied = 0;   // the device was idle until the host launched more
    std::uint64_t ended = 0;     // everything had ended before the call
    std::uint64_t tiny = 0;      // waited for a single short piece of work
    Duration blocked{}, idle{};  // of all calls
  };

  // A launch finds an empty queue if the work before it on its stream had ended. The nodes of a graph have
  // one launch.
  void count_launches() {
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
      const std::span<const Work> works = execution_.works_of(at);
      for (std::size_t i = 0; i < works.size(); ++i) {
        const Work& work = works[i];
        if (work.kind != trace::SliceKind::kExecute || !work.is_launched()) continue;
        if (!in_.range.contains(work.launched)) continue;
        if (i > 0 && works[i - 1].launched == work.launched) continue;
        ++launches_;
        empty_ += i == 0 || works[i - 1].end <= work.launched ? 1 : 0;
      }
    }
  }

  void count_waits() {
    for (const Synchronisation& sync : *in_.synchronisations) {
      const HostCall& call = execution_.calls()[sync.call];
      if (is_launch(call.role) || !begins_in(in_.range, call)) continue;
      const CallPlace where = place_of(execution_.trace(), call);
      if (needs_a_value(sync, call, where)) {
        emptied_for_a_value_ += sync.idle_after > Duration{} ? 1 : 0;
        continue;
      }
      Place& place = places_[{call.name, where.text()}];
      place.call = execution_.trace().string(call.name);
      place.where = where.text();
      add_case(place.finding, call, Duration{});
      place.emptied += sync.idle_after > Duration{} ? 1 : 0;
      place.ended += sync.parts.of(SyncPart::kFinished) == sync.parts.total() ? 1 : 0;
      place.tiny += waits_for_tiny_work(sync) ? 1 : 0;
      place.blocked += sync.parts.total();
      place.idle += sync.idle_after;
    }
  }

  // The host used what it waited for: an operator such as aten::item made the call, the call or the awaited
  // work copied to the host, or the call waited for memory.
  [[nodiscard]] bool needs_a_value(const Synchronisation& sync, const HostCall& call,
                                   const CallPlace& where) const {
    if (!is_synchronisation(call.role) || !where.op.empty()) return true;
    const std::string_view name = execution_.trace().string(call.name);
    if (std::ranges::any_of(kReads, [name](std::string_view word) { return name.find(word) != name.npos; }))
      return true;
    return sync.awaited != kNone && execution_.works()[sync.awaited].kind == trace::SliceKind::kCopyToHost;
  }
  // The waits of our engine and of MXNet that return a value.
  static constexpr std::string_view kReads[] = {"item", "asnumpy", "asscalar", "print", "read_value"};

  [[nodiscard]] bool waits_for_tiny_work(const Synchronisation& sync) const {
    if (sync.awaited == kNone) return false;
    const Work& work = execution_.works()[sync.awaited];
    return work.end - work.begin < kTinyWork && sync.parts.of(SyncPart::kRunning) < kTinyWork &&
           sync.parts.of(SyncPart::kQueued) < kTinyWork && sync.parts.of(SyncPart::kCopying) == Duration{};
  }

  // Most launches find an empty queue, and it is nearly always a needless synchronisation that emptied it.
  void emptied_queue() {
    std::uint64_t emptied = 0;
    Duration idle{};
    const Place* worst = nullptr;
    for (const auto& [key, place] : places_) {
      emptied += place.emptied;
      idle += place.idle;
      if (worst == nullptr || place.idle > worst->idle) worst = &place;
    }
    if (launches_ < kFewestLaunches || 2 * empty_ < launches_ || emptied < kFewestWaits) return;
    if (10 * emptied < 9 * (emptied + emptied_for_a_value_) || share_of(idle, in_.range) < kSomeTime) return;
    Finding finding = worst->finding;
    finding.rule = "unused_run_ahead";
    finding.count = emptied;
    finding.cost = idle;
    finding.sentence = std::to_string(empty_) + " of " + std::to_string(launches_) +
                       " launches found an empty queue: the host was not ahead of the device. " +
                       times(emptied) + " a synchronisation had emptied it (most often " + worst->call +
                       at_place(worst->where) + "), and no value was read there. The device was idle for " +
                       format_duration(idle) + " afterwards.";
    named_ = worst;
    finding.help =
        "Remove the synchronisation, or wait for the step before: the host then launches while the device "
        "runs.";
    out_.push_back(std::move(finding));
  }

  // A synchronisation that nearly always waits for nothing.
  void needless_waits(const Place& place) {
    const std::uint64_t needless = place.ended + place.tiny;
    const Duration cost = std::max(place.blocked, place.idle);  // they may be the same time
    if (place.finding.count < kFewestWaits || 10 * needless < 9 * place.finding.count) return;
    if (share_of(cost, in_.range) < kSomeTime) return;
    Finding finding = place.finding;
    finding.rule = "unused_run_ahead";
    finding.cost = cost;
    finding.sentence = place.call + at_place(place.where) + " was called " + times(finding.count) + ". " +
                       times(place.ended) + " everything had ended, and " + times(place.tiny) +
                       " it waited for less than 10 us of work. It took " + format_duration(place.blocked) +
                       ", and the device was idle for " + format_duration(place.idle) + " afterwards.";
    finding.help = "Remove the synchronisation: the device had nothing left to wait for.";
    out_.push_back(std::move(finding));
  }

  const FindingInput& in_;
  const Execution& execution_;
  std::uint64_t launches_ = 0, empty_ = 0;  // empty_: those that found an empty queue
  std::uint64_t emptied_for_a_value_ = 0;   // synchronisations that emptied the queue, and needed a value
  std::map<std::pair<StringId, std::string>, Place> places_;
  const Place* named_ = nullptr;  // the place of the finding of emptied_queue()
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> find_run_ahead_findings(const FindingInput& input) { return RunAheadRules(input).run(); }

}  // namespace runahead::causes
