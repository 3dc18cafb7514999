// BulkBook: the open bulks of all frontends. A bulk is a group of ops of one frontend that the engine handles
// as one op. The bulk has one OpNode, which is linked, scheduled and completed once. The members run one
// after the other. A bulk stays open while the frontend adds members. A node runs once its count `pending` is
// zero. Until the bulk is closed, its node has an extra count in `pending` (the guard), which keeps the bulk
// from running. A frontend that is about to wait closes all open bulks, because the ops for which it waits
// may depend on their members. Source: MXNet's bulk (Engine::set_bulk_size). Difference: a member gets its
// dependencies as soon as it is added, not when the bulk is closed. Therefore the order between the member
// and ops of other frontends is the order of the enqueues. Threads: all functions except used() need the
// engine's enqueue lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "engine/op_node.h"

namespace runahead::engine {

struct Bulk {
  std::uint64_t frontend = 0;  // id of the thread, see BulkBook::mine()
  int most_members = 0;        // <= 1: this frontend does not use bulks
  OpNode* node = nullptr;      // null: no bulk is open
  std::int32_t edges = 0;      // number of dependency edges that lead to `node`

  [[nodiscard]] bool takes(const Executor& executor, const OpSpec& spec) const {
    return node->executor == &executor && node->priority() == spec.priority;
  }
};

class BulkBook {
 public:
  // usual: the maximum number of members per bulk, for frontends that never called set_size().
  explicit BulkBook(int usual) : usual_(usual), used_(usual > 1) {}

  // False: bulks are off for all frontends, because no frontend has asked for them yet. Any thread, no lock.
  [[nodiscard]] bool used() const { return used_.load(std::memory_order_seq_cst); }
  // Returns the Bulk of the calling thread.
  [[nodiscard]] Bulk& mine();
  // Sets the maximum number of members. Returns the previous maximum.
  int set_size(Bulk& bulk, int most_members);
  void opened(Bulk& bulk, OpNode& node);
  void closed(Bulk& bulk);
  // Calls close(Bulk&) for every open bulk.
  template <typename Close>
  void for_each_open(Close close) {
    for (Bulk& bulk : bulks_) {
      if (bulk.node != nullptr) close(bulk);
    }
  }
  [[nodiscard]] bool any_open() const { return open_ != 0; }

 private:
  const int usual_;
  // Written under the enqueue lock, read by any thread. All accesses to used_ and to the value that
  // RunAheadGate::anyone_waits() reads are sequentially consistent. Suppose that frontend A waits while
  // frontend B sets used_ and then enqueues. Then A sees used_, or B sees that A waits. In both cases a
  // frontend closes the open bulk, so that A does not wait for a bulk that stays open.
  std::atomic<bool> used_;
  std::deque<Bulk> bulks_;  // guarded by the enqueue lock
  int open_ = 0;            // guarded by the enqueue lock; number of open bulks
};

// Returns the site (the name on the timeline) of a bulk with `members` members, such as "bulk of 15".
[[nodiscard]] const record::Site& bulk_site(std::size_t members);

}  // namespace runahead::engine
