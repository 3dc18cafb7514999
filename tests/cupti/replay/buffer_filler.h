// BufferFiller: fills CUPTI's buffers with the records of a profile, and gives the buffers to the module, in
// the order in which CUPTI does. Its time is the time of the profile, not the time of the machine, so a
// replay does the same in each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tests/cupti/fake_cupti.h"
#include "tests/cupti/replay/activities.h"

namespace runahead::testing {

enum class FillOrder : std::uint8_t {
  // Each thread has a buffer. A record has its place when its call begins. CUPTI keeps a buffer as long as a
  // record
  // in it is not complete.
  kByThread,
  // One buffer takes records as they are completed. Those of the device come up to 20 ms late, in no order.
  kByCompletion,
};

class BufferFiller {
 public:
  // The filler uses at most `most_bytes` of each buffer.
  BufferFiller(std::vector<Activity> activities, FillOrder order, std::size_t most_bytes);

  // Called at each flush. Gives the buffers that CUPTI gives now. Then advances the time to that of the next
  // flush, and fills buffers. `clock` is called with the time before each request of a buffer, and with that
  // of the next flush.
  void step(const std::function<void(std::int64_t)>& clock);
  // All records are given.
  [[nodiscard]] bool done() const { return next_ == arrivals_.size() && filling_.empty() && full_.empty(); }

 private:
  struct Arrival {
    std::int64_t at = 0;
    std::size_t activity = 0;
  };
  struct Filling {
    fake_cupti::Buffer buffer;
    std::int64_t completed = 0;  // when its last record is complete
  };
  void put(const Activity& activity, std::uint32_t owner);
  void give_completed();

  const std::vector<Activity> activities_;
  const FillOrder order_;
  const std::size_t most_bytes_;
  std::vector<Arrival> arrivals_;
  std::size_t next_ = 0;
  std::int64_t now_ = 0;
  std::map<std::uint32_t, Filling> filling_;  // by thread
  std::vector<Filling> full_;
};

}  // namespace runahead::testing
