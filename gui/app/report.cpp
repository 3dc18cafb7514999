#include "gui/app/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/app/report_parts.h"
#include "instrumentation/analysis/notes.h"
#include "instrumentation/base/posix_file.h"

namespace runahead::gui {

namespace {

using Json = nlohmann::json;

Json frame_json(AppCore& core) {
  const auto part = [](const RecentCosts& costs) {
    const DebugFacts::Part p = costs.part();
    return Json{{"last_ms", p.last_ms}, {"median_ms", p.median_ms}, {"p99_ms", p.p99_ms}};
  };
  FrameTimes& times = core.frame_times();
  return {{"count", times.total.count()},       {"poll", part(times.poll)},   {"build", part(times.build)},
          {"build_own", part(times.build_own)}, {"paint", part(times.paint)}, {"total", part(times.total)}};
}

const char* dialog_word(AppCore& core) {
  if (!core.dialog()) return "";
  switch (core.dialog()->purpose) {
    case FilePurpose::kOpen:
      return "open";
    case FilePurpose::kCompare:
      return "compare";
    case FilePurpose::kSaveAs:
      return "save";
    case FilePurpose::kPicture:
      return "picture";
    case FilePurpose::kTable:
      return "table";
    case FilePurpose::kPage:
      return "page";
    case FilePurpose::kRecord:
      break;
  }
  return "record";
}

void add_window(Json& json, AppCore& core, const PanelModel& model) {
  json["settled"] = core.idle();
  json["error"] = model.error;
  json["notice"] = model.notice;
  json["dialog"] = dialog_word(core);
  json["job"] = model.files.job.has_value();
  json["exported"] = model.files.page ? Json(model.files.page->words) : Json();
  json["opened"] = model.files.opened.string();
  json["followed"] = model.files.followed;
  json["broken_host"] = model.files.broken_host;
  json["recording"] = model.recording.path.string();
  json["recording_kept"] = model.recording.path.empty() ? "" : limits_words(model.recording.limits);
  json["light"] = model.look.light;
  json["scale"] = model.look.chosen_scale;
  json["presentation"] = model.look.presentation;
  json["search"] = model.timeline.search;
}

// Returns the end of the last slice of a worker or stream, in ns; null if there is none, or if the rows are
// in a file.
Json work_end_json(const trace::Trace& trace) {
  std::optional<Timestamp> end;
  if (trace.store()) return nullptr;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.kind != trace::TrackKind::kStream && track.info.kind != trace::TrackKind::kWorker)
      continue;
    for (const trace::Lane& lane : track.lanes) {
      if (lane.end_row() > lane.first_row())
        end = std::max(end.value_or(Timestamp::min()), lane.slice(lane.end_row() - 1).end);
    }
  }
  return end ? Json(ns_from(*end)) : Json(nullptr);
}

void add_trace(Json& json, const PanelModel& model) {
  const trace::TraceCounts counts = model.trace.counts();
  json["trace"] = {{"slices", counts.slices},
                   {"flows", counts.flows},
                   {"counter_samples", counts.counter_samples},
                   {"bytes", model.trace.size_bytes()},
                   {"extent_ns", range_json(model.trace.extent())},
                   {"work_end_ns", work_end_json(model.trace)}};
  if (const auto store = model.trace.store()) {
    const trace::BlockStore::Stats stats = store->stats();
    json["trace"]["loaded"] = {{"bytes", stats.used_bytes},
                               {"limit_bytes", stats.limit_bytes},
                               {"loads", stats.loads},
                               {"unreadable", stats.unreadable}};
  }
  Json lost = Json::object();
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (model.trace.losses().of(cause) != 0)
      lost[std::string(trace::loss_key(cause))] = model.trace.losses().of(cause);
  }
  json["lost"] = lost;
}

Json clipped_json(const std::vector<ClippedText>& clipped) {
  Json all = Json::array();
  for (const ClippedText& text : clipped)
    all.push_back({{"words", text.words}, {"needed_px", text.needed_px}, {"room_px", text.room_px}});
  return all;
}

void add_panels(Json& json, const PanelModel& model, const LayoutState& layout) {
  json["notes"] = Json::array();
  for (const analysis::Note& note : analysis::notes_of(model.trace))
    json["notes"].push_back({{"at_ns", ns_from(note.at)}, {"words", note.words}});
  for (const PanelModule* panel : model.panels) {
    if (panel->info().in_report) json[std::string(panel->id())] = panel->shown();
    panel->add_to_report(json, model);
  }
  Json& compare = json[std::string(kComparePanel)];
  if (compare.is_object()) compare["lower"] = lower_json(model.compare, layout);
}

void add_drawn(Json& json, const Drawn& drawn) {
  Json rects = Json::object();
  for (const WidgetRect& widget : drawn.widgets)
    rects[widget.name] = {widget.x0_px, widget.y0_px, widget.x1_px, widget.y1_px};
  json["widgets"] = rects;
  json["language"] = language_code(language());
  json["all_glyphs"] = drawn.all_glyphs;
  json["counters_refine"] = drawn.counters_refine;
  json["missing_glyphs"] = std::vector<std::uint32_t>(drawn.missing.begin(), drawn.missing.end());
  json["clipped"] = clipped_json(drawn.clipped);
}

}  // namespace

void ReportFile::write(AppCore& core, const PanelModel& model, const LayoutState& layout,
                       const Drawn& drawn) {
  Json json = Json::object();
  json["about"] = "runahead's window";  // must be the first member (kReportMagic)
  add_run(json, model);
  add_window(json, core, model);
  add_trace(json, model);
  json["frames"] = frame_json(core);
  add_timeline(json, model, layout, drawn.widgets);
  add_panels(json, model, layout);
  json["gliding"] = core.gliding();
  add_drawn(json, drawn);
  status_ = write_file(Destination::kReport, path_,
                       json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  written_at_ = std::chrono::steady_clock::now();
  stale_ = false;
}

}  // namespace runahead::gui
