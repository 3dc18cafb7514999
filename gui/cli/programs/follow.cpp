#include "gui/cli/programs/follow.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <thread>

#include "gui/cli/output.h"
#include "gui/cli/words.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/median.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/base/time.h"
#include "instrumentation/link/program_link.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::steady_clock;

constexpr std::size_t kRetainedBytes = std::size_t{256} << 20;
// A watched program writes every 20 ms. A look costs three system calls.
constexpr std::chrono::milliseconds kBetweenLooks{5};
// After the end of following, what the program had written by then is still read: at most 16 GiB.
constexpr int kMostLooksAfterEnd = 1000;

// Empty: the recording does not say it.
std::string metadata_text(const trace::Trace& trace, const std::string& key) {
  const auto found = trace.metadata().find(key);
  return found == trace.metadata().end() ? "" : found->second;
}

// The time since which the trace is not up to date: how far its watermark is behind the clock. nullopt: the
// recording does not name the origin of its clock (Recorder::clock_facts()), or has no rows yet.
// clock_offset_ns: the program's clock minus ours.
std::optional<double> behind_ms(const trace::Trace& trace, std::int64_t clock_offset_ns) {
  const auto origin_ns = parse_positive(metadata_text(trace, "clock.origin_monotonic_ns"));
  if (!origin_ns || trace.extent().empty()) return std::nullopt;
  return static_cast<double>(monotonic_ns() + clock_offset_ns - *origin_ns -
                             ns_from(trace.watermark() - Timestamp{})) /
         1e6;
}

bool over(const FollowOptions& options, steady_clock::time_point begin) {
  if (options.stopped && options.stopped()) return true;
  return options.duration && steady_clock::now() - begin >= *options.duration;
}

// Ten digits after the point would suggest a precision that the clock does not have.
double rounded_ms(double ms) {
  return static_cast<double>(static_cast<std::int64_t>(ms * 1000 + 0.5)) / 1000;
}

Json delays_json(const Delays& delays) {
  if (delays.empty()) return {{"median", nullptr}, {"worst", nullptr}};
  return {{"median", rounded_ms(median(delays))}, {"worst", rounded_ms(*std::ranges::max_element(delays))}};
}

Json pid_json(const trace::Trace& trace) {
  const auto pid = parse_positive(metadata_text(trace, "pid"));
  return pid ? Json(*pid) : Json(nullptr);
}

// A joined recording (merge::ProcessMerger) says how many processes it has.
std::int64_t process_count(const trace::Trace& trace) {
  return parse_positive(metadata_text(trace, "processes")).value_or(1);
}

// How the clock of each process of a joined recording relates to the first one.
Json clocks_json(const trace::Trace& trace) {
  Json clocks = Json::array();
  const auto number = [&trace](const std::string& key) {
    const std::optional<double> value = parse_real(metadata_text(trace, key));
    return value ? Json(*value) : Json(nullptr);
  };
  for (std::size_t i = 0;; ++i) {
    const std::string key = "process." + std::to_string(i) + ".";
    const std::string clock = metadata_text(trace, key + "clock");
    if (clock.empty()) return clocks;
    clocks.push_back({{"name", metadata_text(trace, key + "name")},
                      {"clock", clock},
                      {"offset_ns", number(key + "clock_offset_ns")},
                      {"error_ns", number(key + "clock_error_ns")}});
  }
}

Json followed_json(const link::FileFollower& follower, const Delays& delays, const std::string& recording) {
  const trace::Trace& trace = follower.reader().trace();
  const trace::TraceCounts counts = trace.counts();
  return {{"recording", recording},
          {"processes", process_count(trace)},
          {"clocks", clocks_json(trace)},
          {"pid", pid_json(trace)},
          {"ended", follower.reader().ended()},
          {"slices", counts.slices},
          {"ops", counts.ops},
          {"counter_samples", counts.counter_samples},
          {"lost", losses_json(trace.losses())},
          {"behind_ms", delays_json(delays)},
          {"behind_bytes", follower.behind_bytes()}};
}

std::string end_in_words(const link::FileFollower& follower) {
  if (follower.reader().ended()) return "the recording has ended";
  return follower.ended() ? "the program is gone" : "the program records on";
}

Duration of_ms(double ms) { return Duration{static_cast<std::int64_t>(ms * 1e6)}; }

std::string followed_text(const link::FileFollower& follower, const Delays& delays,
                          const std::string& recording) {
  const trace::Trace& trace = follower.reader().trace();
  const trace::TraceCounts counts = trace.counts();
  const std::int64_t processes = process_count(trace);
  std::string text = "followed " + recording + ": " +
                     (processes > 1 ? counted(static_cast<std::uint64_t>(processes), "process") + ", " : "") +
                     counted(counts.slices, "slice") + ", " + counted(counts.ops, "op") + ", " +
                     counted(counts.counter_samples, "counter sample") + ", " + losses_in_words(trace);
  if (!delays.empty()) {
    text += "; behind by " + format_duration(of_ms(median(delays))) + " (median), " +
            format_duration(of_ms(*std::ranges::max_element(delays))) + " (worst)";
  }
  return text + "; " + end_in_words(follower) + "\n";
}

}  // namespace

Result<Delays> follow(link::FileFollower& follower, const std::filesystem::path& recording,
                      const FollowOptions& options) {
  const steady_clock::time_point begin = steady_clock::now();
  // While this link exists, the program writes more often.
  const std::unique_ptr<link::ProgramLink> program = link::ProgramLink::to_writer_of(recording);
  Delays delays;
  int looks_after_end = 0;
  while (!follower.ended()) {
    const bool last = over(options, begin);
    // Measured before the poll: the trace is never further behind than now.
    const std::optional<double> behind =
        behind_ms(follower.reader().trace(), program ? program->program().clock_offset_ns : 0);
    const Result<bool> rows = follower.poll();
    if (!rows) return rows.error();
    const bool all = follower.behind_bytes() == 0;
    if (*rows && behind && !follower.ended()) delays.push_back(*behind);
    if (!options.all_rows) follower.reader().trace().retain_at_most(kRetainedBytes);
    if (last && (all || ++looks_after_end > kMostLooksAfterEnd)) break;
    if (all && !follower.ended()) std::this_thread::sleep_for(kBetweenLooks);
  }
  return delays;
}

Outcome write_followed(const link::FileFollower& follower, const Delays& delays, const std::string& recording,
                       bool json) {
  return json ? write_json(followed_json(follower, delays, recording))
              : write_stdout(followed_text(follower, delays, recording));
}

Result<std::optional<Duration>> parse_optional_duration(const std::string& text) {
  if (text.empty()) return std::optional<Duration>{};
  const Result<Duration> duration = parse_duration(text);
  if (!duration) return duration.error();
  return std::optional<Duration>{*duration};
}

}  // namespace runahead::gui
