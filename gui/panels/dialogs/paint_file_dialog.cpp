#include <algorithm>

#include "gui/panels/dialogs/paint_dialogs.h"
#include "gui/platform/keys.h"
#include "imgui_stdlib.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

constexpr float kWidthPx = 560;

Text title_of(FilePurpose purpose) {
  switch (purpose) {
    case FilePurpose::kOpen:
      return Text::kOpenTitle;
    case FilePurpose::kCompare:
      return Text::kCompareOpenTitle;
    case FilePurpose::kSaveAs:
      return Text::kSaveTitle;
    case FilePurpose::kPicture:
      return Text::kSavePictureTitle;
    case FilePurpose::kTable:
      return Text::kSaveTableTitle;
    case FilePurpose::kPage:
      return Text::kExportPageTitle;
    case FilePurpose::kRecord:
      break;
  }
  return Text::kRecordTitle;
}

Text verb_of(FilePurpose purpose) {
  switch (purpose) {
    case FilePurpose::kOpen:
      return Text::kOpen;
    case FilePurpose::kCompare:
      return Text::kCompareOpen;
    case FilePurpose::kPage:
      return Text::kExportNow;
    case FilePurpose::kSaveAs:
    case FilePurpose::kPicture:
    case FilePurpose::kTable:
      return Text::kSave;
    case FilePurpose::kRecord:
      break;
  }
  return Text::kRecord;
}

Text hint_of(FilePurpose purpose) {
  if (purpose == FilePurpose::kTable) return Text::kTableEndings;
  if (purpose == FilePurpose::kPage) return Text::kExportEnding;
  if (purpose == FilePurpose::kOpen) return Text::kOpenKeys;
  return purpose == FilePurpose::kSaveAs ? Text::kSaveEndings : Text::kFileKeys;
}

void move_choice(FileDialog& dialog) {
  const int count = static_cast<int>(dialog.entries.size());
  if (count == 0) return;
  const Choosing how = ImGui::GetIO().KeyShift ? Choosing::kAdd : Choosing::kOnly;
  if (key_repeated(Key::kDown)) choose(dialog, std::min(dialog.chosen + 1, count - 1), how);
  if (key_repeated(Key::kUp)) choose(dialog, std::max(dialog.chosen - 1, 0), how);
}

// Draws an entry of the folder. Returns true if the entry was double-clicked.
bool entry_row(const PanelUi& ui, FileDialog& dialog, int index) {
  const FolderEntry& entry = dialog.entries[static_cast<std::size_t>(index)];
  bool accepted = false;
  ImGui::TableNextColumn();
  const std::string label = entry.folder ? entry.name + "/" : entry.name;
  constexpr ImGuiSelectableFlags kFlags =
      ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
  const bool several = !marked_files(dialog).empty();
  constexpr float kChosen = 0.35f;  // clearly more than the row under the mouse
  ImVec4 behind = to_imvec(ui.theme.range);
  behind.w = kChosen;
  ImGui::PushStyleColor(ImGuiCol_Header, behind);
  if (ImGui::Selectable(label.c_str(), several ? entry.marked : dialog.chosen == index, kFlags)) {
    const bool adds = ImGui::GetIO().KeyCtrl;
    accepted = !adds && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    choose(dialog, index, adds ? Choosing::kToggle : Choosing::kOnly);
  }
  ImGui::PopStyleColor();
  mark_widget(ui, "file:" + label);
  ImGui::TableNextColumn();
  const std::string size = entry.folder ? "" : format_bytes(static_cast<double>(entry.size_bytes));
  const float right = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(size.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(right, 0.0f));
  dim_line(ui, size);
  return accepted;
}

bool file_list(const PanelUi& ui, FileDialog& dialog) {
  bool accepted = false;
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersOuter;
  if (!ImGui::BeginTable("##files", 2, kFlags, ImVec2(ui.px(kWidthPx), ui.px(280)))) return false;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, ui.px(90));
  for (int i = 0; i < static_cast<int>(dialog.entries.size()); ++i)
    accepted = entry_row(ui, dialog, i) || accepted;
  if (dialog.entries.empty()) {
    ImGui::TableNextColumn();
    dim_line(ui, text(Text::kFolderEmpty));
  }
  ImGui::EndTable();
  return accepted;
}

// Draws the programs that record now. A click opens the recording of one.
void program_list(const PanelUi& ui, const FileDialog& dialog, Commands& out) {
  if (dialog.programs.empty()) return;
  constexpr float kMostRows = 4;
  text_line(text(Text::kProgramsThatRecord));
  const float rows = std::min(static_cast<float>(dialog.programs.size()), kMostRows);
  const float height = rows * ImGui::GetTextLineHeightWithSpacing() + 2 * ImGui::GetStyle().WindowPadding.y;
  ImGui::BeginChild("##programs", ImVec2(ui.px(kWidthPx), height), true);
  for (const RunningProgram& program : dialog.programs) {
    const std::string label = program.command + " (" + program.number + ")";
    if (ImGui::Selectable(label.c_str())) out.push_back(FileChosen{dialog.purpose, program.recording});
    mark_widget(ui, "program:" + program.number);
  }
  ImGui::EndChild();
}

