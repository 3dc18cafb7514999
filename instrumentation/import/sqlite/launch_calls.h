// LaunchCalls: the calls of a GPU's runtime in an import, by the number that a call has in common with the
// work that it launched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <vector>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"

namespace runahead::importers {

// The number of a call is unique in its process.
struct CallKey {
  std::int64_t process = 0, correlation = 0;
  friend bool operator==(const CallKey&, const CallKey&) = default;
};

struct LaunchCall {
  TrackId track = kNoTrack;
  StringId name{};
  Timestamp begin{};
};

// Calls mostly come in the order of their numbers, and are searched in this order too. So they are in sorted
// vectors, and a search begins where the last one ended. Memory: 24 bytes for each call, more for a call that
// is far from its place in this order.
class LaunchCalls {
 public:
  // If several calls have the same key, the first one counts.
  void add(const CallKey& key, const LaunchCall& call) {
    OfProcess& calls = of_process(key.process);
    const Numbered numbered{key.correlation, call};
    const auto begin = calls.sorted.end() - std::min<std::ptrdiff_t>(std::ssize(calls.sorted), kMostMoved);
    const auto place =
        std::ranges::lower_bound(begin, calls.sorted.end(), key.correlation, {}, &Numbered::number);
    if (place != calls.sorted.end() && place->number == key.correlation) return;
    if (place == begin && begin != calls.sorted.begin()) {
      if (search(calls, key.correlation) == nullptr) calls.others.try_emplace(key.correlation, call);
    } else {
      calls.sorted.insert(place, numbered);
    }
  }
  // nullptr: there is no such call. Valid until the next add().
  [[nodiscard]] const LaunchCall* find(const CallKey& key) {
    OfProcess& calls = of_process(key.process);
    if (const LaunchCall* const call = search(calls, key.correlation)) return call;
    if (calls.others.empty()) return nullptr;
    const auto other = calls.others.find(key.correlation);
    return other == calls.others.end() ? nullptr : &other->second;
  }

 private:
  // How many calls are moved to put a call into its place.
  static constexpr std::ptrdiff_t kMostMoved = 64;
  struct Numbered {
    std::int64_t number = 0;
    LaunchCall call;
  };
  struct OfProcess {
    std::vector<Numbered> sorted;  // by number
    std::unordered_map<std::int64_t, LaunchCall> others;
    std::size_t last = 0;  // where the last search ended
  };

  [[nodiscard]] OfProcess& of_process(std::int64_t process) {
    if (last_ == nullptr || last_process_ != process) {
      last_ = &processes_[process];
      last_process_ = process;
    }
    return *last_;
  }
  // Widens a range around the place of the last search until the number is in it.
  [[nodiscard]] static const LaunchCall* search(OfProcess& calls, std::int64_t number) {
    const std::size_t size = calls.sorted.size();
    if (size == 0) return nullptr;
    const auto number_at = [&](std::size_t at) { return calls.sorted[at].number; };
    std::size_t low = std::min(calls.last, size - 1), high = low + 1;
    for (std::size_t step = 1; low > 0 && number_at(low) > number; step *= 2) low -= std::min(low, step);
    for (std::size_t step = 1; high < size && number_at(high - 1) < number; step *= 2)
      high = std::min(size, high + step);
    const auto begin = calls.sorted.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = calls.sorted.begin() + static_cast<std::ptrdiff_t>(high);
    const auto found = std::ranges::lower_bound(begin, end, number, {}, &Numbered::number);
    if (found == end || found->number != number) return nullptr;
    calls.last = static_cast<std::size_t>(found - calls.sorted.begin());
    return &found->call;
  }

  std::map<std::int64_t, OfProcess> processes_;
  OfProcess* last_ = nullptr;
  std::int64_t last_process_ = 0;
};

}  // namespace runahead::importers
