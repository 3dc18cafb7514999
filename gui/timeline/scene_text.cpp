#include <array>
#include <cstdio>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string percent(float ratio) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", static_cast<double>(ratio) * 100);
  return text;
}

const char* row_word(SceneRow::Kind kind) {
  switch (kind) {
    case SceneRow::Kind::kGroupHeader:
      return "group";
    case SceneRow::Kind::kLane:
      return "lane";
    case SceneRow::Kind::kCounter:
      return "counter";
    case SceneRow::Kind::kQueue:
      return "queue";
    case SceneRow::Kind::kMore:
      return "more";
  }
  return "";
}

std::string flag_words(std::uint8_t flags) {
  std::string text;
  if (flags & trace::kSliceLate) text += " late";
  if (flags & trace::kSliceFailed) text += " failed";
  if (flags & trace::kSliceUnfinished) text += " unfinished";
  if (flags & trace::kSliceHeldByLimit) text += " limit";
  if (flags & trace::kSliceSkipped) text += " skipped";
  return text;
}

std::string box_text(const SceneBox& box) {
  std::string text = " [" + number(box.x0_px) + ".." + number(box.x1_px) + " " + kind_name(box.kind);
  if (box.count > 1) text += " x" + std::to_string(box.count) + " ink " + percent(box.busy);
  if (!box.label.empty()) text += " \"" + box.label + "\"";
  text += flag_words(box.flags);
  if (box.bottom - box.top < 1) text += " strip " + number(box.top);
  if (box.category == kNoCategory) {
    text += " of no step";
  } else if (box.category != 0) {
    text += " category " + std::to_string(box.category);
  }
  if (box.found) text += " found " + std::to_string(*box.found);
  if (box.open) text += " open";
  if (box.selected) text += " selected";
  if (box.related) text += " related";
  return text + "]";
}

// Returns the counter as text. Neighbouring columns with the same values are written as one entry.
std::string counter_text(const SceneCounter& counter) {
  std::string text = " axis " + number(counter.axis_min) + ".." + number(counter.axis_max) + " now " +
                     counter.now_label + " (" + counter.min_label + ", " + counter.max_label + ")";
  const trace::CounterColumn* before = nullptr;
  for (const trace::CounterColumn& column : counter.columns) {
    const bool same = before != nullptr && before->min == column.min && before->max == column.max &&
                      before->last == column.last;
    before = &column;
    if (same) continue;
    text += " " + std::to_string(column.x_px) + ":" + number(column.min);
    if (column.max != column.min) text += ".." + number(column.max) + "->" + number(column.last);
  }
  if (before != nullptr) text += " to " + std::to_string(before->x_px);
  return text;
}

std::string idle_text(const SceneIdle& idle) {
  std::string text = "idle device " + std::to_string(idle.device) + " " + number(idle.x0_px) + ".." +
                     number(idle.x1_px) + " " + std::string(causes::key_of(idle.run.cause));
  if (idle.run.count > 1)
    text += " " + std::to_string(idle.run.count) + " gaps, share " + number(idle.run.idle_ratio);
  if (!idle.label.empty()) text += " \"" + idle.label + "\"";
  if (idle.selected) text += " selected";
  return text;
}

std::string row_text(const Scene& scene, std::uint32_t index, const trace::Trace& trace) {
  const SceneRow& row = scene.rows[index];
  std::string text(static_cast<std::size_t>(row.indent) * 2, ' ');
  text += row_word(row.kind);
  text += " " + (row.depth == 0 ? row.label : trace.track(row.track).info.name);
  if (row.kind == SceneRow::Kind::kLane || row.kind == SceneRow::Kind::kQueue)
    text += "/" + std::to_string(row.depth);
  text += " y " + number(row.y_px) + "+" + number(row.height_px);
  if (!row.badge.empty()) text += " (" + row.badge + ")";
  if (row.folded) text += " folded";
  if (row.pinned) text += row.held ? " held" : " pinned";
  text += ":";
  for (const SceneBox& box : scene.boxes) {
    if (box.row == index) text += box_text(box);
  }
  for (const SceneCounter& counter : scene.counters) {
    if (counter.row == index) text += counter_text(counter);
  }
  for (const SceneInstant& instant : scene.instants) {
    if (instant.row == index) text += " {" + number(instant.x_px) + " " + instant.label + "}";
  }
  return text + "\n";
}

}  // namespace

std::string scene_text(const Scene& scene, const trace::Trace& trace) {
  std::string text = "ticks:";
  for (const SceneTick& tick : scene.ticks) {
    if (tick.major) text += " " + number(tick.x_px) + "=" + tick.label;
  }
  text += "\n";
  for (std::uint32_t row = 0; row < scene.rows.size(); ++row) text += row_text(scene, row, trace);
  for (const ScenePart& part : scene.parts)
    text += "part " + number(part.x0_px) + ".." + number(part.x1_px) + " \"" + part.label + "\"" +
            (part.measured ? "" : " not measured") + (part.chosen ? " chosen" : "") + "\n";
  for (const SceneCompared& time : scene.compared) {
    constexpr std::array kSides{"before", "after", "left out"};
    text += std::string(kSides[static_cast<std::size_t>(time.side)]) + " " + number(time.x0_px) + ".." +
            number(time.x1_px) +
            (time.label.empty() ? "" : " \"" + time.label + "\" at " + number(time.label_px)) + "\n";
  }
  for (const SceneMarker& marker : scene.markers)
    text +=
        std::string(marker.note ? "note " : "marker ") + number(marker.x_px) + " \"" + marker.label + "\"\n";
  for (const SceneArrow& arrow : scene.arrows) {
    text += "arrow " + number(arrow.x0_px) + "," + number(arrow.y0_px) + " -> " + number(arrow.x1_px) + "," +
            number(arrow.y1_px) + (arrow.step > 1 ? " step " + std::to_string(arrow.step) : "") + "\n";
  }
  for (const SceneIdleRows& rows : scene.idle_rows) {
    text += "idle rows of device " + std::to_string(rows.device) + " y " + number(rows.y0_px) + ".." +
            number(rows.y1_px) + (rows.held ? " held" : "") + "\n";
  }
  for (const SceneIdle& idle : scene.idle) text += idle_text(idle) + "\n";
  for (const ScenePathLine& line : scene.path) {
    const SceneRow& row = scene.rows[line.row];
    text += "path on " + row.label + " " + number(line.x0_px) + ".." + number(line.x1_px) +
            (line.share < 1 ? " share " + number(line.share) : "") + (line.waits ? " waits" : "") + "\n";
  }
  for (const ScenePathStep& step : scene.path_steps)
    text += "path at " + number(step.x_px) + " y " + number(step.y0_px) + " -> " + number(step.y1_px) + "\n";
  if (scene.range_px)
    text += "range " + number(scene.range_px->first) + ".." + number(scene.range_px->second) + "\n";
  for (const SceneFrame& frame : scene.area) {
    text += "area " + number(frame.x0_px) + ".." + number(frame.x1_px) + " y " + number(frame.y0_px) + ".." +
            number(frame.y1_px) + (frame.held ? " held" : "") + "\n";
  }
  if (scene.peak)
    text += scene.peak->label + " of " + scene.rows[scene.peak->row].label + " at " +
            number(scene.peak->x_px) + "\n";
  if (scene.time_px) text += "moment " + number(*scene.time_px) + "\n";
  return text;
}

}  // namespace runahead::gui
