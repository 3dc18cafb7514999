#include "instrumentation/analysis/slice_search.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/base/contains_text.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::analysis {
namespace {

using trace::Lane;
using trace::Slice;
using trace::SliceKind;
using trace::SliceKinds;
using trace::Trace;
using trace::Track;

// ---- the typed text ---------------------------------------------------------------------------------------

struct KindName {
  std::string_view name;
  SliceKinds kinds;
};
constexpr std::array kKindNames{KindName{"zone", kinds_of(SliceKind::kZone)},
                                KindName{"enqueue", kinds_of(SliceKind::kEnqueue)},
                                KindName{"execute", kinds_of(SliceKind::kExecute)},
                                KindName{"wait", kinds_of(SliceKind::kWait)},
                                KindName{"copy", kCopyKinds},
                                KindName{"allocation", kinds_of(SliceKind::kAllocation)},
                                KindName{"step", kinds_of(SliceKind::kStep)},
                                KindName{"pause", kinds_of(SliceKind::kPause)}};

// Splits a line into words at the spaces, except at spaces between quotation marks.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  const auto end_word = [&] {
    if (any) words.push_back(std::exchange(word, {}));
    any = false;
  };
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      end_word();
    } else {
      word += c;
      any = true;
    }
  }
  end_word();
  std::erase(words, "");
  return words;
}

struct Condition {
  std::string_view field, relation, value;  // relation empty: a plain word, which is in `value`
};

Condition condition_of(std::string_view word) {
  static constexpr std::string_view kFields[]{"name", "dur", "bytes", "step", "op", "kind", "track"};
  const std::size_t at = word.find_first_of("<>=");
  if (at == std::string_view::npos) return {{}, {}, word};
  const std::string_view field = word.substr(0, at);
  if (std::ranges::find(kFields, field) == std::end(kFields))
    return {{}, {}, word};  // a plain word such as "operator=="
  const bool two = word.size() > at + 1 && word[at + 1] == '=' && word[at] != '=';
  return {field, word.substr(at, two ? 2 : 1), word.substr(at + (two ? 2 : 1))};
}

// Sets a lower or upper bound. Both are inclusive, so `> value` becomes `>= value + step`. `step` is the
// smallest difference between two values of the field.
template <typename T>
bool bound(SliceSearch::Bounds<T>& bounds, std::string_view relation, std::optional<T> value, T step) {
  if (!value) return false;
  if (relation == "=") {
    bounds.least = bounds.most = *value;
  } else if (relation.front() == '>') {
    bounds.least = relation == ">" ? *value + step : *value;
  } else {
    bounds.most = relation == "<" ? *value - step : *value;
  }
  return true;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text == "0") return 0;
  return parse_positive(text);
}

std::optional<std::int64_t> byte_count(std::string_view text) {
  if (text == "0") return 0;
  if (text.size() > 1 && text.back() == 'B') text.remove_suffix(1);
  const std::optional<std::int64_t> bytes = parse_positive_bytes(text);
  // The largest number is refused, so that adding 1 in bound() does not overflow.
  return bytes == std::numeric_limits<std::int64_t>::max() ? std::nullopt : bytes;
}

bool add_kind(std::string_view name, SliceSearch& search) {
  const auto found = std::ranges::find(kKindNames, name, &KindName::name);
  if (found == kKindNames.end()) return false;
  search.kinds |= found->kinds;
  return true;
}

// Adds the condition to the search. Returns false if the value cannot be read, or if the field does not allow
// the relation.
bool apply(const Condition& condition, SliceSearch& search) {
  const bool equal = condition.relation == "=";
  if (condition.field == "dur")
    return bound(search.duration, condition.relation, parse_time_with_unit(condition.value), Duration{1});
  if (condition.field == "bytes")
    return bound<std::int64_t>(search.size_bytes, condition.relation, byte_count(condition.value), 1);
  if (!equal || condition.value.empty()) return false;
  if (condition.field == "name") {
    search.name = condition.value;
    return true;
  }
  if (condition.field == "track") {
    search.track_words.emplace_back(condition.value);
    return true;
  }
  if (condition.field == "kind") return add_kind(condition.value, search);
  const std::optional<std::int64_t> number = whole_number(condition.value);
  if (!number) return false;
  if (condition.field == "step") {
    search.step = number;
  } else {
    search.op_number = static_cast<std::uint64_t>(*number);
  }
  return true;
}

Error unreadable(const std::string& word) {
  return Error{"'" + word +
               "' cannot be read; there are dur>1ms, bytes>=4M, step=12, op=4711, name=NAME, track=NAME, and "
               "kind= with zone, "
               "enqueue, execute, wait, copy, allocation or step"};
}

// ---- the search -------------------------------------------------------------------------------------------

bool contains_all(std::string_view text, const std::vector<std::string>& words) {
  return std::ranges::all_of(words,
                             [&](const std::string& word) { return contains_ignoring_case(text, word); });
}

// index: StringId; value: true if a slice with this name matches. An empty result means that all names match.
std::vector<bool> matching_names(const Trace& trace, const SliceSearch& search) {
  if (search.name_words.empty() && !search.name) return {};
  std::vector<bool> hold(trace.string_count());
  for (std::uint32_t i = 0; i < hold.size(); ++i) {
    const std::string_view name = trace.string(StringId{i});
    hold[i] = contains_all(name, search.name_words) && (!search.name || name == *search.name);
  }
  return hold;
}

