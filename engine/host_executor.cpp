#include "engine/host_executor.h"

#include <utility>

#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {

HostExecutor::HostExecutor(Device& device, LeftTally& left, OpRunner& runner, ReadyOrder order,
                           const WorkerPool& pool)
    : Executor(device, left, {.is_fed = true}),
      runner_(runner),
      name_(pool.name),
      spin_(usable_spin(pool.spin)),
      shared_(pool.workers > 1 || pool.helped),
      searcher_(shared_ ? kSearcher : 0),
      fence_(!shared_),
      queue_(order) {
  RUNAHEAD_CHECK(pool.workers > 0 && pool.workers < 0x8000);
  for (int i = 0; i < pool.workers; ++i) {
    workers_.emplace_back([this, i, &returns = runner.add_returns()] { work(i, returns); });
  }
}

void HostExecutor::stop() {
  {
    const MutexLock lock(sleep_mutex_);
    stopping_.store(true, std::memory_order_seq_cst);
  }
  sleep_.notify_all();
  for (std::thread& worker : workers_) {
    if (worker.joinable()) worker.join();
  }
}

void HostExecutor::announce() { wake_one(); }

void HostExecutor::make_ready(OpNode& node) {
  OpNode* head = inbox_.load(std::memory_order_relaxed);
  do {
    node.next = head;
  } while (!inbox_.compare_exchange_weak(head, &node, std::memory_order_release, std::memory_order_relaxed));
  wake_one();
}

[[gnu::noinline]] void HostExecutor::wake_one() {
  fence_.light();
  std::uint32_t pool = pool_.load(std::memory_order_relaxed);
  do {
    if (!has_to_wake(pool)) return;
  } while (!pool_.compare_exchange_weak(pool, pool - kSleeper + searcher_, std::memory_order_relaxed));
  const MutexLock lock(sleep_mutex_);
  ++calls_;
  sleep_.notify_one();
}

[[gnu::flatten]] void HostExecutor::work(int index, OpQueue& returns) {
  std::uint64_t last_end = 0;  // end of the previous op; 0: the worker was idle after it
  WorkerSpin spin;
  bool idled = false, named = false;
  while (OpNode* op = find_work(spin, idled)) {
    if (idled) {
      last_end = 0;
      // At the end of an op, the worker writes to `returns` and left(). Other threads may have used these
      // cache lines while the worker was idle, so they are prefetched.
      returns.prefetch_push();
      __builtin_prefetch(&left(), 1);
    }
    if (!std::exchange(named, true)) {  // a worker that never runs an op gets no track
      record::name_thread(trace::TrackKind::kWorker, name_ + " " + std::to_string(index), index);
    }
    do {
      ReadyList released;
      const OpRunner::Ran ran = runner_.run_here(*op, last_end, released, &returns);
      last_end = ran.end_ticks;
      spin.note_op(ran.waited_for);
      op = released.empty() ? nullptr : dispatch_released(released);
    } while (op != nullptr);
  }
}

bool HostExecutor::run_one() {
  OpNode* const op = take();
  if (op == nullptr) return false;
  ReadyList released;
  (void)runner_.run_here(*op, 0, released);
  make_all_ready(released);
  return true;
}

// Returns the worker's next op. `released`: the ops that became ready when the worker's last op ended. Hands
// the ops of other executors to these executors. If one op is left and no other op waits, the worker runs it
// directly. Otherwise the ops that are left go into queue_, and the first op of queue_ is returned. Null:
// `released` has no op of this executor.
[[gnu::noinline]] OpNode* HostExecutor::dispatch_released(ReadyList& released) {
  OpNode* next = nullptr;
  ReadyList mine;
  while (OpNode* const node = released.pop_front()) {
    if (node->executor != this) {
      node->executor->make_ready(*node);
    } else if (next == nullptr) {
      next = node;
    } else {
      mine.push_back(*node);
    }
  }
  if (next == nullptr || (mine.empty() && !has_work()))
    return next;  // no other op waits: the worker runs this op directly

  OpNode* best = nullptr;
  bool more = false;
  {
    const auto lock = lock_queue();
    collect_locked(true);  // the ops in op_queue_ and inbox_ were ready before the released ops
    queue_.push(*next);
    while (OpNode* const node = mine.pop_front()) queue_.push(*node);
    best = pop_locked();
    more = !queue_.empty();
  }
  if (more && shared_) wake_one();
  return best;
}

std::unique_lock<std::mutex> HostExecutor::lock_queue() {
  return shared_ ? std::unique_lock(queue_mutex_) : std::unique_lock<std::mutex>();
}

