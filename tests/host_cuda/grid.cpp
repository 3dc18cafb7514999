#include "tests/host_cuda/grid.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <utility>

#include "tests/host_cuda/fibre.h"

namespace runahead::host_cuda {

thread_local constinit Place here;

namespace {

class Orders {
 public:
  explicit Orders(std::uint64_t seed) : state_(seed * 2 + 1) {}
  void shuffle(std::vector<unsigned>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[next(i)]);
  }
  std::size_t next(std::size_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % below);
  }

 private:
  std::uint64_t state_;
};

std::vector<unsigned> numbers(unsigned count) {
  std::vector<unsigned> all(count);
  for (unsigned i = 0; i < count; ++i) all[i] = i;
  return all;
}

std::size_t cells_of(const dim3& size) { return std::size_t{size.x} * size.y * size.z; }
dim3 place_in(const dim3& size, unsigned number) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}
std::string line_text(int line) { return "line " + std::to_string(line); }

// Runs the blocks of grids, one after the other, on one thread of the operating system.
class Processor {
 public:
  static Processor& of_this_thread() {
    static thread_local Processor processor;
    return processor;
  }

  std::string run(const dim3& blocks, const dim3& threads, std::uint64_t seed,
                  const std::function<void()>& kernel) {
    kernel_ = &kernel;
    fault_.clear();
    here.grid = blocks;
    here.block_size = threads;
    Orders orders(seed);
    std::vector<unsigned> all = numbers(static_cast<unsigned>(cells_of(blocks)));
    orders.shuffle(all);
    threads_ = numbers(static_cast<unsigned>(cells_of(threads)));
    for (const unsigned block : all) {
      here.block = place_in(blocks, block);
      run_block(orders);
      if (!fault_.empty()) break;
    }
    return fault_;
  }

  void wait_at(int line) {
    Thread& me = *running_;
    me.waits_at = line;
    me.fibre.pause();
    running_ = &me;
    here.thread = place_in(here.block_size, me.number);
  }
  // The fibre never goes on: run_block() forgets its stack. Therefore no caller may own memory, such as a
  // string.
  template <typename... Values>
  [[noreturn]] void fail(const char* format, Values... values) {
    const dim3 t = here.thread, b = here.block;
    if (fault_.empty()) {
      char text[256], all[320];
      std::snprintf(text, sizeof text, format, values...);
      std::snprintf(all, sizeof all, "%s (thread %u,%u of block %u)", text, t.x, t.y, b.x);
      fault_ = all;
    }
    running_->waits_at = kFailed;
    running_->fibre.pause();
    std::abort();
  }
  SharedCells& shared(int line, std::size_t cells, std::size_t cell_bytes) {
    for (SharedCells& array : shared_) {
      if (array.line == line) return array;
    }
    SharedCells& made = shared_.emplace_back();
    made.line = line;
    made.bytes.assign(cells * cell_bytes, std::byte{0xff});  // NaN
    made.uses.resize(cells);
    return made;
  }
  [[nodiscard]] std::uint64_t phase() const { return phase_; }
  [[nodiscard]] unsigned thread() const { return running_->number; }

 private:
  static constexpr int kEnded = 0, kFailed = -1;
  struct Thread {
    explicit Thread(Processor& processor) : owner(processor), fibre(&Processor::work, this) {}
    Processor& owner;
    unsigned number = 0;
    int waits_at = kEnded;  // the line of a barrier
    Fibre fibre;
  };

  // The body of a fibre: runs threads that have not begun, until one of them waits at a barrier.
  static void work(void* argument) {
    Thread& me = *static_cast<Thread*>(argument);
    Processor& owner = me.owner;
    for (;;) {
      while (owner.next_ < owner.threads_.size()) {
        me.number = owner.threads_[owner.next_++];
        here.thread = place_in(here.block_size, me.number);
        (*owner.kernel_)();
        owner.last_ended_ = me.number;
        ++owner.ended_;
      }
      me.waits_at = kEnded;
      me.fibre.pause();
    }
  }

