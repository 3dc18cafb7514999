// The query panel: the user queries the trace in SQL, and the answer is a table. A click on a row goes to the
// slice of this row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/panel.h"
#include "gui/panels/query/query_runner.h"

namespace runahead::gui {

struct QueryView {
  std::string sql;     // text of the query field; if the field is empty, the panel fills in an example
  bool fresh = false;  // the field takes the keyboard focus
};

class QueryPanel : public PanelModule {
 public:
  explicit QueryPanel(std::function<void()> wake) : runner_(std::move(wake)) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "query",
        .title = Text::kPanelQuery,
        .key = "Q",
        .place = PanelPlace::kBelow,
        .button = PanelButton{9, "query", Text::kQueryButton, Text::kQueryButtonHint}};
    return kInfo;
  }
  [[nodiscard]] bool offered() const override { return QueryRunner::available(); }
  bool poll(const PanelContext& context) override;
  void trace_replaced() override;
  void add_words(std::vector<std::string_view>& words) const override;
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // Stores a query. The next poll() runs it. Ignored while a query is running.
  void ask(std::string sql);
  void cancel();  // the running query soon ends with the error "cancelled"
  [[nodiscard]] bool running() const { return asked_.has_value() || runner_.busy(); }
  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const QueryAnswer* answer() const { return answer_ ? &*answer_ : nullptr; }

  QueryView view;

 private:
  QueryRunner runner_;
  std::optional<std::string> asked_;  // a query that is not yet passed to the runner
  bool cancelled_ = false;            // the query was cancelled before it was passed to the runner
  std::optional<QueryAnswer> answer_;
  std::uint64_t answers_ = 0;  // number of answers so far
};
void paint_panel(QueryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
