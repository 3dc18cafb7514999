#include "engine/device/virtual_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <latch>
#include <thread>
#include <utility>

#include "engine/device/memory/host_memory.h"
#include "engine/device/prompt_thread.h"
#include "engine/device/timer_queue.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

// A Stream has its own thread, which computes the work items in the order of submission. The TimerQueue
// starts and ends the items at their modelled times. submit(): any thread.
class Stream {
 public:
  Stream(const VirtualModel& model, StreamKind kind, DeviceClock& clock, TimerQueue& timer_queue,
         std::atomic<std::uint64_t>& late_ops)
      : model_(model),
        kind_(kind),
        clock_(clock),
        timer_queue_(timer_queue),
        late_ops_(late_ops),
        thread_([this] { serve(); }) {}
  ~Stream() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  // Waits until the stream's thread runs. This is needed because on a busy processor a new thread waits for a
  // whole time slice before it first runs.
  void wait_until_serving() { serving_.wait(); }

  void submit(Work work) {
    // submit() notifies while it holds the lock. After the unlock, the work might end, and the device might
    // be destroyed together with `changed_`.
    const MutexLock lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_one();
  }

 private:
  void serve();
  void execute(Work& work);

  const VirtualModel& model_;
  const StreamKind kind_;
  DeviceClock& clock_;
  TimerQueue& timer_queue_;
  std::atomic<std::uint64_t>& late_ops_;  // shared by the device's streams; each stream adds
  std::uint64_t last_end_ticks_ = 0;      // used only by the stream's thread
  Mutex mutex_;                           // never nests
  std::condition_variable changed_;
  std::deque<Work> queue_ RUNAHEAD_GUARDED_BY(mutex_);
  bool stopping_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::latch serving_{1};
  std::thread thread_;  // declared last: the thread uses all members above
};