void folder_line(const PanelUi& ui, FileDialog& dialog) {
  if (ImGui::Button(text(Text::kFolderUp)) && dialog.folder.has_parent_path())
    read_folder(dialog, dialog.folder.parent_path());
  mark_widget(ui, "folder_up");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ellipsis_line(ui, dialog.folder.string(), ui.px(480), true);
}

// Draws the field for the file name. Returns true on Enter.
bool name_field(const PanelUi& ui, FileDialog& dialog) {
  ImGui::SetNextItemWidth(ui.px(kWidthPx));
  if (dialog.fresh) ImGui::SetKeyboardFocusHere();
  dialog.fresh = false;
  const std::string before = dialog.name;
  const bool entered =
      ImGui::InputTextWithHint("##name", text(Text::kFileNameHint), &dialog.name,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  mark_widget(ui, "file_name");
  if (dialog.name != before) {
    dialog.confirm_overwrite = false;
    for (FolderEntry& entry : dialog.entries) entry.marked = false;
  }
  return entered;
}

// Draws a button and a number field for how much of the recording's end to keep. Typing a number also selects
// the button.
void last_choice(const PanelUi& ui, const char* widget, const char* unit, bool chosen, int& amount,
                 bool& picked) {
  const std::string id = std::string(text(Text::kRecordLast)) + "##" + widget;
  picked = ImGui::RadioButton(id.c_str(), chosen) || picked;
  mark_widget(ui, widget);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(ui.px(64));
  picked = ImGui::InputInt((std::string("##of_") + widget).c_str(), &amount, 0) || picked;
  mark_widget(ui, std::string(widget) + ":field");
  ImGui::SameLine();
  text_line(unit);
}

// Draws the choice of how much of the recording to keep.
void keep_line(const PanelModel& model, const PanelUi& ui, Commands& out) {
  using Kind = Retention::Kind;
  Retention keep = model.recording.keep;
  ImGui::AlignTextToFramePadding();
  text_line(text(Text::kRetention));
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::RadioButton(text(Text::kRecordWhole), keep.kind == Kind::kWhole)) keep.kind = Kind::kWhole;
  mark_widget(ui, "keep:whole");
  bool seconds = false, megabytes = false;
  ImGui::SameLine(0, ui.px(16));
  last_choice(ui, "keep:seconds", "s", keep.kind == Kind::kSeconds, keep.seconds, seconds);
  ImGui::SameLine(0, ui.px(16));
  last_choice(ui, "keep:megabytes", "MB", keep.kind == Kind::kMegabytes, keep.megabytes, megabytes);
  if (seconds) keep.kind = Kind::kSeconds;
  if (megabytes) keep.kind = Kind::kMegabytes;
  ImGui::PushFont(ui.fonts.small);
  dim_line(ui, in_lines(text(Text::kRetentionHint), ui.px(kWidthPx)));
  ImGui::PopFont();
  if (keep != model.recording.keep) out.push_back(SetRetention{keep});
}

// The page can ask what the lesson asks only if all parts of the lesson are measured.
bool offers_lesson(const PanelModel& model) { return model.lesson.measured(); }

void part_choice(const PanelModel& model, const PanelUi& ui, PageChoice& choice) {
  const std::optional<TimeRange>& range = model.timeline.range;
  choice.range = choice.range && range;
  ImGui::AlignTextToFramePadding();
  text_line(text(Text::kExportPart));
  ImGui::SameLine(0, ui.px(16));
  if (ImGui::RadioButton(text(Text::kExportWhole), !choice.range)) choice.range = false;
  mark_widget(ui, "page:whole");
  ImGui::SameLine(0, ui.px(16));
  ImGui::BeginDisabled(!range);
  const std::string length = range ? format_duration(range->duration()) : text(Text::kNoFigure);
  if (ImGui::RadioButton(filled(Text::kExportRange, {length}).c_str(), choice.range)) choice.range = true;
  ImGui::EndDisabled();
  mark_widget(ui, "page:range");
}

void size_limit(const PanelUi& ui, PageChoice& choice) {
  ImGui::AlignTextToFramePadding();
  text_line(text(Text::kExportSize));
  for (const std::uint64_t megabytes : {0u, 5u, 20u, 50u}) {
    ImGui::SameLine(0, ui.px(16));
    const std::string label = megabytes == 0 ? text(Text::kExportNoLimit) : std::to_string(megabytes) + " MB";
    const std::uint64_t bytes = megabytes * 1'000'000;
    if (ImGui::RadioButton(label.c_str(), choice.most_bytes == bytes)) choice.most_bytes = bytes;
    mark_widget(ui, "page:size:" + std::to_string(megabytes));
  }
}

