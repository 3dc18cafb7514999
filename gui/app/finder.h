// Finder: looks through a snapshot of the trace for slices, on a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gui/app/asker.h"
#include "gui/panels/find_answer.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct FindQuestion {
  FindWords words;
  trace::Trace snapshot;
  TimeRange range;  // where it looks
  std::uint64_t trace_serial = 0;
};
inline constexpr std::size_t kMostFound = 5'000;  // slices listed; all are counted

using Finder = Asker<FindQuestion, FindAnswer>;
[[nodiscard]] FindAnswer find(const FindQuestion& question, const std::atomic<bool>& cancelled);

}  // namespace runahead::gui
