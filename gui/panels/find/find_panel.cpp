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

// Counts all copies as one kind. The kinds of copies follow each other in SliceKind.
std::vector<FoundKind> kinds_of(const analysis::FoundSlices& found) {
  std::vector<FoundKind> kinds;
  for (std::size_t i = 0; i < found.kinds.size(); ++i) {
    const auto kind = static_cast<trace::SliceKind>(i);
    if (found.kinds[i] == 0) continue;
    if (trace::is_copy(kind) && !kinds.empty() && trace::is_copy(kinds.back().kind)) {
      kinds.back().count += found.kinds[i];
    } else {
      kinds.push_back({kind, found.kinds[i]});
    }
  }
  return kinds;
}

// Returns the words of the search for which keep(word) is true. A space follows each word.
template <typename Keep>
std::string words_that(std::string_view words, const Keep& keep) {
  std::string out;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = at;
    for (bool quoted = false; end < words.size() && (quoted || words[end] != ' '); ++end)
      quoted = quoted != (words[end] == '"');
    const std::string_view word = words.substr(at, end - at);
    if (!word.empty() && keep(word)) out += std::string(word) + " ";
    at = end + 1;
  }
  return out;
}

bool is_kind(std::string_view word) { return word.starts_with("kind="); }

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
    answer.kinds = kinds_of(answer.found);
    answer.histogram = analysis::duration_histogram(std::exchange(answer.found.durations, {}));
    for (const analysis::FoundSlice& found : answer.found.slices)
      answer.steps.push_back(step_of(trace, found.slice));
  }
  return answer;
}

bool FindPanel::poll(const PanelContext& context) {
  const auto wanted = shown() ? std::optional(view.words) : std::nullopt;
  const bool changed =
      finder_.poll(context.trace, context.serial, wanted, context.range(view.words.in_range));
  return light(context.timeline) || changed;
}

bool FindPanel::light(TimelineState& timeline) const {
  const bool lit = shown() && !view.words.words.empty() && answer() != nullptr && answer()->found.count > 0;
  auto found = lit ? answer()->found.rows : nullptr;
  const bool changed = timeline.found != found;
  timeline.found = std::move(found);
  return changed;
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
  nlohmann::json& kinds = part["kinds"] = nlohmann::json::object();
  for (const FoundKind& of : answer()->kinds) kinds[std::string(word_of_kind(of.kind))] = of.count;
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
  return words_for_name(name) + " kind=" + std::string(word_of_kind(kind));
}

std::string words_with_durations(std::string_view words, Duration least, Duration most) {
  const std::string others = words_that(words, [](std::string_view word) {
    return !word.starts_with("dur<") && !word.starts_with("dur>") && !word.starts_with("dur=");
  });
  return others + "dur>=" + std::to_string(least.count()) + "ns dur<=" + std::to_string(most.count()) + "ns";
}

std::string_view word_of_kind(trace::SliceKind kind) {
  return trace::is_copy(kind) ? "copy" : trace::slice_kind_key(kind);
}

std::string words_with_kind(std::string_view words, std::optional<trace::SliceKind> kind) {
  std::string out = words_that(words, [](std::string_view word) { return !is_kind(word); });
  if (kind) return out + "kind=" + std::string(word_of_kind(*kind));
  if (!out.empty()) out.pop_back();  // the last space
  return out;
}

bool have_kind(std::string_view words) { return !words_that(words, is_kind).empty(); }

}  // namespace runahead::gui
