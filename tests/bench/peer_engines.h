// The benchmarks compare our engine with these peer engines, in the same program and run. A peer engine is
// what a programmer could build with the libraries in Debian's packages. The peer engines run empty ops and
// have one enqueuing thread. They support no errors, priorities, names or recording. TrackedOps frees its ops
// only after the time is measured. All of this is to the advantage of the peer engines.
//
//   TrackedOps<Pool>  finds dependencies like MXNet's engine: each Var knows its last writer and the ops
//                     that have read the Var since that write. A Pool runs the ready ops: TaskGroupPool
//                     (oneTBB's task_group) or MutexPool (one thread; a mutex and a condition variable guard
//                     its queue)
//   FlowGraph         oneTBB's flow graph: a continue_node per op. The complete graph is built before it runs
#pragma once

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bench/op_shapes.h"

namespace runahead::bench {

struct PeerOp;
// An edge. It is stored in the successor and linked into a list of the predecessor.
struct PeerEdge {
  PeerEdge* next = nullptr;
  PeerOp* successor = nullptr;
};

struct PeerOp {
  static constexpr std::size_t kInlineEdges = 3;
  // The list of edges to the successors. Once the op is done, the list is equal to closed(). The enqueuing
  // thread pushes edges. The thread that completes the op closes the list.
  std::atomic<PeerEdge*> successors{nullptr};
  // The number of predecessors that are not done. Until all edges to this op exist, the number is larger by
  // 1, so that the op cannot start too early.
  std::atomic<int> pending{1};
  PeerEdge room[kInlineEdges];
  std::vector<PeerEdge> more;

  static PeerEdge* closed() {
    static PeerEdge edge;
    return &edge;
  }
  // Adds an edge. Returns false if the op is already done.
  bool push(PeerEdge& edge) {
    PeerEdge* head = successors.load(std::memory_order_acquire);
    do {
      if (head == closed()) return false;
      edge.next = head;
    } while (
        !successors.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire));
    return true;
  }
};

template <typename Pool>
class TrackedOps {
 public:
  explicit TrackedOps(const Program& program)
      : program_(program), vars_(program.vars), pool_([this](PeerOp& op) { complete(op); }) {}

  void enqueue(std::size_t i) {
    const ShapedOp& shape = program_.ops[i];
    PeerOp& op = ops_.emplace_back();
    Var& written = vars_[shape.write];
    const std::size_t most = shape.read_count + written.readers.size() + 1;
    if (most > PeerOp::kInlineEdges) op.more.resize(most);
    PeerEdge* edge = most > PeerOp::kInlineEdges ? op.more.data() : op.room;
    const auto follow = [&](PeerOp* before) {
      if (before == nullptr) return;
      edge->successor = &op;
      op.pending.fetch_add(1, std::memory_order_relaxed);
      if (before->push(*edge)) {
        ++edge;
      } else {
        op.pending.fetch_sub(1, std::memory_order_relaxed);
      }
    };
    for (std::uint32_t r = 0; r < shape.read_count; ++r) {
      Var& read = vars_[shape.reads[r]];
      follow(read.writer);
      read.readers.push_back(&op);
    }
    for (PeerOp* reader : written.readers) follow(reader);
    follow(written.writer);
    written.readers.clear();
    written.writer = &op;
    release(op);
  }
  void wait() { pool_.wait(); }

 private:
  struct Var {
    PeerOp* writer = nullptr;
    std::vector<PeerOp*> readers;
  };
  void release(PeerOp& op) {
    if (op.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) pool_.run(op);
  }
  void complete(PeerOp& op) {
    PeerEdge* edge = op.successors.exchange(PeerOp::closed(), std::memory_order_acq_rel);
    while (edge != nullptr) release(*std::exchange(edge, edge->next)->successor);
  }

  const Program& program_;
  std::deque<PeerOp> ops_;
  std::vector<Var> vars_;
  Pool pool_;
};

// This pool has one worker thread in addition to the frontend (the enqueuing thread). While the frontend
// waits, it runs ops too: in oneTBB every waiting thread runs tasks.
class TaskGroupPool {
 public:
  explicit TaskGroupPool(std::function<void(PeerOp&)> complete) : complete_(std::move(complete)) {}
  void run(PeerOp& op) {
    group_.run([this, &op] { complete_(op); });
  }
  void wait() { group_.wait(); }

 private:
  std::function<void(PeerOp&)> complete_;
  tbb::global_control two_threads_{tbb::global_control::max_allowed_parallelism, 2};
  tbb::task_group group_;
};

class MutexPool {
 public:
  explicit MutexPool(std::function<void(PeerOp&)> complete)
      : complete_(std::move(complete)), worker_([this] { work(); }) {}
  ~MutexPool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  void run(PeerOp& op) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&op);
      ++outstanding_;
    }
    changed_.notify_one();
  }
  // Waits for all ops that were passed to run(), and for all ops that become ready when these ops end.
  void wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return outstanding_ == 0; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      PeerOp& op = *queue_.front();
      queue_.pop_front();
      lock.unlock();
      complete_(op);
      lock.lock();
      if (--outstanding_ == 0) idle_.notify_all();
    }
  }

  std::function<void(PeerOp&)> complete_;
  std::mutex mutex_;  // guards queue_, outstanding_ and stopping_
  std::condition_variable changed_, idle_;
  std::deque<PeerOp*> queue_;
  std::size_t outstanding_ = 0;
  bool stopping_ = false;
  std::thread worker_;  // the last member, because the thread uses all members above
};

class FlowGraph {
 public:
  explicit FlowGraph(const Program& program) : program_(program), vars_(program.vars) {}

  void enqueue(std::size_t i) {
    const ShapedOp& shape = program_.ops[i];
    Node& node = nodes_.emplace_back(graph_, [](const tbb::flow::continue_msg&) {});
    bool first = true;
    const auto follow = [&](Node* before) {
      if (before == nullptr) return;
      tbb::flow::make_edge(*before, node);
      first = false;
    };
    for (std::uint32_t r = 0; r < shape.read_count; ++r) {
      Var& read = vars_[shape.reads[r]];
      follow(read.writer);
      read.readers.push_back(&node);
    }
    Var& written = vars_[shape.write];
    for (Node* reader : written.readers) follow(reader);
    follow(written.writer);
    written.readers.clear();
    written.writer = &node;
    if (first) first_.push_back(&node);
  }
  void wait() {
    for (Node* node : first_) node->try_put(tbb::flow::continue_msg());
    graph_.wait_for_all();
  }

 private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  struct Var {
    Node* writer = nullptr;
    std::vector<Node*> readers;
  };

  const Program& program_;
  tbb::global_control two_threads_{tbb::global_control::max_allowed_parallelism, 2};
  tbb::flow::graph graph_;
  std::deque<Node> nodes_;
  std::vector<Node*> first_;
  std::vector<Var> vars_;
};

}  // namespace runahead::bench
