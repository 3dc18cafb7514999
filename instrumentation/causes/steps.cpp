#include "instrumentation/causes/steps.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::causes {
namespace {

using trace::SliceKind;

constexpr std::size_t kFewestNamedSteps = 3;

void take_larger(Steps& best, Steps other) {
  if (other.count() > best.count()) best = std::move(other);
}

// The digits after the word "step", "iteration", "iter" or "batch", as a part of the name. Empty: there are
// none.
std::string_view step_digits(std::string_view name) {
  for (const std::string_view word : {"step", "iteration", "iter", "batch"}) {
    const auto found = std::ranges::search(
        name, word, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    std::size_t at = static_cast<std::size_t>(found.end() - name.begin());
    if (found.empty()) continue;
    while (at < name.size() && std::string_view(" _#:=").find(name[at]) != std::string_view::npos) ++at;
    const std::size_t digits = at;
    while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0) ++at;
    if (at > digits) return name.substr(digits, at - digits);
  }
  return {};
}

// "step 12" and "step 13" have the same pattern. Empty: the name is not that of a numbered step.
std::string step_pattern(std::string_view name) {
  const std::string_view digits = step_digits(name);
  if (digits.empty()) return {};
  const auto before = static_cast<std::size_t>(digits.data() - name.data());
  return std::string(name.substr(0, before)) + std::string(name.substr(before + digits.size()));
}

// -1: the name has no number.
std::int64_t step_number(std::string_view name) {
  const std::string_view digits = step_digits(name);
  std::int64_t number = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

void add_step(const Execution& execution, const trace::Slice& slice, Steps& steps) {
  steps.ranges.push_back({slice.begin, slice.end});
  steps.numbers.push_back(step_number(execution.trace().string(slice.name)));
}

Steps steps_of_kind(const Execution& execution) {
  Steps best;
  for (const TrackId thread : execution.threads()) {
    for (const trace::Lane& lane : execution.trace().track(thread).lanes) {
      Steps steps{.thread = thread, .ranges = {}};
      analysis::each_of_kinds(lane, trace::kinds_of(SliceKind::kStep), lane.first_row(), lane.end_row(),
                              [&](const trace::Slice& slice) { add_step(execution, slice, steps); });
      take_larger(best, std::move(steps));
    }
  }
  return best;
}

Steps steps_by_name(const Execution& execution) {
  Steps best;
  std::unordered_map<std::uint32_t, std::string> patterns;  // by string id
  for (const TrackId thread : execution.threads()) {
    for (const trace::Lane& lane : execution.trace().track(thread).lanes) {
      std::map<std::string, Steps> found;
      trace::LaneReader reader(lane);
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = reader.slice(row);
        if (slice.kind != SliceKind::kZone) continue;
        const auto [entry, is_new] = patterns.try_emplace(raw(slice.name));
        if (is_new) entry->second = step_pattern(execution.trace().string(slice.name));
        if (entry->second.empty()) continue;
        Steps& steps = found[entry->second];
        steps.thread = thread;
        add_step(execution, slice, steps);
      }
      for (auto& [pattern, steps] : found) {
        if (steps.count() >= kFewestNamedSteps) take_larger(best, std::move(steps));
      }
    }
  }
  return best;
}

}  // namespace

Duration Steps::median() const {
  if (ranges.empty()) return {};
  std::vector<Duration> lengths;
  for (const TimeRange& range : ranges) lengths.push_back(range.duration());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

std::optional<std::size_t> Steps::step_at(Timestamp t) const {
  const auto after = std::ranges::upper_bound(ranges, t, {}, &TimeRange::begin);
  if (after == ranges.begin() || !std::prev(after)->contains(t)) return std::nullopt;
  return static_cast<std::size_t>(after - ranges.begin()) - 1;
}

Steps find_steps(const Execution& execution) {
  Steps steps = steps_of_kind(execution);
  if (steps.count() == 0) steps = steps_by_name(execution);
  // Numbers that begin again, as in each epoch, do not identify a step.
  const std::set<std::int64_t> different(steps.numbers.begin(), steps.numbers.end());
  if (different.size() < steps.numbers.size()) steps.numbers.assign(steps.count(), -1);
  return steps;
}

TimeRange explained_range(const Execution& execution, const Steps& steps) {
  const bool has_steps = steps.count() > 0;
  TimeRange range{Timestamp::max(), Timestamp::min()};
  if (has_steps) range = {steps.ranges.front().begin, steps.ranges.back().end};
  const Timestamp host_end = range.end;
  for (const Work& work : execution.works()) {
    if (has_steps && (!work.is_launched() || work.launched >= host_end || work.begin < range.begin)) continue;
    range.end = std::max(range.end, work.end);
    if (!has_steps) range.begin = std::min(range.begin, work.is_launched() ? work.launched : work.begin);
  }
  for (const HostCall& call : execution.calls()) {
    if (has_steps || !is_synchronisation(call.role)) continue;
    range.begin = std::min(range.begin, call.begin);
    range.end = std::max(range.end, call.end);
  }
  return range.empty() ? execution.trace().extent() : range;
}

TrackId main_thread(const Execution& execution, const Steps& steps) {
  if (steps.thread != kNoTrack) return steps.thread;
  TrackId best = execution.threads().empty() ? kNoTrack : execution.threads().front();
  std::size_t most = 0;
  for (const TrackId thread : execution.threads()) {
    const std::size_t count = execution.launched_during(thread, {Timestamp::min(), Timestamp::max()}).size();
    if (count > most) {
      most = count;
      best = thread;
    }
  }
  return best;
}

}  // namespace runahead::causes
