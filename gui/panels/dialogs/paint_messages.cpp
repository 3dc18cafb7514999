#include <algorithm>

#include "gui/panels/dialogs/paint_dialogs.h"

namespace runahead::gui {

namespace {

constexpr ImGuiWindowFlags kNotice = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

}  // namespace

void error_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out) {
  if (model.error.empty()) return;
  const ButtonLook close{.icon = Icon::kClose, .hint = text(Text::kDismiss)};
  const float window = ImGui::GetMainViewport()->WorkSize.x, most = window * 0.7f, gap = ui.px(16);
  const float width =
      std::min(ImGui::CalcTextSize(model.error.data(), model.error.data() + model.error.size()).x, most) +
      gap + tool_button_width(ui, close) + 2 * ImGui::GetStyle().WindowPadding.x;
  // A panel beside the timeline moves the centre to the left. The bar stays within the window.
  const float left = std::max(std::min(centre_top.x - width / 2, window - width - ui.px(8)), ui.px(8));
  ImGui::SetNextWindowPos(ImVec2(left, centre_top.y), ImGuiCond_Always);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_imvec(mix(ui.theme.popup, ui.theme.failure, 0.22f)));
  ImGui::PushStyleColor(ImGuiCol_Border, to_imvec(ui.theme.failure));
  if (ImGui::Begin("##error", nullptr, kNotice)) {
    ImGui::AlignTextToFramePadding();
    ellipsis_line(ui, model.error, most);
    mark_widget(ui, "error");
    ImGui::SameLine(0, gap);
    if (tool_button(ui, "dismiss_error", close)) out.push_back(DismissError{});
  }
  ImGui::End();
  ImGui::PopStyleColor(2);
}

void page_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out) {
  if (!model.files.page || model.files.job) return;
  const PageFacts& page = *model.files.page;
  ImGui::SetNextWindowPos(centre_top, ImGuiCond_Always, ImVec2(0.5f, 0));
  if (ImGui::Begin("##page", nullptr, kNotice)) {
    ellipsis_line(ui, page.words, ImGui::GetMainViewport()->WorkSize.x * 0.6f);
    mark_widget(ui, "page:words");
    if (page.shows) {
      if (ImGui::Button(text(Text::kOpenInBrowser))) out.push_back(ShowPage{});
      mark_widget(ui, "page:show");
      ImGui::SameLine();
    }
    if (ImGui::Button(text(Text::kDismiss))) out.push_back(DismissPage{});
    mark_widget(ui, "page:dismiss");
  }
  ImGui::End();
}

void job_panel(const PanelModel& model, const PanelUi& ui, ImVec2 centre_top, Commands& out) {
  if (!model.files.job) return;
  ImGui::SetNextWindowPos(centre_top, ImGuiCond_Always, ImVec2(0.5f, 0));
  if (ImGui::Begin("##job", nullptr, kNotice)) {
    ellipsis_line(ui, model.files.job->label, ui.px(420));
    ImGui::ProgressBar(static_cast<float>(model.files.job->done), ImVec2(ui.px(320), 0));
    ImGui::SameLine();
    if (ImGui::Button(text(Text::kCancel))) out.push_back(CancelJob{});
    mark_widget(ui, "cancel_job");
  }
  ImGui::End();
}

}  // namespace runahead::gui
