#include "engine/var_state.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

void VarState::add_reader(OpRef op) {
  VarMore& more = make_more();
  if (more.readers.size() >= more.prune_at) {
    std::erase_if(more.readers, [](const OpRef& reader) { return !reader.in_flight(); });
    more.prune_at = std::max<std::size_t>(8, 2 * more.readers.size());
  }
  more.readers.push_back(op);
}

void VarState::note_failure(const FailurePtr& failure, std::uint64_t number) {
  VarMore& more = make_more();
  if (more.failed_number >= number) return;
  more.failure = failure;
  more.failed_number = number;
}

void Var::keep(VarState* state) { state->keep(); }
void Var::release(VarState* state) { state->release(); }

void VarState::drop() { home.drop(*this); }

void VarState::end() {
  home.ended();
  delete this;
}

// ---- VarHome ---------------------------------------------------------------------------------------------

// A marker value: it is only compared, never dereferenced.
VarState* VarHome::closed() {
  static const char place = 0;
  return reinterpret_cast<VarState*>(const_cast<char*>(&place));
}

void VarHome::drop(VarState& var) {
  VarState* head = dropped_.load(std::memory_order_acquire);  // pairs with the release in close()
  do {
    if (head == closed()) {
      delete &var;
      return leave(-1);
    }
    var.next_dropped = head;
  } while (!dropped_.compare_exchange_weak(head, &var, std::memory_order_release, std::memory_order_acquire));
}

void VarHome::take_dropped() { end_list(dropped_.exchange(nullptr, std::memory_order_acquire)); }

void VarHome::end_list(VarState* var) {
  while (var != nullptr) {
    VarState* const next = var->next_dropped;
    if (next != nullptr) __builtin_prefetch(next, 1);
    if (var->writes_in_flight_ == 0) {
      var->end();
    } else {
      var->writes_in_flight_ += VarState::kDropped;
    }
    var = next;
  }
}

void VarHome::close() {
  end_list(dropped_.exchange(closed(), std::memory_order_acq_rel));
  leave(made_.load(std::memory_order_relaxed) - ended_);
}

void VarHome::leave(std::int64_t vars) {
  if (left_.fetch_add(vars, std::memory_order_acq_rel) + vars == 0) delete this;
}

}  // namespace runahead::engine
