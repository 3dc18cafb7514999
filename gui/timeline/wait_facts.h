// Why a wait took so long: texts and shares of the waiting time for the tooltip and the details panel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/analysis/waits/wait_reason.h"

namespace runahead::gui {

// Returns the name of a wait in the language of the window. `name` and `flags` are from the slice of the
// wait. The engine's names "held by the limit" and "held by ops:64" are translated. Other names are returned
// as recorded.
[[nodiscard]] std::string wait_name(std::string_view name, std::uint8_t flags);

// Returns the name of a part of a wait, such as "Queueing".
[[nodiscard]] const char* wait_part_name(analysis::WaitPart part);

// Returns why a wait took so long; nullopt if `ref` is not a wait. If the chain of ops is very long, the
// function does not follow it to its end. Therefore the call is cheap enough for every frame.
[[nodiscard]] std::optional<analysis::WaitReason> reason_of_wait(const trace::Trace& trace,
                                                                 const SliceRef& ref);

// Returns the op that `wait` was for: the op that the slice names, or otherwise the op that released the
// wait. `reason` is the reason of this wait. kNoOp: there is no such op, or it is not known.
[[nodiscard]] OpId awaited_op(const trace::Slice& wait, const analysis::WaitReason& reason);

struct WaitShare {
  analysis::WaitPart part{};
  Duration time{};
  double share = 0;  // share of the wait, 0..1
};
// Returns the parts whose duration is not zero, in the order of WaitPart. Their shares sum to 1.
[[nodiscard]] std::vector<WaitShare> wait_shares(const analysis::WaitSplit& split);
// Returns a text such as "150 us (43 %)".
[[nodiscard]] std::string share_text(const WaitShare& share);

// Returns a text about the ops that came before the op for which the frontend waited, such as " and 7 ops
// before it". Empty if the chain has only one op.
[[nodiscard]] std::string ops_before_text(const analysis::WaitReason& reason);

}  // namespace runahead::gui