// The comparison on the screen, as a page can have it. Empty: there is none.
std::string offered_comparison(const CompareFacts& compare) {
  const CompareAnswer* const answer = compare.answer;
  if (answer == nullptr || compare.running || answer->problem != CompareAnswer::Problem::kNone) return "";
  if (answer->asked.mode == CompareMode::kRecording) return compare.a_name + ", " + compare.b_name;
  if (answer->change && *answer->change < answer->changes.size())
    return answer->changes[*answer->change].change.label;
  return text(Text::kCompareRanges);
}

void compared_choice(const PanelModel& model, const PanelUi& ui, PageChoice& choice) {
  const std::string offered = offered_comparison(model.compare);
  const bool possible = !offered.empty() && !choice.range && !choice.lesson;
  choice.compared = choice.compared && possible;
  if (!possible) return;
  ImGui::Checkbox("##page_compared", &choice.compared);
  mark_widget(ui, "page:compared");
  ImGui::SameLine();
  text_line(in_lines(std::string(text(Text::kPanelCompare)) + ": " + offered, ui.px(kWidthPx - 40)));
}

// Draws what the page shall have of the trace.
void page_lines(const PanelModel& model, const PanelUi& ui, PageChoice& choice) {
  part_choice(model, ui, choice);
  size_limit(ui, choice);
  choice.lesson = choice.lesson && offers_lesson(model);
  if (offers_lesson(model)) {
    const std::string number = std::to_string(model.lesson.lesson->number);
    ImGui::Checkbox("##page_lesson", &choice.lesson);
    mark_widget(ui, "page:lesson");
    ImGui::SameLine();
    text_line(in_lines(filled(Text::kExportLesson, {number}), ui.px(kWidthPx - 40)));
  }
  compared_choice(model, ui, choice);
  if (model.grows()) small_dim_line(ui, in_lines(text(Text::kExportSoFar), ui.px(kWidthPx)));
}

void buttons(const PanelUi& ui, FileDialog& dialog, bool& accepted, Commands& out) {
  const std::string verb = std::string(text(verb_of(dialog.purpose))) + "##accept";
  if (ImGui::Button(verb.c_str(), ImVec2(ui.px(120), 0))) accepted = true;
  mark_widget(ui, "file_accept");
  ImGui::SameLine();
  if (ImGui::Button(text(Text::kCancel)) || key_pressed(Key::kEscape)) out.push_back(CloseDialog{});
  mark_widget(ui, "file_cancel");
}

}  // namespace

void file_dialog_panel(const PanelModel& model, const PanelUi& ui, FileDialog& dialog, Commands& out) {
  const ImVec2 work = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImVec2(work.x / 2, work.y / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  const char* title = text(title_of(dialog.purpose));
  if (!ImGui::IsPopupOpen(title)) ImGui::OpenPopup(title);
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoMove;
  if (!ImGui::BeginPopupModal(title, nullptr, kFlags)) return;
  program_list(ui, dialog, out);
  folder_line(ui, dialog);
  bool accepted = file_list(ui, dialog);
  move_choice(dialog);
  accepted = name_field(ui, dialog) || accepted;
  // After a click on the list, the field has no focus.
  accepted = accepted || (!ImGui::IsAnyItemActive() && key_pressed(Key::kEnter));
  if (dialog.purpose == FilePurpose::kRecord) keep_line(model, ui, out);
  if (dialog.purpose == FilePurpose::kPage) page_lines(model, ui, dialog.page);
  if (!dialog.problem.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.warning));
    ellipsis_line(ui, dialog.problem, ui.px(kWidthPx));
    ImGui::PopStyleColor();
  } else if (const std::size_t marked = marked_files(dialog).size(); marked > 0) {
    text_line(filled(Text::kMarkedFiles, {std::to_string(marked)}));
  } else {
    small_dim_line(ui, text(hint_of(dialog.purpose)));
  }
  buttons(ui, dialog, accepted, out);
  const std::vector<std::filesystem::path> marked = marked_files(dialog);
  if (accepted && !marked.empty()) {
    out.push_back(FileChosen{dialog.purpose, marked.front(), {marked.begin() + 1, marked.end()}});
  } else if (accepted) {
    const std::optional<std::filesystem::path> path = accept(dialog);
    if (path && dialog.purpose == FilePurpose::kPage) {
      out.push_back(ExportPage{*path, dialog.page});
    } else if (path) {
      out.push_back(FileChosen{dialog.purpose, *path});
    }
  }
  ImGui::EndPopup();
}

}  // namespace runahead::gui
