#include "engine/bulk_book.h"

#include <string>
#include <utility>

namespace runahead::engine {
namespace {

// Returns an id for the calling thread. Unlike a std::thread::id, this id is never reused. Therefore a new
// thread does not inherit the settings of a thread that has ended.
std::uint64_t this_frontend() {
  static std::atomic<std::uint64_t> last{0};
  static thread_local const std::uint64_t id = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return id;
}

}  // namespace

Bulk& BulkBook::mine() {
  const std::uint64_t me = this_frontend();
  for (Bulk& bulk : bulks_) {
    if (bulk.frontend == me) return bulk;
  }
  return bulks_.emplace_back(Bulk{.frontend = me, .most_members = usual_});
}

int BulkBook::set_size(Bulk& bulk, int most_members) {
  if (most_members > 1) used_.store(true, std::memory_order_seq_cst);
  return std::exchange(bulk.most_members, most_members);
}

void BulkBook::opened(Bulk& bulk, OpNode& node) {
  bulk.node = &node;
  bulk.edges = 0;
  ++open_;
}

void BulkBook::closed(Bulk& bulk) {
  bulk.node = nullptr;
  --open_;
}

const record::Site& bulk_site(std::size_t members) {
  return record::intern_site("bulk of " + std::to_string(members), trace::SliceKind::kExecute);
}

}  // namespace runahead::engine
