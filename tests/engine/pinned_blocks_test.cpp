// Tests PinnedBlocks with a module of which only events and pinning exist: it notes the order of the calls.
#include "engine/device/pinned_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/device/memory/host_memory.h"

namespace runahead::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The calls so far, each as a word.
class Calls {
 public:
  void add(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> calls_;
};
Calls& calls() {
  static Calls only;
  return only;
}

struct NotedEvent {
  const char* stream = "";
};
int live_events = 0;  // these tests make and free events on one thread at a time
std::shared_future<void>* held_wait = nullptr;
std::promise<void>* wait_began = nullptr;
std::int32_t record_status = 0;  // what record_event() gives

RunaheadDeviceApi noting_api() {
  RunaheadDeviceApi api{};
  api.make_event = [](void*, void** out) {
    *out = new NotedEvent;
    ++live_events;
    return 0;
  };
  api.free_event = [](void*, void* event) {
    delete static_cast<NotedEvent*>(event);
    --live_events;
  };
  api.record_event = [](void*, void* event, void* stream, std::int32_t) {
    static_cast<NotedEvent*>(event)->stream = static_cast<const char*>(stream);
    return record_status;
  };
  api.await_stream = [](void*, void* stream) {
    calls().add(std::string("await all of ") + static_cast<const char*>(stream));
    return 0;
  };
  api.await_event = [](void*, void* event) {
    calls().add(std::string("await ") + static_cast<NotedEvent*>(event)->stream);
    if (wait_began != nullptr) std::exchange(wait_began, nullptr)->set_value();
    if (held_wait != nullptr) held_wait->wait();
    return 0;
  };
  api.pin = [](void*, std::size_t bytes) {
    calls().add(bytes > kOwnPagesBytes ? "pin more" : "pin");
    return 0;
  };
  api.unpin = [](void*) {
    calls().add("unpin");
    return 0;
  };
  return api;
}

class Pinned : public ::testing::Test {
 protected:
  void TearDown() override {
    blocks_.unpin(&block_);
    for (const auto& stream : {a_, b_}) blocks_.forget(stream);
    (void)calls().take();
    EXPECT_EQ(live_events, 0);
  }
  std::int32_t copy(const PinnedBlocks::Stream& stream, HostMemory memory,
                    std::size_t bytes = kOwnPagesBytes) {
    return blocks_.copy(stream, &block_, bytes, memory, [] {
      calls().add("copy");
      return 0;
    });
  }

  char a_name_[2] = "a", b_name_[2] = "b";
  const RunaheadDeviceApi api_ = noting_api();
  const PinnedBlocks::Stream a_{&api_, nullptr, a_name_}, b_{&api_, nullptr, b_name_};
  const char block_ = 0;  // only its address is used
  PinnedBlocks blocks_;
};

TEST_F(Pinned, ABlockIsPinnedOnceAndASmallOneNotAtAll) {
  EXPECT_EQ(copy(a_, HostMemory::kPinned, kOwnPagesBytes - 1), 0);
  EXPECT_THAT(calls().take(), ElementsAre("copy"));
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  EXPECT_EQ(copy(b_, HostMemory::kPinned, 4), 0);
  EXPECT_THAT(calls().take(), ElementsAre("pin", "copy", "copy"));
}

TEST_F(Pinned, APageableCopyOfAnotherStreamUnpinsAfterAllPinnedCopies) {
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  EXPECT_EQ(copy(b_, HostMemory::kPinned), 0);
  (void)calls().take();
  EXPECT_EQ(copy(b_, HostMemory::kPageable), 0);
  EXPECT_THAT(calls().take(), ElementsAre("await a", "await b", "unpin", "copy"));
  EXPECT_EQ(copy(b_, HostMemory::kPageable), 0);
  EXPECT_THAT(calls().take(), ElementsAre("copy"));
}

TEST_F(Pinned, MoreOfABlockIsPinnedAfterItsPinnedCopies) {
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  EXPECT_EQ(copy(b_, HostMemory::kPinned, kOwnPagesBytes + 1), 0);
  EXPECT_THAT(calls().take(), ElementsAre("pin", "copy", "await a", "unpin", "pin more", "copy"));
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  EXPECT_THAT(calls().take(), ElementsAre("copy"));
}

TEST_F(Pinned, ABlockThatGoesIsUnpinnedAfterItsCopies) {
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  blocks_.unpin(&block_);
  EXPECT_THAT(calls().take(), ElementsAre("pin", "copy", "await a", "unpin"));
  blocks_.unpin(&block_);
  EXPECT_THAT(calls().take(), IsEmpty());
}

// The copy is in flight, and no event says when it has ended.
TEST_F(Pinned, AStreamWhoseEventIsRefusedIsAwaitedAsAWhole) {
  record_status = 7;
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 7);
  record_status = 0;
  blocks_.unpin(&block_);
  EXPECT_THAT(calls().take(), ElementsAre("pin", "copy", "await all of a", "unpin"));
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  record_status = 7;
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 7);
  record_status = 0;
  EXPECT_EQ(copy(b_, HostMemory::kPinned), 0);
  (void)calls().take();
  blocks_.unpin(&block_);
  EXPECT_THAT(calls().take(), ElementsAre("await all of a", "await b", "unpin"));
}

TEST_F(Pinned, AStreamThatHasEndedIsNotAwaited) {
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  EXPECT_EQ(copy(b_, HostMemory::kPinned), 0);
  blocks_.forget(a_);
  EXPECT_EQ(live_events, 1);
  (void)calls().take();
  blocks_.unpin(&block_);
  EXPECT_THAT(calls().take(), ElementsAre("await b", "unpin"));
}

// A pinned copy would not be known to those who unpin.
TEST_F(Pinned, NothingIsPinnedDuringAPageableCopy) {
  const std::int32_t status = blocks_.copy(a_, &block_, kOwnPagesBytes, HostMemory::kPageable, [&] {
    EXPECT_EQ(copy(b_, HostMemory::kPinned), 0);
    return 7;
  });
  EXPECT_EQ(status, 7);
  EXPECT_THAT(calls().take(), ElementsAre("copy"));
  EXPECT_EQ(copy(b_, HostMemory::kPinned), 0);
  EXPECT_THAT(calls().take(), ElementsAre("pin", "copy"));
}

// A stream may execute a call of the host that frees another block, so nobody may wait with the lock.
TEST_F(Pinned, OtherBlocksAreFreeDuringAWaitAndTheBlockIsNot) {
  EXPECT_EQ(copy(a_, HostMemory::kPinned), 0);
  (void)calls().take();
  std::promise<void> opened, began;
  std::shared_future<void> door = opened.get_future().share();
  held_wait = &door;
  wait_began = &began;
  std::thread pageable([&] { EXPECT_EQ(copy(b_, HostMemory::kPageable), 0); });
  began.get_future().wait();
  const char other = 0;
  blocks_.unpin(&other);
  EXPECT_EQ(blocks_.copy(b_, &other, 4, HostMemory::kPageable, [] { return 0; }), 0);
  std::thread pinned([&] { EXPECT_EQ(copy(a_, HostMemory::kPinned), 0); });
  opened.set_value();
  pageable.join();
  pinned.join();
  held_wait = nullptr;
  std::vector<std::string> all = calls().take();
  ASSERT_GE(all.size(), 4u);
  all.resize(2);
  EXPECT_THAT(all, ElementsAre("await a", "unpin"));
}

}  // namespace
}  // namespace runahead::engine