  Thread& take_thread() {
    if (spare_.empty()) {
      all_.push_back(std::make_unique<Thread>(*this));
      return *all_.back();
    }
    Thread& taken = *spare_.back();
    spare_.pop_back();
    return taken;
  }
  void go_on(Thread& thread, std::vector<Thread*>& waiting) {
    running_ = &thread;
    thread.fibre.resume();
    if (thread.waits_at == kEnded) {
      spare_.push_back(&thread);
    } else {
      waiting.push_back(&thread);
    }
  }

  void run_block(Orders& orders) {
    shared_.clear();
    next_ = ended_ = 0;
    phase_ = 1;
    orders.shuffle(threads_);
    std::vector<Thread*> waiting, next;
    while (next_ < threads_.size() && fault_.empty()) go_on(take_thread(), waiting);
    while (!waiting.empty() && fault_.empty()) {
      check_barrier(waiting);
      if (!fault_.empty()) break;
      ++phase_;
      next = std::exchange(waiting, {});
      for (std::size_t i = next.size(); i > 1; --i) std::swap(next[i - 1], next[orders.next(i)]);
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (fault_.empty()) {
          go_on(*next[i], waiting);
        } else {
          waiting.push_back(next[i]);
        }
      }
    }
    for (Thread* const thread : waiting) {
      thread->fibre.restart();
      spare_.push_back(thread);
    }
  }

  void check_barrier(const std::vector<Thread*>& waiting) {
    const int line = waiting.front()->waits_at;
    for (const Thread* const thread : waiting) {
      if (thread->waits_at == line) continue;
      fault_ = "the threads of a block wait at different barriers: thread " +
               std::to_string(waiting.front()->number) + " in " + line_text(line) + ", thread " +
               std::to_string(thread->number) + " in " + line_text(thread->waits_at);
      return;
    }
    if (ended_ != 0)
      fault_ = std::to_string(ended_) + " threads of a block have ended, as thread " +
               std::to_string(last_ended_) + ", and " + std::to_string(waiting.size()) +
               " wait at the barrier in " + line_text(line);
  }

  const std::function<void()>* kernel_ = nullptr;
  std::string fault_;
  std::vector<unsigned> threads_;  // in the order in which they begin
  std::size_t next_ = 0, ended_ = 0;
  unsigned last_ended_ = 0;
  std::uint64_t phase_ = 1;  // 1 + the number of barriers that the block has passed
  std::deque<SharedCells> shared_;
  Thread* running_ = nullptr;
  std::vector<std::unique_ptr<Thread>> all_;
  std::vector<Thread*> spare_;
};

}  // namespace

std::string run_grid(const dim3& blocks, const dim3& threads, std::uint64_t seed,
                     const std::function<void()>& kernel) {
  return Processor::of_this_thread().run(blocks, threads, seed, kernel);
}

void barrier(int line) { Processor::of_this_thread().wait_at(line); }

SharedCells& shared_cells(int line, std::size_t cells, std::size_t cell_bytes) {
  return Processor::of_this_thread().shared(line, cells, cell_bytes);
}

void outside_shared(const SharedCells& cells, std::int64_t index, std::size_t size) {
  Processor::of_this_thread().fail("index %lld of a dimension of %zu of the shared array in line %d",
                                   static_cast<long long>(index), size, cells.line);
}

void check_shared(SharedCells& cells, std::int64_t cell, bool writes) {
  Processor& processor = Processor::of_this_thread();
  SharedCells::Use& use = cells.uses[static_cast<std::size_t>(cell)];
  const std::uint64_t now = processor.phase();
  const unsigned me = processor.thread();
  const auto at = static_cast<long long>(cell);
  if (use.written_in == now && use.writer != me)
    processor.fail(
        "no barrier between thread %u, which wrote cell %lld of the shared array in line %d, and the thread "
        "that uses it",
        use.writer, at, cells.line);
  if (writes && use.read_in == now && (use.reader != me || use.several_readers))
    processor.fail(
        "no barrier between thread %u, which read cell %lld of the shared array in line %d, and the thread "
        "that writes it",
        use.reader, at, cells.line);
  if (!writes && use.written_in == 0)
    processor.fail("no thread has written cell %lld of the shared array in line %d", at, cells.line);
  if (writes) {
    use.written_in = now;
    use.writer = me;
  } else {
    use.several_readers = use.read_in == now && (use.several_readers || use.reader != me);
    use.reader = me;
    use.read_in = now;
  }
}

}  // namespace runahead::host_cuda