void Stream::serve() {
  make_this_thread_prompt();
  serving_.count_down();
  for (;;) {
    Work work;
    {
      MutexLock lock(mutex_);
      changed_.wait(lock.native(),
                    [this]() RUNAHEAD_REQUIRES(mutex_) { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    execute(work);
  }
}

void Stream::execute(Work& work) {
  const std::uint64_t start = std::max(last_end_ticks_, work.ready_ticks);
  std::uint64_t end = start + clock_.ticks_from(modelled_duration(model_, kind_, work.cost));
  std::uint8_t flags = 0;
  if (work.started) {
    timer_queue_.at(start, [started = std::move(work.started), start] { started(start); });
  }
  if (model_.holds_values) work.run();
  const std::uint64_t there = clock_.now_ticks();
  if (there > end + clock_.ticks_from(kLateAfter)) {
    end = there;
    flags = trace::kSliceLate;
    late_ops_.fetch_add(1, std::memory_order_relaxed);
  }
  last_end_ticks_ = end;
  // hold() delays the call for the end of this op until computed() has returned. Otherwise, an op that
  // computed() releases on another stream could end before this op.
  const TimerQueue::Slot slot =
      timer_queue_.hold(end, [this, done = std::move(work.done), start, end, flags] {
        // min(), because after hurry() the TimerQueue makes this call before `end`
        done(start, std::max(start, std::min(end, clock_.now_ticks())), flags);
      });
  if (work.computed) work.computed(start, end, flags);
  timer_queue_.release(slot);
}

class VirtualDevice final : public Device {
 public:
  VirtualDevice(std::string name, VirtualModel model, std::shared_ptr<DeviceClock> clock)
      : name_(std::move(name)),
        model_(model),
        clock_(std::move(clock)),
        pool_(name_, true, model_.capacity_bytes, model_.holds_values ? make_host_source() : nullptr),
        timer_queue_(*clock_) {
    for (int i = 0; i < kStreamKindCount; ++i) {
      streams_[i] =
          std::make_unique<Stream>(model_, static_cast<StreamKind>(i), *clock_, timer_queue_, late_ops_);
    }
    for (const auto& stream : streams_) stream->wait_until_serving();
  }

  const std::string& name() const override { return name_; }
  bool simulated() const override { return true; }
  bool holds_values() const override { return model_.holds_values; }
  MemoryPool& pool() override { return pool_; }
  std::uint64_t now_ticks() const override { return clock_->now_ticks(); }
  std::uint64_t lookahead_ticks() const override { return clock_->ticks_from(kLookahead); }
  bool starts_on_time() const override { return true; }
  void call_at(std::uint64_t ticks, std::function<void()> call) override {
    timer_queue_.timer(ticks, std::move(call));
  }
  std::uint64_t modelled_ticks(StreamKind stream, const Cost& cost) const override {
    return clock_->ticks_from(modelled_duration(model_, stream, cost));
  }
  void submit(StreamKind stream, Work work) override {
    streams_[static_cast<std::size_t>(stream)]->submit(std::move(work));
  }
  void hurry() override { timer_queue_.hurry(); }
  std::string description() const override { return describe(model_); }
  std::uint64_t late_ops() const override { return late_ops_.load(std::memory_order_relaxed); }

 private:
  const std::string name_;
  const VirtualModel model_;
  const std::shared_ptr<DeviceClock> clock_;
  std::atomic<std::uint64_t> late_ops_{0};  // streams add, any thread reads
  MemoryPool pool_;
  // Starts and ends work items. It is destroyed after streams_, but no call of the queue can then submit a
  // work item to a destroyed stream, because nothing is in flight.
  TimerQueue timer_queue_;
  // declared last: the threads of the streams use all members above
  std::array<std::unique_ptr<Stream>, kStreamKindCount> streams_;
};

}  // namespace

const std::vector<VirtualModel>& virtual_presets() {
  static const std::vector<VirtualModel> kPresets{
      VirtualModel{},
      // The rates of computing (float32, without tensor cores) and of memory (HBM3) come from the card's data
      // sheet. The link is a PCIe 5.0 x16 link at the rate that users measure (about 55 GB/s). CUDA programs
      // measure a few microseconds for a launch.
      VirtualModel{.preset = "h100",
                   .launch = std::chrono::microseconds(4),
                   .flops_per_s = 67e12,
                   .memory_bytes_per_s = 3.35e12,
                   .copy_latency = std::chrono::microseconds(8),
                   .pinned_bytes_per_s = 55e9,
                   .pageable_bytes_per_s = 12e9,
                   .capacity_bytes = std::size_t{80'000'000'000},
                   .holds_values = false}};
  return kPresets;
}

Result<VirtualModel> find_virtual_preset(std::string_view name) {
  std::string names;
  for (const VirtualModel& model : virtual_presets()) {
    if (model.preset == name) return model;
    names += (names.empty() ? "" : ", ") + std::string(model.preset);
  }
  return Error{"unknown preset '" + std::string(name) + "'; there are: " + names};
}

std::string describe(const VirtualModel& model) {
  const auto per_s = [](double rate, const char* unit) {
    // In a text such as "10.0 GB/s", replaces "B/s" by `unit`. The prefix (here G) is correct for both units.
    std::string text = format_bytes_per_s(rate);
    return text.substr(0, text.size() - 3) + unit;
  };
  return "virtual GPU: " + format_duration(model.launch) + " launch, " + per_s(model.flops_per_s, "FLOP/s") +
         ", " + format_bytes_per_s(model.memory_bytes_per_s) + " memory, " +
         format_bytes_per_s(model.pinned_bytes_per_s) + " pinned, " +
         format_bytes_per_s(model.pageable_bytes_per_s) + " pageable, " +
         format_bytes(static_cast<double>(model.capacity_bytes)) +
         (model.holds_values ? "" : ", timing only: holds no values");
}

Duration modelled_duration(const VirtualModel& model, StreamKind stream, const Cost& cost) {
  double seconds = 0;
  Duration latency = model.launch;
  if (stream == StreamKind::kCompute) {
    seconds = std::max(cost.flops / model.flops_per_s, cost.memory_bytes / model.memory_bytes_per_s);
  } else {
    latency = model.copy_latency;
    seconds = cost.copy_bytes / (cost.pageable ? model.pageable_bytes_per_s : model.pinned_bytes_per_s);
  }
  return latency + Duration{std::llround(seconds * 1e9)};
}

std::unique_ptr<Device> make_virtual_device(std::string name, VirtualModel model,
                                            std::shared_ptr<DeviceClock> clock) {
  return std::make_unique<VirtualDevice>(std::move(name), model, std::move(clock));
}

}  // namespace runahead::engine
