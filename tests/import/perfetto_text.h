// Imports Perfetto files that tests make by hand, and writes slices, arguments and samples of the trace as
// text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "instrumentation/import/perfetto/perfetto_import.h"
#include "tests/import/perfetto_packets.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {

[[nodiscard]] inline trace::Trace imported(const PerfettoFile& file) {
  Result<trace::Trace> trace = importers::read_perfetto(as_bytes(file.bytes()));
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return std::move(trace).value();
}

[[nodiscard]] inline const trace::Track* find_track(const trace::Trace& trace, std::string_view name) {
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name == name) return &track;
  }
  return nullptr;
}

// "name begin+duration" of each slice, lane by lane.
[[nodiscard]] inline std::string slices_text(const trace::Trace& trace, std::string_view track_name) {
  const trace::Track* track = find_track(trace, track_name);
  if (track == nullptr) return "no track";
  std::string text;
  for (std::size_t depth = 0; depth < track->lanes.size(); ++depth) {
    const trace::Lane& lane = track->lanes[depth];
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const trace::Slice slice = lane.slice(row);
      text += std::to_string(depth) + ":" + std::string(trace.string(slice.name)) + " " +
              std::to_string(ns_from(slice.begin)) + "+" + std::to_string(ns_from(slice.duration())) + ";";
    }
  }
  return text;
}

// "key=value" for the arguments of a track's first slice.
[[nodiscard]] inline std::string args_text(const trace::Trace& trace, std::string_view track_name) {
  const trace::Track* track = find_track(trace, track_name);
  if (track == nullptr || track->lanes.empty()) return "no slice";
  std::string text;
  for (const trace::Arg& arg : trace.args(track->lanes[0].slice(track->lanes[0].first_row()).args)) {
    text += std::string(trace.string(arg.key)) + "=";
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) text += std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&arg.value)) text += std::to_string(*real);
    if (const auto* id = std::get_if<StringId>(&arg.value)) text += std::string(trace.string(*id));
    text += ";";
  }
  return text;
}

// "time=value" for a counter's samples.
[[nodiscard]] inline std::string samples_text(const trace::Trace& trace, std::string_view track_name) {
  const trace::Track* track = find_track(trace, track_name);
  if (track == nullptr) return "no track";
  std::string text;
  for (std::uint64_t row = track->counter.first_row(); row < track->counter.end_row(); ++row) {
    const trace::CounterSample sample = track->counter.sample(row);
    text += std::to_string(ns_from(sample.at)) + "=" + std::to_string(sample.value).substr(0, 6) + ";";
  }
  return text;
}

}  // namespace runahead::testing
