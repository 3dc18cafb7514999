// BulkBook: the bulks that frontends have open. A bulk is several ops of one frontend handed over as one: one
// node is linked, scheduled and completed for all of them, and its members run one after the other. It stays
// open, held back by its guard, while members come; whoever is about to wait closes all that are open.
// MXNet's bulk (Engine::set_bulk_size), but what members read and write is known at once, so that other
// frontends' ops are ordered with them.
// All under the engine's enqueue lock, but for used().
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "engine/op_node.h"

namespace runahead::engine {

struct Bulk {
  std::uint64_t frontend = 0;  // see BulkBook::mine()
  int most_members = 0;        // <= 1: each op goes by itself
  OpNode* node = nullptr;      // null: none is open
  std::int32_t edges = 0;      // that lead to it

  [[nodiscard]] bool takes(const Executor& executor, const OpSpec& spec) const {
    return node->executor == &executor && node->priority() == spec.priority;
  }
};

class BulkBook {
 public:
  // usual: members of a bulk of frontends that did not say.
  explicit BulkBook(int usual) : usual_(usual), used_(usual > 1) {}

  // False: no frontend ever asked for bulks. Any thread.
  [[nodiscard]] bool used() const { return used_.load(std::memory_order_seq_cst); }
  // The calling frontend's.
  [[nodiscard]] Bulk& mine();
  // Returns what it was.
  int set_size(Bulk& bulk, int most_members);
  void opened(Bulk& bulk, OpNode& node);
  void closed(Bulk& bulk);
  // Calls close(Bulk&) for each that is open.
  template <typename Close>
  void for_each_open(Close close) {
    for (Bulk& bulk : bulks_) {
      if (bulk.node != nullptr) close(bulk);
    }
  }
  [[nodiscard]] bool any_open() const { return open_ != 0; }

 private:
  const int usual_;
  // Written under the enqueue lock. Sequentially consistent with RunAheadGate::anyone_waits(): a frontend
  // that waits sees it, or the frontend that sets it and then enqueues sees who waits.
  std::atomic<bool> used_;
  std::deque<Bulk> bulks_;
  int open_ = 0;
};

// The site of a bulk with so many members: "bulk of 15".
[[nodiscard]] const record::Site& bulk_site(std::size_t members);

}  // namespace runahead::engine
