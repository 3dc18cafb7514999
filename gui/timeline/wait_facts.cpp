#include "gui/timeline/wait_facts.h"

#include "gui/text/text.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

using analysis::WaitPart;
using analysis::WaitReason;

std::string wait_name(std::string_view name, std::uint8_t flags) {
  // The names of waits at the limit of a barrier begin with this text.
  constexpr std::string_view kHeldBy = "held by ";
  if (flags & trace::kSliceHeldByLimit) return text(Text::kTimelineHeldByLimit);
  if (name.starts_with(kHeldBy)) return filled(Text::kTimelineHeldBy, {name.substr(kHeldBy.size())});
  return std::string(name);
}

const char* wait_part_name(WaitPart part) {
  switch (part) {
    case WaitPart::kExecuting:
      return text(Text::kWaitExecuting);
    case WaitPart::kCopying:
      return text(Text::kWaitCopying);
    case WaitPart::kQueueing:
      return text(Text::kWaitQueueing);
    case WaitPart::kDispatch:
      return text(Text::kWaitDispatch);
    case WaitPart::kEnqueue:
      return text(Text::kWaitEnqueue);
    case WaitPart::kWakeUp:
      return text(Text::kWaitWakeUp);
    case WaitPart::kFinished:
      return text(Text::kWaitFinished);
    case WaitPart::kLimit:
      return text(Text::kWaitLimit);
    case WaitPart::kOther:
      return text(Text::kWaitOther);
  }
  return "";
}

std::optional<WaitReason> reason_of_wait(const trace::Trace& trace, const SliceRef& ref) {
  const std::optional<trace::Slice> slice = find_slice(trace, ref);
  if (!slice || slice->kind != trace::SliceKind::kWait) return std::nullopt;
  constexpr std::uint64_t kMostFollowed = 4096;
  return analysis::wait_reason(trace, {*slice, ref.track, ref.open},
                               {.most_listed = 1, .most_followed = kMostFollowed});
}

OpId awaited_op(const trace::Slice& wait, const WaitReason& reason) {
  return wait.op == kNoOp && !reason.chain.empty() ? reason.chain.front() : wait.op;
}

std::vector<WaitShare> wait_shares(const analysis::WaitSplit& split) {
  std::vector<WaitShare> shares;
  const auto total = static_cast<double>(ns_from(split.total()));
  for (std::size_t i = 0; i < analysis::kWaitPartCount; ++i) {
    const Duration time = split.parts[i];
    if (time <= Duration{}) continue;
    shares.push_back({static_cast<WaitPart>(i), time, static_cast<double>(ns_from(time)) / total});
  }
  return shares;
}

std::string share_text(const WaitShare& share) {
  return format_duration(share.time) + " (" + format_percent(share.share) + ")";
}

std::string ops_before_text(const WaitReason& reason) {
  if (reason.op_count <= 1) return "";
  const std::uint64_t before = reason.op_count - 1;
  const std::string count = std::to_string(before);
  if (!reason.whole) return " " + filled(Text::kWaitOpsBeforeOrMore, {count});
  return " " + (before == 1 ? text(Text::kWaitOneOpBefore) : filled(Text::kWaitOpsBefore, {count}));
}

}  // namespace runahead::gui
