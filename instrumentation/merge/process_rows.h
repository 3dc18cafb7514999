// ProcessRows: turns the rows of one process's recording into rows of the joined recording. Ids of strings,
// tracks, arguments, ops and blocks of memory become ids of the joined recording, and times become times of
// its clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrumentation/merge/clock_alignment.h"
#include "instrumentation/merge/trip_clock.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::merge {

// The definitions of the joined recording so far. Strings are shared by all processes.
class JoinedDefinitions {
 public:
  // These functions add what is new to the batch. The first string of a recording must be the empty string.
  [[nodiscard]] StringId string(const std::string& text, trace::Batch& batch);
  [[nodiscard]] TrackId track(trace::TrackInfo info, trace::Batch& batch);
  [[nodiscard]] ArgsId args(trace::ArgSet set, trace::Batch& batch);
  // The number of an engine of a process (the top 16 bits of its ops' ids) in the joined recording. nullopt:
  // all numbers are used.
  [[nodiscard]] std::optional<std::uint64_t> engine(std::uint32_t process, std::uint64_t engine);

 private:
  std::unordered_map<std::string, StringId> strings_;
  std::unordered_map<std::uint64_t, std::uint64_t> engines_;  // key: process and engine
  std::uint32_t tracks_ = 0, args_ = 0;
};

class ProcessRows {
 public:
  // index: the number of the process, from 0. `group`: the track under which its tracks are.
  ProcessRows(JoinedDefinitions& definitions, std::uint32_t index, TrackId group, const ClockMap& clock)
      : definitions_(definitions), index_(index), group_(group), clock_(clock) {}

  // Converts a batch. The batches of a process must come in their order.
  [[nodiscard]] trace::Batch convert(const trace::Batch& batch);
  // The lists of open rows, of the latest batch.
  [[nodiscard]] std::vector<trace::OpenSlice> convert_open(std::span<const trace::OpenSlice> open) const;
  [[nodiscard]] std::vector<trace::OpRow> convert_open(std::span<const trace::OpRow> open) const;
  [[nodiscard]] Timestamp at(Timestamp time) const;
  // Corrects the clock for times from `from` on (SteeredClock).
  void steer(Timestamp from, const ClockMap& map);
  // The largest possible error of the times from time 0 to `end`, by what is known now.
  [[nodiscard]] std::int64_t error_ns_until(Timestamp end, const AlignedClock& known) const {
    return clock_.error_within(std::min<std::int64_t>(0, ns_from(end)), ns_from(end), known);
  }

 private:
  void define(const trace::Batch& batch, trace::Batch& out);
  void define_track(std::size_t id, trace::TrackInfo track, trace::Batch& out);
  void convert_lanes(const trace::Batch& batch, trace::Batch& out) const;
  template <typename Row>
  [[nodiscard]] std::vector<Row> convert_rows(const std::vector<Row>& rows) const;
  template <typename Row>
  [[nodiscard]] Row convert_row(Row row) const;
  [[nodiscard]] StringId string(StringId id) const { return id == kEmptyString ? id : strings_.at(raw(id)); }
  [[nodiscard]] TrackId track(TrackId id) const { return id == kNoTrack ? id : tracks_.at(raw(id)); }
  [[nodiscard]] ArgsId args(ArgsId id) const { return id == kNoArgs ? id : args_.at(raw(id) - 1); }
  [[nodiscard]] OpId op(OpId id) const;

  JoinedDefinitions& definitions_;
  const std::uint32_t index_;
  const TrackId group_;
  SteeredClock clock_;
  // From the process's ids to ids of the joined recording.
  std::vector<StringId> strings_;
  std::vector<TrackId> tracks_;
  std::vector<trace::TrackKind> kinds_;  // of the tracks
  std::vector<ArgsId> args_;
};

}  // namespace runahead::merge