// Each word must be in the track's name or in the name of one of the track's groups.
bool track_matches(const Trace& trace, const Track& track, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&](const std::string& word) {
    for (const Track* at = &track;; at = &trace.track(at->info.parent)) {
      if (contains_ignoring_case(at->info.name, word)) return true;
      if (at->info.parent == kNoTrack) return false;
    }
  });
}

// Visits the matching slices of a trace, lane by lane.
class Walk {
 public:
  Walk(const Trace& trace, const SliceSearch& search, const std::atomic<bool>& cancel)
      : trace_(trace),
        search_(search),
        cancel_(cancel),
        names_(matching_names(trace, search)),
        kinds_(search.kinds != 0 ? search.kinds : std::numeric_limits<SliceKinds>::max()) {}

  bool go(TimeRange range, const std::function<void(const FoundSlice&)>& found) const {
    for (const Track& track : trace_.tracks()) {
      if (track.info.kind == trace::TrackKind::kQueue || track.lanes.empty() ||
          !track_matches(trace_, track, search_.track_words))
        continue;
      for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
        if (!look_through(track.lanes[depth], {track.info.id, depth, 0, {}}, range, found)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kLookUp = 4096;  // number of rows between two checks of `cancel`

  bool look_through(const Lane& lane, FoundSlice at, TimeRange range,
                    const std::function<void(const FoundSlice&)>& found) const {
    const std::uint64_t last = lane.first_row_beginning_from(range.end);
    trace::LaneReader reader(lane);
    std::uint64_t looked_at = 0;
    for (at.row = reader.next_of_kinds(kinds_, lane.first_row_beginning_from(range.begin), last);
         at.row < last; at.row = reader.next_of_kinds(kinds_, at.row + 1, last)) {
      if (++looked_at % kLookUp == 0 && cancel_.load(std::memory_order_relaxed)) return false;
      at.slice = reader.slice(at.row);
      if (holds(at.slice)) found(at);
    }
    return true;
  }

  bool holds(const Slice& slice) const {
    if (!names_.empty() && !names_[raw(slice.name)]) return false;
    if (!search_.duration.hold(slice.duration()) || !search_.size_bytes.hold(slice.size_bytes)) return false;
    if (search_.op_number && (slice.op == kNoOp || op_number(slice.op) != *search_.op_number)) return false;
    return !search_.step || step_of(slice) == search_.step;
  }

  std::optional<std::int64_t> step_of(const Slice& slice) const {
    if (slice.op == kNoOp) return std::nullopt;
    const std::optional<trace::OpRow> op = trace_.op(slice.op);
    return op ? std::optional(op->step) : std::nullopt;
  }

  const Trace& trace_;
  const SliceSearch& search_;
  const std::atomic<bool>& cancel_;
  const std::vector<bool> names_;  // empty: all names match
  const SliceKinds kinds_;
};

// Collects slices and keeps the first `most` of them in the requested order. While slices are added, it
// stores at most 2 * `most` slices, so that it rarely has to select the first `most`.
class Best {
 public:
  Best(FoundOrder order, std::size_t most) : order_(order), most_(most) {}

  void put(const FoundSlice& slice) {
    if (most_ == 0) return;
    slices_.push_back(slice);
    if (slices_.size() >= 2 * most_) cut();
  }
  std::vector<FoundSlice> take() {
    if (slices_.size() > most_) cut();
    std::ranges::sort(slices_, before());
    return std::move(slices_);
  }

 private:
  [[nodiscard]] std::function<bool(const FoundSlice&, const FoundSlice&)> before() const {
    return [longest_first = order_ == FoundOrder::kLongestFirst](const FoundSlice& a, const FoundSlice& b) {
      const Duration longer = b.slice.duration() - a.slice.duration();
      if (longest_first && longer != Duration{}) return longer < Duration{};
      return std::tuple(a.slice.begin, a.track, a.depth, a.row) <
             std::tuple(b.slice.begin, b.track, b.depth, b.row);
    };
  }
  void cut() {
    const auto last = slices_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::ranges::nth_element(slices_, last, before());
    slices_.erase(last, slices_.end());
  }

  const FoundOrder order_;
  const std::size_t most_;
  std::vector<FoundSlice> slices_;
};

}  // namespace

bool SliceSearch::empty() const {
  return name_words.empty() && !name && track_words.empty() && kinds == 0 && !duration.least &&
         !duration.most && !size_bytes.least && !size_bytes.most && !step && !op_number;
}

Result<SliceSearch> parse_slice_search(std::string_view words) {
  SliceSearch search;
  for (const std::string& word : words_of(words)) {
    const Condition condition = condition_of(word);
    if (condition.relation.empty()) {
      search.name_words.push_back(word);
    } else if (!apply(condition, search)) {
      return unreadable(word);
    }
  }
  return search;
}

FoundSlices find_slices(const Trace& trace, const SliceSearch& search, TimeRange range, FoundOrder order,
                        std::size_t most, const std::atomic<bool>& cancel, FoundDetail detail) {
  FoundSlices all;
  Best best(order, most);
  const auto rows = detail == FoundDetail::kKept ? std::make_shared<FoundRows>(trace) : nullptr;
  all.cancelled = !Walk(trace, search, cancel).go(range, [&](const FoundSlice& slice) {
    ++all.count;
    ++all.kinds[static_cast<std::size_t>(slice.slice.kind)];
    if (rows) {
      all.durations.push_back(slice.slice.duration());
      rows->add(slice.track, slice.depth, slice.row);
    }
    best.put(slice);
  });
  all.rows = rows;
  all.slices = best.take();
  return all;
}

}  // namespace runahead::analysis
