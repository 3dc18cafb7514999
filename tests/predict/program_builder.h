// Makes small Programs for tests. Times are in microseconds.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::initializer_list<int> servers = {1}, std::size_t frontends = 1) {
    for (const int count : servers)
      program_.queues.push_back(
          {.name = "queue " + std::to_string(program_.queues.size()), .servers = count});
    program_.frontends.resize(frontends);
    program_.memories.push_back({.device = "virtual:0"});
  }

  struct NewOp {
    std::int64_t duration_us = 0;
    std::vector<OpIndex> after{};
    QueueIndex queue = 0;
    std::int64_t bytes = 0;  // of its output: a block, if not 0
    std::int64_t before_us = 1;
    std::size_t frontend = 0;
  };
  // The frontend enqueues an op. Returns its index.
  OpIndex op(const NewOp& spec) {
    const auto index = static_cast<OpIndex>(program_.ops.size());
    program_.ops.push_back({.queue = spec.queue,
                            .duration = us(spec.duration_us),
                            .start_idle = Idle::kNot,
                            .output_bytes = spec.bytes});
    std::vector<std::uint32_t> used, own;
    if (spec.bytes != 0) {
      own.push_back(static_cast<BlockIndex>(program_.blocks.size()));
      program_.blocks.push_back({.size_bytes = spec.bytes});
    }
    used = own;
    for (const OpIndex on : spec.after) {
      used.insert(used.end(), own_[on].begin(), own_[on].end());
    }
    add(program_.predecessors, spec.after);
    program_.kinds.resize(program_.predecessors.items.size(), trace::DependencyKind::kReadAfterWrite);
    add(program_.allocates, own);
    add(program_.uses, used);
    own_.push_back(own);
    event(Action::kEnqueue, index, spec.before_us, spec.frontend);
    return index;
  }
  void event(Action action, std::uint32_t target = kNone, std::int64_t before_us = 0,
             std::size_t frontend = 0) {
    program_.frontends[frontend].events.push_back(
        {.before = us(before_us), .action = action, .of_policy = policy_, .target = target});
  }
  void drop(OpIndex op) { event(Action::kDrop, own_[op].front()); }
  // What follows belongs to the policy of the run.
  void set_policy(bool policy) { policy_ = policy; }
  [[nodiscard]] Program& program() { return program_; }

  [[nodiscard]] static Duration us(std::int64_t count) { return std::chrono::microseconds(count); }

 private:
  static void add(Lists& lists, const std::vector<std::uint32_t>& items) {
    lists.items.insert(lists.items.end(), items.begin(), items.end());
    lists.first.push_back(static_cast<std::uint32_t>(lists.items.size()));
  }
  Program program_;
  std::vector<std::vector<BlockIndex>> own_;  // of each op: the blocks that it allocates
  bool policy_ = false;
};

}  // namespace runahead::predict
