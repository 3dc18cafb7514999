#include "instrumentation/predict/timeline/predicted_counters.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace runahead::predict {
namespace {

using namespace std::chrono_literals;

// The same as in a recording (record/queue_state.h, record/derived_counters.cpp).
constexpr std::uint32_t kLifeLanes = 256;
constexpr Duration kRateEvery = 100ms, kRateWindow = 200ms, kSilence = 2s;

double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

std::vector<std::uint32_t> lanes_of_lives(std::span<const OpIndex> ops, std::span<const OpTimes> times) {
  using Use = std::pair<Duration, std::uint32_t>;  // a lane is in use until then
  std::priority_queue<Use, std::vector<Use>, std::greater<>> used;
  std::set<std::uint32_t> free;
  std::uint32_t lanes = 0;
  std::vector<std::uint32_t> out;
  out.reserve(ops.size());
  for (const OpIndex op : ops) {
    for (; !used.empty() && used.top().first <= times[op].enqueued; used.pop())
      free.insert(used.top().second);
    if (free.empty() && lanes == kLifeLanes) {
      out.push_back(kNone);
      continue;
    }
    if (free.empty()) free.insert(lanes++);
    out.push_back(*free.begin());
    free.erase(free.begin());
    used.emplace(times[op].ended, out.back());
  }
  return out;
}

std::vector<trace::CounterSample> steps_per_second(std::span<const Sample> finished, Duration end) {
  std::vector<trace::CounterSample> out;
  if (finished.empty()) return out;
  std::size_t first = 0, count = 0;  // finished[first, count) are the steps that the rate counts
  for (Duration at = finished.front().at + kRateEvery; at <= end; at += kRateEvery) {
    while (count < finished.size() && finished[count].at <= at) ++count;
    while (count - first > 2 && finished[first + 1].at < at - kRateWindow) ++first;
    const Sample& from = finished[first];
    const Sample& to = finished[count - 1];
    if (at - to.at >= kSilence) {
      if (out.back().value != 0) out.push_back({Timestamp(at), 0});
      if (count == finished.size()) break;
      at = std::max(at, finished[count].at);
      continue;
    }
    const double elapsed = seconds_of(to.at - from.at), silent = seconds_of(at - to.at);
    double rate = elapsed > 0 ? static_cast<double>(to.value - from.value) / elapsed : 0;
    // More than two steps should have finished since the last one: the rate is lower now.
    if (at - to.at > kRateEvery && rate * silent > 2) rate = 1 / silent;
    out.push_back({Timestamp(at), rate});
  }
  return out;
}

std::vector<trace::CounterSample> copy_bandwidth(std::span<const PredictedCopy> copies) {
  struct RateChange {
    Duration at{};
    double bytes_per_s = 0;
    int copies = 0;
  };
  std::vector<RateChange> changes;
  for (const PredictedCopy& copy : copies) {
    const double rate = static_cast<double>(copy.size_bytes) / seconds_of(copy.end - copy.begin);
    changes.push_back({copy.begin, rate, 1});
    changes.push_back({copy.end, -rate, -1});
  }
  std::ranges::sort(changes, {}, [](const RateChange& change) {
    return std::tuple(change.at, change.copies, change.bytes_per_s);
  });
  std::vector<trace::CounterSample> out;
  double rate = 0;
  int running = 0;
  for (const RateChange& change : changes) {
    rate += change.bytes_per_s;
    running += change.copies;
    if (running == 0) rate = 0;  // removes rounding errors when nothing is copied
    if (!out.empty() && out.back().at == Timestamp(change.at)) {
      out.back().value = rate;
    } else {
      out.push_back({Timestamp(change.at), rate});
    }
  }
  return out;
}

}  // namespace runahead::predict
