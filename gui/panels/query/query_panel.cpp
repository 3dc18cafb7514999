#include "gui/panels/query/query_panel.h"

#include <nlohmann/json.hpp>

namespace runahead::gui {

bool QueryPanel::poll(const PanelContext& context) {
  if (asked_ && !runner_.busy()) {
    runner_.ask({*asked_, context.trace.snapshot(), context.serial});
    asked_.reset();
    if (std::exchange(cancelled_, false)) runner_.cancel();
  }
  std::optional<QueryAnswer> answer = runner_.take();
  if (!answer) return false;
  answer->number = ++answers_;
  if (answer->trace_serial == context.serial) answer_ = std::move(answer);
  return true;
}

void QueryPanel::trace_replaced() {
  runner_.cancel();
  answer_.reset();
}

void QueryPanel::ask(std::string sql) {
  if (running()) return;
  asked_ = std::move(sql);
  cancelled_ = false;
}

void QueryPanel::cancel() {
  cancelled_ = asked_.has_value();
  runner_.cancel();
}

void QueryPanel::add_words(std::vector<std::string_view>& words) const {
  if (answer_) words.push_back(answer_->error);
}

void QueryPanel::add_to_report(nlohmann::json& json, const PanelModel&) const {
  nlohmann::json& part = json["query"] = nullptr;
  if (!shown()) return;
  part = {{"running", running()}, {"answered", answer_.has_value()}};
  if (!answer_) return;
  part["error"] = answer_->error;
  part["columns"] = answer_->columns;
  part["rows"] = answer_->rows.size();
  if (!answer_->rows.empty()) part["first"] = answer_->rows.front().cells;
}

}  // namespace runahead::gui
