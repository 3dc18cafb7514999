// A pipeline with two threads: a producer makes items, a consumer uses them. The producer is twice as fast,
// so it runs ahead of the consumer, and the items between them fill the memory. A switch bounds their queue
// while the program runs.
//
//   runahead live -- pipeline            opens the window on it: press the buttons of "queue bound"
//   pipeline SECONDS                     ends after this time (default: 60)
//
// It shows what a program does to be watched: zones, a wait, steps, two measures and a Switch, all from
// <runahead/runahead.h>.
#include <runahead/runahead.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kItemBytes = 64 << 10;
constexpr std::size_t kMostItems = 16384;  // 1 GiB: the queue never holds more, whatever the switch says
using Item = std::vector<char>;

// Uses the processor for some time, as real work does.
void work_for(std::chrono::microseconds time) {
  for (const auto end = steady_clock::now() + time; steady_clock::now() < end;) {
  }
}

class Pipeline {
 public:
  explicit Pipeline(std::chrono::seconds time) : end_(steady_clock::now() + time) {}

  void produce() {
    runahead::name_frontend("producer");
    while (steady_clock::now() < end_) {
      Item item = make();
      wait_for_room();
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(item));
      changed_.notify_all();
      show_queue();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  void consume() {
    runahead::name_thread("consumer");
    while (true) {
      Item item;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !queue_.empty() || done_; });
        if (done_) return;
        item = std::move(queue_.front());
        queue_.pop_front();
        changed_.notify_all();
        show_queue();
      }
      RUNAHEAD_ZONE("consume");
      work_for(std::chrono::microseconds(1000));
      RUNAHEAD_FRAME("item");
    }
  }

 private:
  static Item make() {
    RUNAHEAD_ZONE("produce");
    work_for(std::chrono::microseconds(500));
    return Item(kItemBytes, 'x');
  }

  [[nodiscard]] std::size_t bound() const {
    constexpr std::size_t kBounds[] = {kMostItems, 64, 8};
    return kBounds[bound_.choice()];
  }

  // The switch may be turned while the producer waits, so the producer looks at it again after each item.
  void wait_for_room() {
    static const runahead::Site& full = runahead::wait_site("queue is full");
    std::unique_lock lock(mutex_);
    if (queue_.size() < bound()) return;
    const runahead::Wait waiting(full);
    changed_.wait(lock, [this] { return queue_.size() < bound() || steady_clock::now() >= end_; });
  }

  void show_queue() const {
    memory_.set(static_cast<double>(queue_.size() * kItemBytes));
    ahead_.set(static_cast<double>(queue_.size()));
  }

  const runahead::Switch bound_{"queue bound", {"none", "64", "8"}};
  const runahead::Counter memory_{"queued items", runahead::Measure::kLiveMemory, "Memory"};
  const runahead::Counter ahead_{"items ahead", runahead::Measure::kStepsAhead, "Run-ahead"};
  const steady_clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  bool done_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const long seconds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 60;
  if (seconds < 1 || seconds > 86400) {
    std::fprintf(stderr, "pipeline: '%s': give a number of seconds from 1 to 86400\n", argv[1]);
    return 2;
  }
  Pipeline pipeline{std::chrono::seconds(seconds)};
  std::thread producer([&] { pipeline.produce(); });
  pipeline.consume();
  producer.join();
  return 0;
}
