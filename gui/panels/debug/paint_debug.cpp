#include <cstdio>

#include "gui/model/model.h"
#include "gui/panels/debug/debug_panel.h"
#include "gui/widgets/table.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

std::string ms(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.2f", value);
  return out;
}

void part_row(Text name, const DebugFacts::Part& part) {
  ImGui::TableNextColumn();
  text_line(text(name));
  for (const double value : {part.last_ms, part.median_ms, part.p99_ms}) {
    number_cell(ms(value));
  }
}

void frame_table(const PanelUi& ui, const DebugFacts& facts) {
  if (!ImGui::BeginTable("##frame", 4, ImGuiTableFlags_RowBg)) return;
  for (const Text column : {Text::kFramePart, Text::kLastMs, Text::kMedianMs, Text::kP99Ms}) {
    ImGui::TableSetupColumn(text(column));
  }
  table_headers(ui, 1);
  part_row(Text::kPartPoll, facts.poll);
  part_row(Text::kPartBuild, facts.build);
  part_row(Text::kPartPaint, facts.paint);
  part_row(Text::kPartTotal, facts.total);
  ImGui::EndTable();
}

std::string count(std::uint64_t n) { return format_count(static_cast<double>(n)); }

}  // namespace

void paint_panel(DebugPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  bool open = true;
  ImGui::SetNextWindowSize(ImVec2(ui.px(400), ui.px(480)), ImGuiCond_FirstUseEver);
  const ImVec2 work = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImVec2(work.x - ui.px(420), ui.px(130)), ImGuiCond_FirstUseEver);
  if (ImGui::Begin((std::string(text(Text::kDebugTitle)) + "###debug").c_str(), &open)) {
    const DebugFacts& facts = model.debug;
    frame_table(ui, facts);
    ImGui::Spacing();
    fact_line(ui, text(Text::kFrames), count(facts.frames));
    fact_line(ui, text(Text::kRunsDrawn), count(facts.boxes));
    fact_line(ui, text(Text::kRowsDrawn), count(facts.rows));
    fact_line(ui, text(Text::kColumnsDrawn), count(facts.counter_columns));
    fact_line(ui, text(Text::kFiguresCost), ms(facts.figures_ms) + " ms");
    ImGui::Spacing();
    heading(ui, text(Text::kCapture));
    fact_line(ui, text(Text::kEvents), count(facts.events) + ", " + format_rate(facts.events_per_s));
    fact_line(ui, text(Text::kSlices), count(facts.slices));
    fact_line(ui, text(Text::kThreads), count(facts.threads));
    fact_line(ui, text(Text::kFullestBuffer), format_percent(facts.fullest_buffer_ratio));
    fact_line(
        ui, text(Text::kDrain),
        ms(facts.last_drain_ms) + " ms, " + text(Text::kLongest) + " " + ms(facts.longest_drain_ms) + " ms");
    fact_line(ui, text(Text::kLostEvents), count(facts.lost));
    fact_line(ui, text(Text::kTraceSize), format_bytes(static_cast<double>(facts.trace_bytes)));
    if (facts.loaded) {
      fact_line(ui, text(Text::kLoadedFromFile),
                format_bytes(static_cast<double>(facts.loaded->used_bytes)) + " / " +
                    format_bytes(static_cast<double>(facts.loaded->limit_bytes)));
    }
    for (const std::string& sentence : loss_sentences(model.trace)) wrapped_text(ui, sentence, true);
  }
  ImGui::End();
  if (!open) out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
