#include "gui/web/report/waits_section.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "gui/answers/wait_groups.h"
#include "gui/timeline/wait_facts.h"
#include "gui/web/report/report_columns.h"

namespace runahead::gui {
namespace {

using analysis::WaitGroup;

std::vector<std::pair<std::string, std::string>> part_pairs(const analysis::WaitSplit& split) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const WaitShare& share : wait_shares(split))
    out.emplace_back(wait_part_name(share.part), share_text(share));
  return out;
}

std::vector<ReportColumn> wait_columns() {
  return {words_column(Text::kWaitsWhere),    words_column(Text::kWaitsForOp),
          words_column(Text::kWaitsMostly),   number_column(Text::kCount),
          number_column(Text::kTotal),        number_column(Text::kWaitsOpsBefore),
          number_column(Text::kWaitsOwnCost), number_column(Text::kFindMost)};
}

ReportRow wait_row(const WaitGroup& group, Duration all) {
  const auto part = [&](Duration time) {
    return has_parts(group) ? format_duration(time) : std::string(text(Text::kNoFigure));
  };
  ReportRow row{{wait_text(group), awaited_text(group), wait_part_name(group.cause),
                 format_count(static_cast<double>(group.count)), format_duration(group.split.total()),
                 part(group.split.ops_before()), part(group.split.own_cost()),
                 format_duration(group.longest)}};
  row.parts = part_pairs(group.split);
  const auto share = static_cast<double>(group.split.total().count()) /
                     static_cast<double>(std::max<std::int64_t>(all.count(), 1));
  row.bars = {{4, share}};
  if (!group.worst.open)
    row.go = ReportPlace{group.worst.track, {group.worst.slice.begin, group.worst.slice.end}};
  return row;
}

// What all waits together were for.
ReportTable all_parts_table(const analysis::WaitSplit& all) {
  ReportTable out{
      text(Text::kWaitsAllOfThem), {words_column(Text::kWaitsMostly), number_column(Text::kTotal)}, {}};
  for (const WaitShare& share : wait_shares(all)) {
    out.rows.push_back({{wait_part_name(share.part), share_text(share)}});
    out.rows.back().bars = {{1, share.share}};
  }
  return out;
}

}  // namespace

ReportSection waits_section(const std::vector<WaitGroup>& groups, TimeRange range, bool in_range,
                            std::size_t most_rows) {
  ReportSection out{"waits", text(Text::kPanelWaits)};
  std::uint64_t count = 0;
  analysis::WaitSplit all;
  for (const WaitGroup& group : groups) {
    count += group.count;
    all.add(group.split);
  }
  out.summary = waits_summary(count, all.total(), range, in_range);
  if (count == 0) {
    out.notes.push_back(text(Text::kWaitsNoneWhy));
    return out;
  }
  ReportTable table{text(Text::kPanelWaits), wait_columns(), {}};
  for (const WaitGroup& group : groups) table.rows.push_back(wait_row(group, all.total()));
  limit_rows(most_rows, groups.size(), out, table);
  out.tables.push_back(std::move(table));
  out.tables.push_back(all_parts_table(all));
  return out;
}

}  // namespace runahead::gui
