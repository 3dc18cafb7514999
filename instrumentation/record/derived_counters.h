// Counters that nobody emits: throughput from finished steps, copy bandwidth from copies, the process's RSS.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/record/batch_builder.h"

namespace runahead::record {

// Steps per second from a cumulative counter (kStepsFinished): over the last 200 ms that a step finished in,
// sampled each 100 ms; with slower steps, over the last two. 0 after 2 s without one.
class StepsPerSecond {
 public:
  explicit StepsPerSecond(BatchBuilder& batch) : batch_(batch) {}
  void finished(Timestamp at, double steps);
  // Samples if it is time to. `watermark`: finished() has been told all before.
  void update(Timestamp watermark);

 private:
  struct Point {
    Timestamp at{};
    double steps = 0;
  };
  BatchBuilder& batch_;
  CounterWriter counter_;
  std::deque<Point> points_;  // of the window, and one before it
  std::optional<Timestamp> next_sample_;
};

// Bytes per second that copies move, per device, all directions together: a copy counts evenly from its start
// to its end. A copy that ends after later ones have been sampled counts from there on.
class CopyBandwidth {
 public:
  explicit CopyBandwidth(BatchBuilder& batch) : batch_(batch) {}
  void copied(const TrackDesc& stream, TimeRange during, std::int64_t bytes);
  // Samples what nothing can change any more: all before `until`, and before the earliest copy that runs.
  void update(Timestamp until);

 private:
  struct Change {
    Timestamp at{};
    double bytes_per_s = 0;
    int copies = 0;  // +1 or -1
  };
  struct Device {
    CounterWriter counter;
    std::vector<Change> changes;  // not sampled yet
    double bytes_per_s = 0;
    int copies = 0;
  };
  BatchBuilder& batch_;
  std::map<std::string, Device> devices_;
};

// The process's resident memory, each 100 ms.
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
