#include "gui/panels/find/find_panel.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "instrumentation/trace/labels.h"

namespace runahead::gui {

namespace {

std::int64_t step_of(const trace::Trace& trace, const trace::Slice& slice) {
  const auto op = slice.op != kNoOp ? trace.op(slice.op) : std::nullopt;
  return op ? op->step : -1;
}

}  // namespace

std::optional<FindAnswer> find(const Finder::Question& question, const std::atomic<bool>& cancelled) {
  FindAnswer answer{.asked = question.asked};
  const trace::Trace& trace = question.snapshot;
  const Result<analysis::SliceSearch> search = analysis::parse_slice_search(question.asked.words);
  if (!search) {
    answer.error = search.error().message;
    return answer;
  }
  if (search->empty()) {
    answer.names = analysis::statistics_by_name(trace, question.range, analysis::OpLives::kLeftOut);
  } else {
    answer.found =
        analysis::find_slices(trace, *search, question.range, question.asked.order, kMostFound, cancelled);
    if (answer.found.cancelled) return std::nullopt;
    answer.histogram = analysis::duration_histogram(std::exchange(answer.found.durations, {}));
    for (const analysis::FoundSlice& found : answer.found.slices)
      answer.steps.push_back(step_of(trace, found.slice));
  }
  return answer;
}

bool FindPanel::poll(const PanelContext& context) {
  const auto wanted = shown() ? std::optional(view.words) : std::nullopt;
  return finder_.poll(context.trace, context.serial, wanted, context.range(view.words.in_range));
}

void FindPanel::add_words(std::vector<std::string_view>& words) const {
  words.push_back(view.words.words);
  if (answer() != nullptr) words.push_back(answer()->error);
}

void FindPanel::add_to_report(nlohmann::json& json, const PanelModel&) const {
  nlohmann::json& part = json["find"] = nullptr;
  if (!shown()) return;
  part = {{"running", finder_.busy()}, {"answered", answer() != nullptr}};
  if (answer() == nullptr) return;
  part["words"] = answer()->asked.words;
  part["error"] = answer()->error;
  part["count"] = answer()->histogram.count;
  part["listed"] = answer()->found.slices.size();
  part["names"] = answer()->names.size();
  part["bins"] = answer()->histogram.bins.size();
}

std::string words_for_name(std::string_view name) {
  std::string words = "name=\"";
  for (const char c : name) {
    if (c != '"') words += c;  // a name in quotes cannot contain a quote
  }
  return words + "\"";
}

std::string words_for_name(std::string_view name, trace::SliceKind kind) {
  if (kind == trace::SliceKind::kPause) return words_for_name(name);  // the search has no word for pauses
  const std::string_view word = trace::is_copy(kind) ? "copy" : trace::slice_kind_key(kind);
  return words_for_name(name) + " kind=" + std::string(word);
}

std::string words_with_durations(std::string_view words, Duration least, Duration most) {
  std::string out;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = at;
    for (bool quoted = false; end < words.size() && (quoted || words[end] != ' '); ++end)
      quoted = quoted != (words[end] == '"');
    const std::string_view word = words.substr(at, end - at);
    const bool bound = word.starts_with("dur<") || word.starts_with("dur>") || word.starts_with("dur=");
    if (!word.empty() && !bound) out += std::string(word) + " ";
    at = end + 1;
  }
  return out + "dur>=" + std::to_string(least.count()) + "ns dur<=" + std::to_string(most.count()) + "ns";
}

}  // namespace runahead::gui
