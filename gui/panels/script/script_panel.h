// The script panel shows the text of a script with the figures of each line: the ops that the line enqueued,
// the time that it took to enqueue them, and the time for which the line waited. The line that waited the
// longest is marked. A click on a line goes to the longest wait (or enqueue) of this line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/background/live_answer.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "gui/panels/script/script_lines.h"

namespace runahead::gui {

struct ScriptWanted {
  std::string file;       // as the trace names it; empty: the file with the most lines
  bool in_range = false;  // true: only slices in the measured range
  friend bool operator==(const ScriptWanted&, const ScriptWanted&) = default;
};
struct ScriptAnswer {
  std::vector<std::string> files;      // all files that the trace names, the one with the most lines first
  std::string file;                    // the file below; empty: the slices of the trace name no line
  std::vector<LineFigures> lines;      // of the file, sorted by line
  std::optional<std::size_t> worst;    // index in `lines` (worst_line())
  Duration enqueueing{0}, waiting{0};  // of all lines of the file
  std::optional<std::vector<std::string>> source;  // the text of the file; nullopt: it is not here
  double cost_ms = 0;
  std::uint64_t number = 0;  // differs for each answer
};
using ScriptReporter = LiveAnswer<ScriptWanted, ScriptAnswer>;
[[nodiscard]] std::optional<ScriptAnswer> report_script(const ScriptReporter::Question& question,
                                                        const std::atomic<bool>& cancelled);

// A row of the table: a line of the file, and its figures.
struct ScriptRow {
  std::uint32_t line = 0;
  const LineFigures* figures = nullptr;  // nullptr: the line has no figures
};
// The columns of the table, in their order.
enum class ScriptColumn : std::uint8_t { kLine, kText, kWaiting, kEnqueueing, kCount };
// Returns the rows in the order of the table. By line, the rows are all lines of the text; by a figure, only
// lines with figures. The rows refer to `answer`.
[[nodiscard]] std::vector<ScriptRow> script_rows(const ScriptAnswer& answer, ScriptColumn by,
                                                 bool descending);
// Returns the text of a line; empty: the text is not here.
[[nodiscard]] std::string_view text_of(const ScriptAnswer& answer, std::uint32_t line);
// Returns the cells of the table, to copy or save it.
[[nodiscard]] TableRows script_cells(const ScriptAnswer& answer, const std::vector<ScriptRow>& rows);
// Returns the words of the tooltip: the figures of the line and the names of its ops.
[[nodiscard]] std::string line_words(const LineFigures& figures);

struct ScriptView {
  ScriptWanted wanted;
  std::uint64_t ordered = 0;  // number of the answer whose rows are in `rows`
  std::vector<ScriptRow> rows;
  std::string scrolled;   // the file that the panel has scrolled to its worst line
  bool to_worst = false;  // the next frame scrolls to the worst line
};

class ScriptPanel : public PanelModule {
 public:
  explicit ScriptPanel(std::function<void()> wake) : reporter_(report_script, std::move(wake)) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = kScriptPanel,
        .title = Text::kPanelScript,
        .key = "Y",
        .place = PanelPlace::kBeside,
        .remembered = false,  // it opens when the window runs a script
        .button = PanelButton{10, "script_button", Text::kScriptButton, Text::kScriptButtonHint}};
    return kInfo;
  }
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return reporter_.busy(); }
  void trace_replaced() override;
  void add_words(std::vector<std::string_view>& words) const override;
  [[nodiscard]] std::vector<KeptSize> kept_sizes() override { return {{"script", &share}}; }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const ScriptAnswer* answer() const { return reporter_.answer(); }

  ScriptView view;

 private:
  ScriptReporter reporter_;
};
void paint_panel(ScriptPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
