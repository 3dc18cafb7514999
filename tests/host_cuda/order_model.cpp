#include "tests/host_cuda/order_model.h"

#include <algorithm>

namespace runahead::host_cuda {

void OrderModel::join(Clock& clock, const Clock& other) {
  for (const auto& [stream, number] : other) {
    std::uint64_t& mine = clock[stream];
    mine = std::max(mine, number);
  }
}

bool OrderModel::knows(const Clock& clock, const Use& use) {
  const auto found = clock.find(use.stream);
  return found != clock.end() && found->second >= use.number;
}

void OrderModel::forget_known() {
  std::erase_if(uses_, [this](const Use& use) { return knows(host_, use); });
}

std::string OrderModel::put(StreamNumber number, const char* what, const std::vector<Touch>& touches) {
  Stream& stream = streams_[number];
  join(stream.after, host_);
  const std::uint64_t mine = ++stream.count;
  std::string wrong;
  std::vector<Use> added;
  for (const Touch& touch : touches) {
    const auto begin = reinterpret_cast<std::uintptr_t>(touch.memory);
    added.push_back({begin, begin + touch.bytes, touch.writes, number, mine, what});
    for (const Use& use : uses_) {
      const bool same_bytes = use.begin < begin + touch.bytes && begin < use.end;
      if (!same_bytes || (!use.writes && !touch.writes) || use.stream == number || knows(stream.after, use))
        continue;
      if (wrong.empty())
        wrong = std::string(what) + (touch.writes ? " writes" : " reads") + " on stream " +
                std::to_string(number) + " what " + use.what + (use.writes ? " writes" : " reads") +
                " on stream " + std::to_string(use.stream) + ", and no event is between them";
    }
  }
  uses_.insert(uses_.end(), added.begin(), added.end());
  return wrong;
}

OrderModel::Clock OrderModel::now(StreamNumber number) {
  Stream& stream = streams_[number];
  join(stream.after, host_);
  Clock clock = stream.after;
  clock[number] = stream.count;
  return clock;
}

void OrderModel::stream_waits(StreamNumber stream, const Clock& clock) {
  join(streams_[stream].after, clock);
}

void OrderModel::host_learns(const Clock& clock) {
  join(host_, clock);
  forget_known();
}

void OrderModel::stream_ends(StreamNumber number) {
  std::erase_if(uses_, [=](const Use& use) { return use.stream == number; });
  streams_.erase(number);
  host_.erase(number);
  for (auto& [other, stream] : streams_) stream.after.erase(number);
}

std::string OrderModel::still_used(const void* memory, std::size_t bytes, const Clock* after) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  for (const Use& use : uses_) {
    if (use.begin < begin + bytes && begin < use.end && (after == nullptr || !knows(*after, use)))
      return std::string(use.what) + " on stream " + std::to_string(use.stream) + " may still " +
             (use.writes ? "write" : "read") + " it";
  }
  return {};
}

}  // namespace runahead::host_cuda
