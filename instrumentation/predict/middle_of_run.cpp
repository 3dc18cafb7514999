#include "instrumentation/predict/middle_of_run.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "instrumentation/base/wrapping.h"

namespace runahead::predict {
namespace {

using trace::OpRow;

bool is_ready(const OpRow& row, Timestamp t) {
  return row.enqueued <= t && (row.ready == trace::kNever ? row.started : row.ready) <= t;
}

// The op begins at once, on a server that the simulation takes to have been idle.
void begin_after(Op& op, Duration delay) {
  op.start_idle = Idle::kLong;
  op.start_delay = delay;
}

class MiddleWriter {
 public:
  MiddleWriter(const Program& program, MiddleOfRun run) : run_(std::move(run)), out_(program) {}

  Program write() {
    begin_ops();
    order_queues();
    begin_blocks();
    begin_frontends();
    return std::move(out_);
  }

 private:
  void begin_ops();
  void order_queues();
  void begin_blocks();
  void begin_frontends();

  MiddleOfRun run_;
  Program out_;
  std::vector<OpIndex> from_before_;  // ops in flight that no event of the part enqueues
  std::vector<OpIndex> ready_;        // ops that are ready and have not begun
};

void MiddleWriter::begin_ops() {
  from_before_ = std::exchange(out_.done, {});
  for (OpIndex i = 0; i < out_.ops.size(); ++i) {
    const OpRow& row = run_.rows[i];
    Op& op = out_.ops[i];
    if (row.ended <= run_.at) {
      out_.done.push_back(i);
    } else if (row.started <= run_.at) {
      op.duration = bounded(row.ended - run_.at);
      op.lateness = Duration{};
      op.ready_delay = Duration{};
      begin_after(op, Duration{});
    } else if (is_ready(row, run_.at)) {
      if (op.start_idle != Idle::kNot) begin_after(op, bounded(row.started - run_.at));
      ready_.push_back(i);
    }
  }
}

// Ops that are ready go in the order in which they became ready, after those that are running: a nanosecond
// after each other.
void MiddleWriter::order_queues() {
  std::ranges::sort(ready_, {}, [&](OpIndex i) { return std::tuple(run_.rows[i].ready, i); });
  for (std::size_t place = 0; place < ready_.size(); ++place)
    out_.ops[ready_[place]].ready_delay = Duration(static_cast<Duration::rep>(place) + 1);
}

void MiddleWriter::begin_blocks() {
  const auto is_live = [&](BlockIndex block) {
    return run_.lives[block].begin <= run_.at && run_.lives[block].end > run_.at;
  };
  const auto set_live = [&](BlockIndex i, bool live) {
    Block& block = out_.blocks[i];
    if (std::exchange(block.began_before, live) == live) return;
    std::int64_t& bytes = out_.memories[block.device].begin_bytes;
    bytes = live ? wrapping_sum(bytes, block.size_bytes) : wrapping_difference(bytes, block.size_bytes);
  };
  // Which blocks the pool has free in the middle is not known: ops keep their recorded times.
  out_.pool_classes.clear();
  for (Block& block : out_.blocks) block.pool_class = kNone;
  for (BlockIndex block = 0; block < out_.blocks.size(); ++block) {
    if (out_.blocks[block].began_before && !is_live(block)) set_live(block, false);
  }
  for (const OpIndex op : out_.done) {
    for (const BlockIndex block : out_.allocates.of(op)) set_live(block, is_live(block));
  }
}

void MiddleWriter::begin_frontends() {
  out_.frontends = std::move(run_.frontends);
  if (out_.frontends.empty()) return;
  std::vector<Event> first;
  for (const OpIndex op : from_before_) first.push_back({.action = Action::kEnqueue, .target = op});
  std::vector<Event>& events = out_.frontends.front().events;
  events.insert(events.begin(), first.begin(), first.end());
  // The ops that run at the begin are enqueued then, and wake nobody.
  for (Frontend& frontend : out_.frontends) {
    for (Event& event : frontend.events) {
      if (event.action != Action::kEnqueue || run_.rows[event.target].started > run_.at) continue;
      event.ready_at_once = true;
      event.after_wait = false;
      event.wake_time = Duration{};
    }
  }
}

}  // namespace

Program start_in_middle(const Program& program, MiddleOfRun run) {
  return MiddleWriter(program, std::move(run)).write();
}

}  // namespace runahead::predict
