// The find panel: finds slices by name and value. It shows a list of slices and a histogram of their
// durations. A click on a row goes to the slice of this row. While the search field is empty, the panel shows
// statistics of all names; a click on a name searches for this name. While the panel is open and its search
// has found slices, the timeline dims all other slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/background/live_answer.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "instrumentation/analysis/duration_histogram.h"
#include "instrumentation/analysis/slice_search.h"
#include "instrumentation/analysis/statistics.h"

namespace runahead::gui {

struct FindWords {
  std::string words;  // as typed (syntax: analysis/slice_search.h); empty: show the statistics of all names
  bool in_range = false;  // true: search only the measured range
  analysis::FoundOrder order = analysis::FoundOrder::kLongestFirst;
  friend bool operator==(const FindWords&, const FindWords&) = default;
};
// The number of found slices of a kind. All copies count as one kind.
struct FoundKind {
  trace::SliceKind kind{};
  std::uint64_t count = 0;
  friend bool operator==(const FoundKind&, const FoundKind&) = default;
};
struct FindAnswer {
  FindWords asked;
  std::string error;                // one line; empty: the words are valid
  analysis::FoundSlices found;      // lists at most kMostFound slices; `histogram` counts all found slices
  std::vector<std::int64_t> steps;  // step of each slice found; -1: no step
  std::vector<FoundKind> kinds;     // the kinds of all found slices
  analysis::DurationHistogram histogram;
  std::vector<analysis::NameStatistics> names;  // filled if the search is empty
  double cost_ms = 0;
  std::uint64_t number = 0;  // each new answer has a new number
};
inline constexpr std::size_t kMostFound = 5'000;  // maximum number of listed slices; all slices are counted
using Finder = LiveAnswer<FindWords, FindAnswer>;
[[nodiscard]] std::optional<FindAnswer> find(const Finder::Question& question,
                                             const std::atomic<bool>& cancelled);

// Returns search words that find exactly the slices with this name. Quotes in the name are left out.
[[nodiscard]] std::string words_for_name(std::string_view name);
// Returns search words that find the slices with this name and of this kind. All copies count as one kind.
[[nodiscard]] std::string words_for_name(std::string_view name, trace::SliceKind kind);
// Returns `words` with the bounds of the duration replaced by `least` and `most`.
[[nodiscard]] std::string words_with_durations(std::string_view words, Duration least, Duration most);
// Returns `words` with the condition on the kind replaced by this kind; nullopt: without such a condition.
[[nodiscard]] std::string words_with_kind(std::string_view words, std::optional<trace::SliceKind> kind);
// Returns true if `words` have a condition on the kind.
[[nodiscard]] bool have_kind(std::string_view words);
// Returns the word of the search for this kind: "copy" for all copies.
[[nodiscard]] std::string_view word_of_kind(trace::SliceKind kind);

struct FindView {
  FindWords words;     // as typed so far
  bool fresh = false;  // the field takes the keyboard focus
  ListOrder name_order;
};

class FindPanel : public PanelModule {
 public:
  explicit FindPanel(std::function<void()> wake) : finder_(gui::find, std::move(wake)) {}

  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "find",
        .title = Text::kPanelFind,
        .key = "/",
        .place = PanelPlace::kBelow,
        .key_only_opens = true,
        .escape_closes = true,
        .button = PanelButton{1, "find", Text::kFindButton, Text::kFindButtonHint}};
    return kInfo;
  }
  bool poll(const PanelContext& context) override;
  [[nodiscard]] bool busy() const override { return finder_.busy(); }
  void trace_replaced() override { finder_.forget(); }
  void take_keyboard() override { view.fresh = true; }
  void add_words(std::vector<std::string_view>& words) const override;
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  // The last answer about the trace on the screen; nullptr: no answer yet.
  [[nodiscard]] const FindAnswer* answer() const { return finder_.answer(); }

  FindView view;

 private:
  // Shows the found slices in the timeline. Returns true if the timeline has changed.
  bool light(TimelineState& timeline) const;

  Finder finder_;
};
void paint_panel(FindPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
