#include "gui/panels/memory/memory_words.h"

#include <algorithm>
#include <cmath>

#include "gui/text/text.h"
#include "gui/timeline/lookup.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

constexpr Duration kTimeStep{1000};  // a microsecond

std::size_t count_of_ops(const analysis::MemoryReport& report) {
  std::vector<std::string_view> names;
  for (const analysis::MemoryHolder& holder : report.holders) names.push_back(holder.op);
  std::ranges::sort(names);
  return static_cast<std::size_t>(std::ranges::distance(names.begin(), std::ranges::unique(names).begin()));
}

}  // namespace

std::string memory_summary(const MemoryAnswer& answer) {
  const analysis::MemoryReport& report = answer.report;
  const bool at_peak = answer.peak && answer.peak->at == report.at;
  const std::string bytes =
      report.counted ? format_bytes(*report.counted) : std::string(text(Text::kNoFigure));
  const std::string head = filled(at_peak ? Text::kMemoryAtPeakSummary : Text::kMemoryAtSummary,
                                  {bytes, format_axis_time(report.at, kTimeStep)});
  if (report.blocks == 0) return head;
  return head + " " +
         filled(Text::kMemoryBlocksSummary, {format_count(static_cast<double>(report.blocks)),
                                             format_count(static_cast<double>(count_of_ops(report)))});
}

std::string memory_caveat(const MemoryAnswer& answer) {
  const analysis::MemoryReport& report = answer.report;
  if (!report.lifetimes) return text(Text::kMemoryNoLifetimes);
  const double unnamed = std::round(report.unnamed_bytes());
  if (unnamed > 0) return filled(Text::kMemoryUnnamed, {format_bytes(unnamed)});
  if (unnamed < 0) return filled(Text::kMemoryOverNamed, {format_bytes(-unnamed)});
  return {};
}

std::string holder_name(const std::string& op) { return op.empty() ? text(Text::kMemoryNoOp) : op; }

std::string category_name(const std::string& category) {
  return category.empty() ? text(Text::kMemoryNoCategory) : translated(category);
}

double share_of(const analysis::MemoryReport& report, std::int64_t bytes) {
  const double all = std::max(report.counted.value_or(0), static_cast<double>(report.named_bytes));
  return all > 0 ? static_cast<double>(bytes) / all : 0;
}

std::optional<SliceRef> place_of_op(const trace::Trace& trace, OpId id) {
  const std::optional<trace::OpRow> op = trace.op(id);
  if (!op) return std::nullopt;
  if (op->execute_track != kNoTrack && op->started != trace::kNever) {
    if (const auto place = slice_near(trace, op->execute_track, op->started, id)) return place;
  }
  if (op->enqueue_track == kNoTrack || op->enqueued == trace::kNever) return std::nullopt;
  return slice_near(trace, op->enqueue_track, op->enqueued, id);
}

}  // namespace runahead::gui
