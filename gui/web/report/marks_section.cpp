#include "gui/web/report/marks_section.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "gui/web/report/report_columns.h"
#include "instrumentation/analysis/notes.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::gui {
namespace {

bool is_markers(const trace::Track& track) { return track.info.kind == trace::TrackKind::kMarkers; }

std::string mark_words(const Marks::Mark& mark) {
  if (mark.note) return mark.words;
  const auto part = analysis::part_name(mark.words);
  return part ? filled(Text::kPartOfRun, {translated(*part)}) : translated(mark.words);
}

}  // namespace

Marks marks_in(const trace::Trace& trace, const std::optional<TimeRange>& range, std::size_t most_rows) {
  Marks out;
  const auto add = [&](Marks::Mark mark) {
    if (range && (mark.at < range->begin || mark.at >= range->end)) return;
    ++out.count;
    if (mark.note || out.shown.size() < most_rows) out.shown.push_back(std::move(mark));
  };
  trace::TrackBits tracks = 0;
  for (const trace::Track& track : trace.tracks())
    tracks |= is_markers(track) ? trace::bit_of(track.info.id) : 0;
  trace::InstantReader instants(trace.instants());
  for (std::uint64_t i = 0; (i = instants.next_of_tracks(tracks, i)) < instants.size(); ++i) {
    const trace::Instant instant = instants.instant(i);
    if (instant.track == kNoTrack || !is_markers(trace.track(instant.track))) continue;
    add({instant.at, std::string(trace.string(instant.name)), false});
  }
  for (const analysis::Note& note : analysis::notes_of(trace)) add({note.at, note.words, true});
  std::ranges::stable_sort(out.shown, {}, &Marks::Mark::at);
  return out;
}

ReportSection marks_section(const Marks& marks) {
  ReportSection out{"marks", text(Text::kReportMarks)};
  ReportTable table{
      text(Text::kReportMarks),
      {number_column(Text::kReportTime), words_column(Text::kReportKind), words_column(Text::kName)},
      {}};
  for (const Marks::Mark& mark : marks.shown) {
    ReportRow row{
        {time_words(mark.at), text(mark.note ? Text::kReportNote : Text::kReportMarker), mark_words(mark)}};
    row.go = time_place({mark.at, mark.at});
    table.rows.push_back(std::move(row));
  }
  limit_rows(table.rows.size(), marks.count, out, table);
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace runahead::gui
