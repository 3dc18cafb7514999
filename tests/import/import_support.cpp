#include "tests/import/import_support.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <vector>

#include "instrumentation/import/chrome/chrome_import.h"
#include "instrumentation/trace/labels.h"

namespace runahead::testing {
namespace {

using namespace runahead::trace;

std::string number_text(double value) {
  std::ostringstream out;
  out.precision(15);
  out << value;
  return out.str();
}

std::string value_text(const Trace& trace, const ArgValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
  return "'" + std::string(trace.string(std::get<StringId>(value))) + "'";
}

std::string args_text(const Trace& trace, ArgsId id) {
  std::string out;
  for (const Arg& arg : trace.args(id)) {
    out += (out.empty() ? "" : ",") + std::string(trace.string(arg.key)) + "=" + value_text(trace, arg.value);
  }
  return out.empty() ? out : "{" + out + "}";
}

std::string at_text(Timestamp t) { return "@" + std::to_string(ns_from(t)); }

void lane_lines(const Trace& trace, const Track& track, std::multiset<std::string>& lines) {
  const std::string path = trace::track_path(trace, track.info.id);
  for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
    const Lane& lane = track.lanes[depth];
    std::string line = path + " " + std::to_string(depth) + ":";
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const Slice slice = lane.slice(row);
      line += " " + std::string(trace.string(slice.name)) + at_text(slice.begin) + "+" +
              std::to_string(ns_from(slice.duration())) + args_text(trace, slice.args);
      if ((slice.flags & kSliceUnfinished) != 0) line += "!";
    }
    lines.insert(line);
  }
}

void other_lines(const Trace& trace, std::multiset<std::string>& lines) {
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) {
    const Instant instant = trace.instant(i);
    lines.insert("instant " + trace::track_path(trace, instant.track) + ": " +
                 std::string(trace.string(instant.name)) + at_text(instant.at) +
                 args_text(trace, instant.args));
  }
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const Flow flow = trace.flow(i);
    lines.insert("flow " + std::string(trace.string(flow.name)) + ": " +
                 trace::track_path(trace, flow.from_track) + at_text(flow.from_time) + " -> " +
                 trace::track_path(trace, flow.to_track) + at_text(flow.to_time));
  }
  for (int i = 0; i < kLossCauseCount; ++i) {
    const auto cause = static_cast<LossCause>(i);
    if (trace.losses().of(cause) == 0) continue;
    lines.insert("lost " + std::string(loss_key(cause)) + ": " + std::to_string(trace.losses().of(cause)));
  }
}

std::multiset<std::string> lines_of_trace(const Trace& trace) {
  std::multiset<std::string> lines;
  for (const Track& track : trace.tracks()) {
    lane_lines(trace, track, lines);
    if (track.info.kind != TrackKind::kCounter) continue;
    std::string line = "counter " + trace::track_path(trace, track.info.id) + ":";
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      const CounterSample sample = track.counter.sample(row);
      line += " " + std::to_string(ns_from(sample.at)) + "=" + number_text(sample.value);
    }
    lines.insert(line);
  }
  other_lines(trace, lines);
  return lines;
}

}  // namespace

Trace imported(std::string_view file) {
  files::MemorySource source(file);
  Result<Trace> trace = importers::import_chrome_json(source);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace ? std::move(*trace) : Trace();
}

std::string refusal(std::string_view file) {
  files::MemorySource source(file);
  const Result<Trace> trace = importers::import_chrome_json(source);
  EXPECT_FALSE(trace.ok());
  return trace ? "" : trace.error().message;
}

const Track& track_named(const Trace& trace, std::string_view path) {
  for (const Track& track : trace.tracks()) {
    if (track_path(trace, track.info.id) == path) return track;
  }
  ADD_FAILURE() << "no track " << path;
  return trace.tracks()[0];
}

Slice slice_named(const Trace& trace, std::string_view name) {
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        if (trace.string(lane.slice(row).name) == name) return lane.slice(row);
      }
    }
  }
  ADD_FAILURE() << "no slice " << name;
  return {};
}

std::string events(std::string_view list) { return "[" + std::string(list) + "]"; }

std::string trace_text(const Trace& trace) {
  std::string out;
  for (const std::string& line : lines_of_trace(trace)) out += line + "\n";
  return out;
}

std::string lines_of(const Trace& trace, std::string_view start) {
  std::string out;
  for (const std::string& line : lines_of_trace(trace)) {
    if (!line.starts_with(start)) continue;
    out += (out.empty() ? "" : " | ") + line.substr(start.size());
  }
  return out;
}

}  // namespace runahead::testing
