// Looking through a snapshot of the trace for slices, on a thread of its own.
#pragma once

#include <cstddef>
#include <optional>

#include "gui/background/live_answer.h"
#include "gui/model/find_answer.h"

namespace runahead::gui {

inline constexpr std::size_t kMostFound = 5'000;  // slices listed; all are counted

using Finder = LiveAnswer<FindWords, FindAnswer>;
[[nodiscard]] std::optional<FindAnswer> find(const Finder::Question& question,
                                             const std::atomic<bool>& cancelled);

}  // namespace runahead::gui
