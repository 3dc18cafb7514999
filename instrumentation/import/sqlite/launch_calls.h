// LaunchCalls: the calls of a GPU's runtime in an import, by the number that a call has in common with the
// work that it launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
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

// A hash table with open addressing: 40 bytes for each entry, at most three quarters full.
class LaunchCalls {
 public:
  // If several calls have the same key, the first one counts.
  void add(const CallKey& key, const LaunchCall& call) {
    if (4 * (size_ + 1) > 3 * entries_.size()) grow();
    Entry& entry = place_of(key);
    if (entry.call.track != kNoTrack) return;
    entry = {key, call};
    ++size_;
  }
  // nullptr: there is no such call. Valid until the next add().
  [[nodiscard]] const LaunchCall* find(const CallKey& key) {
    if (size_ == 0) return nullptr;
    const Entry& entry = place_of(key);
    return entry.call.track == kNoTrack ? nullptr : &entry.call;
  }

 private:
  struct Entry {
    CallKey key;
    LaunchCall call;  // without a track: the entry is free
  };

  [[nodiscard]] Entry& place_of(const CallKey& key) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash(key) & mask;
    while (entries_[at].call.track != kNoTrack && entries_[at].key != key) at = (at + 1) & mask;
    return entries_[at];
  }
  // The multiplier is 2^64 / the golden ratio.
  [[nodiscard]] static std::size_t hash(const CallKey& key) {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
    const std::uint64_t process = static_cast<std::uint64_t>(key.process) * kGolden;
    const std::uint64_t mixed = (process ^ static_cast<std::uint64_t>(key.correlation)) * kGolden;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
  void grow() {
    std::vector<Entry> old = std::exchange(entries_, {});
    entries_.resize(old.empty() ? 1024 : 2 * old.size());
    for (const Entry& entry : old) {
      if (entry.call.track != kNoTrack) place_of(entry.key) = entry;
    }
  }

  std::vector<Entry> entries_;  // their number is a power of two
  std::size_t size_ = 0;
};

}  // namespace runahead::importers