// Moves the ops that became ready into queue_. While ops are queued there, the worker usually does not look
// at op_queue_, because a look takes away a cache line that a frontend writes for every op. This is correct:
// a newer op of op_queue_ runs after the queued ops, unless it is urgent (its priority is not 0). But if an
// op becomes ready just now (ready_now), the ops in op_queue_ were ready before it and come first.
void HostExecutor::collect_locked(bool ready_now) {
  if (inbox_.load(std::memory_order_relaxed) != nullptr) {
    OpNode* node = inbox_.exchange(nullptr, std::memory_order_acquire);
    OpNode* oldest_first = nullptr;
    while (node != nullptr) {
      OpNode* const next = node->next;
      node->next = std::exchange(oldest_first, node);
      node = next;
    }
    while (oldest_first != nullptr) queue_.push(*std::exchange(oldest_first, oldest_first->next));
  }
  const bool urgent = urgent_.load(std::memory_order_relaxed);
  if (!urgent && !ready_now && !queue_.empty()) return;
  if (urgent) urgent_.store(false, std::memory_order_relaxed);
  op_queue_.drain([this, urgent](std::span<OpNode* const> fed) {
    if (!urgent) return queue_.push_usual(fed);
    for (OpNode* const node : fed) queue_.push(*node);
  });
}

OpNode* HostExecutor::pop_locked() {
  OpNode* const node = queue_.pop();
  if (shared_) queued_.store(queue_.size(), std::memory_order_relaxed);
  return node;
}

OpNode* HostExecutor::take() {
  const auto lock = lock_queue();
  collect_locked();
  return pop_locked();
}

std::size_t HostExecutor::queued() const {
  return shared_ ? queued_.load(std::memory_order_relaxed) : queue_.size();
}

bool HostExecutor::has_work() const {
  const bool fed = shared_ ? op_queue_.has_more() : op_queue_.has_next();
  return fed || inbox_.load(std::memory_order_relaxed) != nullptr || queued() != 0;
}

OpNode* HostExecutor::find_work(WorkerSpin& spin, bool& idled) {
  idled = false;
  for (;;) {
    if (OpNode* const node = take()) {
      if (idled) {
        stop_searching();
      } else if (shared_ && has_work()) {
        wake_one();
      }
      return node;
    }
    if (stopping_.load(std::memory_order_seq_cst)) return nullptr;
    if (!idled) {
      idled = true;
      spin.note_search(TickClock::get().now());
      if (shared_) pool_.fetch_add(searcher_, std::memory_order_relaxed);
    } else {
      spin_for_work(spin);
      if (!has_work() && !go_to_sleep()) return nullptr;
    }
  }
}

// While this worker searched, no thread that made work woke a worker. Therefore, if work is left when this
// worker stops searching, this worker must wake another one.
[[gnu::noinline]] void HostExecutor::stop_searching() {
  if (!shared_) return;  // there is only one worker, which looks for work again after its op
  pool_.fetch_sub(searcher_, std::memory_order_relaxed);
  fence_.heavy();
  if (has_work()) wake_one();
}

[[gnu::noinline]] void HostExecutor::spin_for_work(WorkerSpin& spin) const {
  if (spin_ <= Duration::zero()) return;
  const TickClock& clock = TickClock::get();
  const auto most = static_cast<std::uint64_t>(static_cast<double>(spin_.count()) * clock.ticks_per_ns());
  const std::uint64_t budget = spin.spin.next(most);
  if (budget == 0) return;
  const std::uint64_t gap = std::min(spin.gap, budget), begin = clock.now();
  std::uint64_t now = begin;
  do {
    const std::uint64_t looked = now;
    do {
      spin_pause();
      now = clock.now();
    } while (now - looked < gap);
  } while (!has_work() && now - begin < budget);
  spin.spin.note(budget, has_work());
}

[[gnu::noinline]] bool HostExecutor::go_to_sleep() {
  // adds one sleeper and subtracts one searcher; the sum wraps around
  pool_.fetch_add(kSleeper - searcher_, std::memory_order_relaxed);
  fence_.heavy();
  // If there is work now, it may have been made before the worker was counted as a sleeper. Then perhaps no
  // thread wakes the worker for it. Therefore the worker stays awake, unless a wake-up is already on its way.
  if (has_work()) {
    std::uint32_t pool = pool_.load(std::memory_order_relaxed);
    while (pool % kSearcher != 0) {
      if (pool_.compare_exchange_weak(pool, pool - kSleeper + searcher_, std::memory_order_relaxed))
        return true;
    }
  }
  MutexLock lock(sleep_mutex_);
  sleep_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(sleep_mutex_) {
    return calls_ > 0 || stopping_.load(std::memory_order_relaxed);
  });
  if (calls_ == 0) return false;  // stopping, and nothing is in flight
  --calls_;
  return true;
}

}  // namespace runahead::engine
