// Questions to the trace in SQL: what is asked, and the answer as a table, each row a click away from its
// slice.
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
  std::string sql;     // as it is being written; empty: the first example, once it is drawn
  bool fresh = false;  // the field takes the keyboard
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
        .button = PanelButton{7, "query", Text::kQueryButton, Text::kQueryButtonHint}};
    return kInfo;
  }
  [[nodiscard]] bool offered() const override { return QueryRunner::available(); }
  bool poll(const PanelContext& context) override;
  void trace_replaced() override;
  void add_words(std::vector<std::string_view>& words) const override;
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // Asked with the next poll(). While something runs already: nothing happens.
  void ask(std::string sql);
  void cancel();  // what runs is answered soon, with an error
  [[nodiscard]] bool running() const { return asked_.has_value() || runner_.busy(); }
  // The last one, of the trace on the screen; nullptr: none yet.
  [[nodiscard]] const QueryAnswer* answer() const { return answer_ ? &*answer_ : nullptr; }

  QueryView view;

 private:
  QueryRunner runner_;
  std::optional<std::string> asked_;  // not passed on yet
  bool cancelled_ = false;            // before it was
  std::optional<QueryAnswer> answer_;
  std::uint64_t answers_ = 0;  // so many came
};
void paint_panel(QueryPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
