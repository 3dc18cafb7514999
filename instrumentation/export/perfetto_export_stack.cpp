#include "instrumentation/export/perfetto_export_stack.h"

#include <algorithm>

namespace runahead::exporters {
using namespace trace;

StackWalk::StackWalk(const std::vector<LaneRowsView>& lanes, std::vector<std::uint32_t> depths)
    : lanes_(lanes) {
  for (const std::uint32_t depth : depths) {
    Head head{.depth = depth};
    if (load(head)) heads_.push_back(head);
  }
  std::ranges::make_heap(heads_, after);
}

bool StackWalk::load(Head& head) const {
  const LaneRowsView& lane = lanes_[head.depth];
  if (head.row >= lane.size()) return false;
  head.slice = lane.slice(head.row);
  head.more_at_begin = head.slice.end == head.slice.begin && head.row + 1 < lane.size() &&
                       lane.slice(head.row + 1).begin == head.slice.begin;
  return true;
}

// If two slices begin at the same time, the longer slice contains the shorter one, so it comes first.
// Exception: a slice of length zero comes first if it is followed by another slice of its lane that begins at
// the same time. Otherwise the zero-length slice would come after slices of deeper lanes, which are inside
// the following slice.
bool StackWalk::before(const Head& a, const Head& b) {
  if (a.slice.begin != b.slice.begin) return a.slice.begin < b.slice.begin;
  if (a.more_at_begin != b.more_at_begin) return a.more_at_begin;
  if (a.slice.end != b.slice.end) return a.slice.end > b.slice.end;
  return a.depth < b.depth;
}

bool StackWalk::next(Event& out) {
  if (!open_.empty() && (heads_.empty() || open_.back().slice.end <= heads_.front().slice.begin)) {
    out = {false, open_.back()};
    open_.pop_back();
    return true;
  }
  if (heads_.empty()) return false;
  std::ranges::pop_heap(heads_, after);
  Head& head = heads_.back();
  out = {true, {head.depth, head.row, head.slice}};
  open_.push_back(out.placed);
  ++head.row;
  if (load(head)) {
    std::ranges::push_heap(heads_, after);
  } else {
    heads_.pop_back();
  }
  return true;
}

}  // namespace runahead::exporters
