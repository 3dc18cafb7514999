#include <algorithm>
#include <string>

#include "gui/panels/lesson/paint_lesson.h"

namespace runahead::gui {

namespace {

using engine::AllocationTime;
using engine::EngineOptions;
using engine::ReadyOrder;

// Draws the name of a setting in the left part of the line, which is `share` (0..1) of the width. After this
// call the caller draws the setting's widget in the right part.
void setting_name(const PanelUi& ui, Text name, Text hint, bool usual, float share = kSettingNameShare) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  label_line(ui, text(name), width * share - ui.px(6), usual);
  tooltip(ui, text(hint));
  ImGui::SameLine(left + width * share);
  ImGui::SetNextItemWidth(width * (1 - share));
}

struct Whole {
  const char* id;
  Text name, hint;
  int value, usual, least, most;
  bool changed = false;  // the user has edited the value in this frame
};
// Draws the name of a setting and a field for its value, an integer. If the user has edited the value, clamps
// it to its bounds. Returns `changed`.
bool whole_setting(const PanelUi& ui, Whole& row) {
  setting_name(ui, row.name, row.hint, row.value == row.usual);
  ImGui::PushID(row.id);
  row.changed = ImGui::InputInt("##value", &row.value, 0, 0);
  mark_widget(ui, std::string("engine:") + row.id);
  tooltip(ui, text(row.hint));
  ImGui::PopID();
  if (row.changed) row.value = std::clamp(row.value, row.least, row.most);
  return row.changed;
}

// Draws a choice between two values. Returns true if the user chose the other value.
bool either_setting(const PanelUi& ui, const char* id, Text name, Text hint, bool& second, Text first_words,
                    Text second_words) {
  // The name gets less than the default share, because the combo box needs room for words and for its arrow.
  constexpr float kNameShare = 0.43f;
  setting_name(ui, name, hint, !second, kNameShare);
  ImGui::PushID(id);
  const bool before = second;
  note_fit(ui, text(second ? second_words : first_words),
           ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::BeginCombo("##value", text(second ? second_words : first_words))) {
    if (ImGui::Selectable(text(first_words), !second)) second = false;
    if (ImGui::Selectable(text(second_words), second)) second = true;
    ImGui::EndCombo();
  }
  mark_widget(ui, std::string("engine:") + id);
  ImGui::PopID();
  return second != before;
}

bool thread_settings(const PanelUi& ui, SetEngine& wanted) {
  const EngineOptions usual;
  EngineOptions& options = wanted.options;
  Whole workers{"workers", Text::kWorkers, Text::kWorkersHint, options.cpu_workers, usual.cpu_workers, 1,
                256};
  Whole copies{"copy_workers",
               Text::kCopyWorkers,
               Text::kCopyWorkersHint,
               options.cpu_copy_workers,
               usual.cpu_copy_workers,
               0,
               256};
  Whole blas{"blas_threads", Text::kBlasThreads, Text::kBlasThreadsHint, wanted.blas_threads, 1, 1, 256};
  Whole spin{"spin_us",
             Text::kSpin,
             Text::kSpinHint,
             static_cast<int>(options.spin.count() / 1000),
             static_cast<int>(usual.spin.count() / 1000),
             0,
             1'000'000};
  Whole bulk{"bulk", Text::kBulk, Text::kBulkHint, options.bulk, usual.bulk, 0, 100'000};
  bool changed = false;
  for (Whole* row : {&workers, &copies, &blas, &spin, &bulk}) changed = whole_setting(ui, *row) || changed;
  options.cpu_workers = workers.value;
  options.cpu_copy_workers = copies.value;
  wanted.blas_threads = blas.value;
  if (spin.changed) options.spin = Duration{std::int64_t{spin.value} * 1000};
  options.bulk = bulk.value;
  return changed;
}

// Draws the limit of the run-ahead, and the memory of the devices. If a size from the command line is not an
// integer number of MiB, it is shown rounded down, but the size itself does not change.
bool memory_settings(const PanelUi& ui, EngineOptions& options) {
  constexpr std::int64_t kMiB = 1 << 20;
  constexpr int kMost = 1 << 30;
  const EngineOptions usual;
  const auto whole = [](std::int64_t value) {
    return static_cast<int>(std::min<std::int64_t>(value, kMost));
  };
  Whole ops{
      "limit_ops", Text::kLimitOps, Text::kLimitOpsHint, whole(options.limit_ops), whole(usual.limit_ops), 1,
      kMost};
  Whole bytes{"limit_mib",
              Text::kLimitBytes,
              Text::kLimitBytesHint,
              whole(options.limit_bytes / kMiB),
              whole(usual.limit_bytes / kMiB),
              1,
              kMost};
  Whole capacity{"capacity_mib",
                 Text::kCapacity,
                 Text::kCapacityHint,
                 whole(static_cast<std::int64_t>(options.capacity_bytes) / kMiB),
                 0,
                 0,
                 kMost};
  if (whole_setting(ui, ops)) options.limit_ops = ops.value;
  if (whole_setting(ui, bytes)) options.limit_bytes = bytes.value * kMiB;
  if (whole_setting(ui, capacity)) options.capacity_bytes = static_cast<std::size_t>(capacity.value * kMiB);
  return ops.changed || bytes.changed || capacity.changed;
}

bool order_settings(const PanelUi& ui, EngineOptions& options) {
  bool oldest = options.order == ReadyOrder::kOldest;
  bool late = options.allocation == AllocationTime::kAtExecution;
  bool changed = either_setting(ui, "order", Text::kReadyOrder, Text::kReadyOrderHint, oldest,
                                Text::kFirstReady, Text::kOldestFirst);
  changed = either_setting(ui, "alloc", Text::kMemoryAllocated, Text::kMemoryTakenHint, late,
                           Text::kAtEnqueue, Text::kAtExecution) ||
            changed;
  options.order = oldest ? ReadyOrder::kOldest : ReadyOrder::kFifo;
  options.allocation = late ? AllocationTime::kAtExecution : AllocationTime::kAtEnqueue;
  changed = ImGui::Checkbox(text(Text::kWaiterHelps), &options.waiter_helps) || changed;
  mark_widget(ui, "engine:waiter_helps");
  tooltip(ui, text(Text::kWaiterHelpsHint));
  return changed;
}

}  // namespace

void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  heading(ui, text(Text::kEngineSettings));
  SetEngine wanted{model.start.choice.engine, model.start.choice.blas_threads};
  bool changed = thread_settings(ui, wanted);
  changed = order_settings(ui, wanted.options) || changed;
  changed = memory_settings(ui, wanted.options) || changed;
  if (changed) out.push_back(wanted);
  ImGui::BeginDisabled(!model.live());
  note_fit(ui, text(Text::kTrim), ImGui::GetContentRegionAvail().x);
  if (ImGui::Button(text(Text::kTrim), ImVec2(ImGui::GetContentRegionAvail().x, 0)))
    out.push_back(TrimMemory{});
  mark_widget(ui, "trim");
  ImGui::EndDisabled();
  tooltip(ui, text(Text::kTrimHint));
}

}  // namespace runahead::gui
