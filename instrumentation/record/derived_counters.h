// Counters that the collector computes: throughput from finished steps, copy bandwidth from copies, RSS of
// the process.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

// Steps per second, from a cumulative counter (kStepsFinished). The rate is computed over the steps that
// finished in the last 200 ms, and sampled every 100 ms. If a step takes longer than 200 ms, the rate is
// computed from the last two steps. After 2 s without a step the rate is 0.
class StepsPerSecond {
 public:
  explicit StepsPerSecond(BatchBuilder& batch) : batch_(batch) {}
  void finished(Timestamp at, double steps);
  // Adds a sample if one is due. REQUIRES: finished() was called for all steps before `watermark`.
  void update(Timestamp watermark);

 private:
  struct Point {
    Timestamp at{};
    double steps = 0;
  };
  BatchBuilder& batch_;
  CounterWriter counter_;
  std::deque<Point> points_;  // points of the last 200 ms, plus one point before them
  std::optional<Timestamp> next_sample_;
};

// Bytes per second of copies, per device, for all directions together. The bytes of a copy are spread evenly
// from its start to its end. The collector may learn of a copy after it made a sample whose time is within
// the copy. Such a copy counts only from the last sample on.
class CopyBandwidth {
 public:
  explicit CopyBandwidth(BatchBuilder& batch) : batch_(batch) {}
  void copied(const TrackDesc& stream, TimeRange during, std::int64_t bytes);
  // Adds the samples up to `until`. REQUIRES: all copies that start or end before `until` are known, so that
  // the bandwidth before `until` cannot change any more.
  void update(Timestamp until);

 private:
  struct Change {
    Timestamp at{};
    double bytes_per_s = 0;
    int copies = 0;  // +1: a copy starts; -1: a copy ends
  };
  struct Device {
    CounterWriter counter;
    std::vector<Change> changes;  // changes that are not sampled yet
    double bytes_per_s = 0;
    int copies = 0;
  };
  BatchBuilder& batch_;
  std::map<std::string, Device> devices_;
};

// The resident memory of the process, every 100 ms.
class ProcessRss {
 public:
  explicit ProcessRss(BatchBuilder& batch) : batch_(batch) {}
  void update(Timestamp now);

 private:
  BatchBuilder& batch_;
  CounterWriter counter_;
  std::optional<Timestamp> next_sample_;
};

}  // namespace runahead::record
