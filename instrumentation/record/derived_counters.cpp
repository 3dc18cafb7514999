#include "instrumentation/record/derived_counters.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace runahead::record {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSampleEvery = 100ms;
constexpr Duration kWindow = 200ms;
constexpr Duration kSilence = 2s;

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// Returns the RSS in bytes; 0 if there is no /proc.
double resident_bytes() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  unsigned long long all = 0, resident = 0;
  if (got <= 0 || std::sscanf(text, "%llu %llu", &all, &resident) != 2) return 0;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void StepsPerSecond::finished(Timestamp at, double steps) {
  if (!next_sample_) next_sample_ = at + kSampleEvery;
  // The counter of finished steps decreased, so the program has started to count again. Forget the old
  // points.
  if (!points_.empty() && steps < points_.back().steps) points_.clear();
  points_.push_back({points_.empty() ? at : std::max(at, points_.back().at), steps});
}

void StepsPerSecond::update(Timestamp watermark) {
  if (!next_sample_ || watermark < *next_sample_) return;
  next_sample_ = watermark + kSampleEvery;
  while (points_.size() > 2 && points_[1].at < watermark - kWindow) points_.pop_front();
  if (counter_.track == kNoTrack) {
    counter_.track = batch_.track_of(intern_track({.kind = trace::TrackKind::kCounter,
                                                   .group = "Throughput",
                                                   .name = "steps/s",
                                                   .unit = trace::Unit::kPerSecond,
                                                   .role = trace::CounterRole::kStepsPerSecond}));
  }
  double rate = 0;
  const Duration silent = watermark - points_.back().at;
  if (points_.size() >= 2 && silent < kSilence) {
    const double steps = points_.back().steps - points_.front().steps;
    const Duration elapsed = points_.back().at - points_.front().at;
    rate = elapsed > Duration::zero() ? steps / seconds(elapsed) : 0;
    // At the old rate, more than two steps should have finished since the last step. No step has finished, so
    // the rate is lower now: at most one step in the time since the last step.
    if (silent > kSampleEvery && rate * seconds(silent) > 2) rate = 1 / seconds(silent);
  }
  if (rate == 0 && counter_.last_value == 0) return;
  batch_.add(counter_, std::max(watermark, counter_.last_at), rate);
}

void CopyBandwidth::copied(const TrackDesc& stream, TimeRange during, std::int64_t bytes) {
  if (during.empty() || bytes <= 0) return;
  Device& device = devices_[stream.device];
  if (device.counter.track == kNoTrack) {
    device.counter.track = batch_.track_of(intern_track({.kind = trace::TrackKind::kCounter,
                                                         .group = stream.group,
                                                         .name = "copy bandwidth",
                                                         .device = stream.device,
                                                         .simulated = stream.simulated,
                                                         .unit = trace::Unit::kBytesPerSecond,
                                                         .role = trace::CounterRole::kCopyBandwidth,
                                                         .sort_order = 100}));
  }
  const double rate = static_cast<double>(bytes) / seconds(during.duration());
  device.changes.push_back({during.begin, rate, 1});
  device.changes.push_back({during.end, -rate, -1});
}

void CopyBandwidth::update(Timestamp until) {
  for (auto& [name, device] : devices_) {
    auto& changes = device.changes;
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    std::size_t done = 0;
    while (done < changes.size() && changes[done].at <= until) {
      const Timestamp at = std::max(changes[done].at, device.counter.last_at);
      // Changes at equal times make one sample.
      for (; done < changes.size() && changes[done].at <= at; ++done) {
        device.bytes_per_s += changes[done].bytes_per_s;
        device.copies += changes[done].copies;
      }
      if (device.copies == 0) device.bytes_per_s = 0;  // removes rounding errors when nothing is copied
      batch_.add(device.counter, at, device.bytes_per_s);
    }
    changes.erase(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

void ProcessRss::update(Timestamp now) {
  if (next_sample_ && now < *next_sample_) return;
  next_sample_ = now + kSampleEvery;
  if (counter_.track == kNoTrack) {
    counter_.track = batch_.track_of(intern_track({.kind = trace::TrackKind::kCounter,
                                                   .group = "Memory",
                                                   .name = "process RSS",
                                                   .unit = trace::Unit::kBytes,
                                                   .role = trace::CounterRole::kProcessRss}));
  }
  batch_.add(counter_, std::max(now, counter_.last_at), resident_bytes());
}

}  // namespace runahead::record
