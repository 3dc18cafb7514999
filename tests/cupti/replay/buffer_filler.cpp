#include "tests/cupti/replay/buffer_filler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/support/random.h"

namespace runahead::testing {
namespace {

constexpr std::int64_t kStepNs = 50'000'000;  // the time between two flushes of the module
constexpr std::int64_t kMostLateNs = 20'000'000;

}  // namespace

BufferFiller::BufferFiller(std::vector<Activity> activities, FillOrder order, std::size_t most_bytes)
    : activities_(std::move(activities)), order_(order), most_bytes_(most_bytes) {
  Random random(1);
  for (std::size_t i = 0; i < activities_.size(); ++i) {
    const Activity& activity = activities_[i];
    std::int64_t at = order == FillOrder::kByThread ? activity.begun : activity.completed;
    if (order == FillOrder::kByCompletion && activity.of_device) at += random.integer(0, kMostLateNs);
    arrivals_.push_back({at, i});
  }
  std::stable_sort(arrivals_.begin(), arrivals_.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
}

void BufferFiller::step(const std::function<void(std::int64_t)>& clock) {
  give_completed();
  const std::int64_t until = now_ + kStepNs;
  for (; next_ < arrivals_.size() && arrivals_[next_].at <= until; ++next_) {
    now_ = std::max(now_, arrivals_[next_].at);
    clock(now_);
    const Activity& activity = activities_[arrivals_[next_].activity];
    put(activity, order_ == FillOrder::kByThread ? activity.tid : 0);
  }
  now_ = until;
  clock(now_);
}

void BufferFiller::put(const Activity& activity, std::uint32_t owner) {
  Filling& filling = filling_[owner];
  fake_cupti::Buffer& buffer = filling.buffer;
  if (buffer.bytes != nullptr && buffer.used + activity.record.size() > std::min(buffer.size, most_bytes_))
    full_.push_back(std::exchange(filling, {}));
  if (buffer.bytes == nullptr) buffer = fake_cupti::request_buffer();
  std::memcpy(buffer.bytes + buffer.used, activity.record.data(), activity.record.size());
  buffer.used += activity.record.size();
  filling.completed = std::max(filling.completed, activity.completed);
}

void BufferFiller::give_completed() {
  const auto give = [this](const Filling& filling) {
    if (filling.completed > now_) return false;
    fake_cupti::complete_buffer(filling.buffer);
    return true;
  };
  std::erase_if(full_, give);
  std::erase_if(filling_, [&](const auto& of_thread) { return give(of_thread.second); });
}

}  // namespace runahead::testing
