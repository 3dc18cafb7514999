#include "gui/panels/script/script_lines.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <variant>

#include "instrumentation/base/parse_number.h"
#include "instrumentation/base/visible_text.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;
using trace::Slice;
using trace::SliceKind;

constexpr trace::SliceKinds kCounted =
    trace::kinds_of(SliceKind::kEnqueue) | trace::kinds_of(SliceKind::kWait);
constexpr int kSpacesOfTab = 4;

struct Place {
  std::string_view file;
  std::uint32_t line = 0;
};

// Splits "FILE:LINE". nullopt: the text has another form.
std::optional<Place> parse_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::optional<std::int64_t> line = parse_positive(text.substr(colon + 1));
  if (!line || *line > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return Place{text.substr(0, colon), static_cast<std::uint32_t>(*line)};
}

// The figures of one line while they are gathered.
struct Gathered {
  LineFigures figures;
  Duration longest{-1};
  bool longest_waits = false;
};

class LineGatherer {
 public:
  explicit LineGatherer(const trace::Trace& trace) : trace_(trace), key_(trace.find_string("line")) {}

  [[nodiscard]] bool any() const { return key_.has_value(); }

  void add(const SliceRef& ref, const Slice& slice) {
    Gathered* const line = line_of(slice.args);
    if (line == nullptr) return;
    LineFigures& figures = line->figures;
    const bool waits = slice.kind == SliceKind::kWait;
    ++(waits ? figures.waits : figures.enqueues);
    (waits ? figures.waiting : figures.enqueueing) += slice.duration();
    add_name(figures, slice.name);
    if (ref.open) return;
    if (line->longest_waits && !waits) return;
    if (line->longest_waits == waits && slice.duration() <= line->longest) return;
    line->longest = slice.duration();
    line->longest_waits = waits;
    figures.longest = ref;
  }
  // A wait lies within the enqueue `slice`: the line did not enqueue in this time.
  void subtract(const Slice& slice, Duration wait) {
    if (Gathered* const line = line_of(slice.args)) line->figures.enqueueing -= wait;
  }

  std::vector<FileFigures> take() {
    std::vector<FileFigures> out;
    for (auto& [file, lines] : files_) {
      FileFigures& of = out.emplace_back(FileFigures{std::string(file), {}});
      for (auto& [number, gathered] : lines) {
        gathered.figures.line = number;
        gathered.figures.enqueueing = std::max(gathered.figures.enqueueing, Duration{0});
        // A line whose rows were all outside the range has no figures.
        if (gathered.figures.enqueues + gathered.figures.waits > 0)
          of.lines.push_back(std::move(gathered.figures));
      }
    }
    std::erase_if(out, [](const FileFigures& of) { return of.lines.empty(); });
    std::ranges::stable_sort(out, std::ranges::greater{},
                             [](const FileFigures& of) { return of.lines.size(); });
    return out;
  }

 private:
  Gathered* line_of(ArgsId args) {
    if (args == kNoArgs) return nullptr;
    const auto [at, added] = by_args_.try_emplace(args, nullptr);
    if (!added) return at->second;
    for (const trace::Arg& arg : trace_.args(args)) {
      const StringId* const text = std::get_if<StringId>(&arg.value);
      if (arg.key != *key_ || text == nullptr) continue;
      if (const auto place = parse_place(trace_.string(*text)))
        at->second = &files_[place->file][place->line];
    }
    return at->second;
  }

  void add_name(LineFigures& figures, StringId name) {
    if (figures.names.size() >= kMostNamesOfLine) return;
    const std::string_view words = trace_.string(name);
    if (std::ranges::find(figures.names, words) == figures.names.end()) figures.names.emplace_back(words);
  }

  const trace::Trace& trace_;
  const std::optional<StringId> key_;
  std::map<std::string_view, std::map<std::uint32_t, Gathered>> files_;
  std::unordered_map<ArgsId, Gathered*> by_args_;  // nullptr: the set names no line
};

// If an enqueue of a lower depth contains `wait`, its line did not enqueue in this time.
void subtract_from_enqueue(const trace::Track& track, const SliceRef& ref, const Slice& wait,
                           LineGatherer& gatherer) {
  for (std::uint32_t depth = 0; depth < ref.depth; ++depth) {
    const trace::Lane& lane = track.lanes[depth];
    const std::uint64_t row = lane.first_row_ending_after(wait.begin);
    if (row >= lane.end_row() || lane.begin(row) > wait.begin) continue;
    const Slice around = lane.slice(row);
    if (around.kind == SliceKind::kEnqueue) return gatherer.subtract(around, wait.duration());
  }
}

// False: cancelled.
bool gather(const trace::Track& track, TrackId id, TimeRange range, LineGatherer& gatherer,
            const std::atomic<bool>& cancelled) {
  for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
    const trace::Lane& lane = track.lanes[depth];
    trace::LaneReader reader(lane);
    const std::uint64_t first = lane.first_row_beginning_from(range.begin);
    const std::uint64_t last = lane.first_row_beginning_from(range.end, first);
    for (std::uint64_t row = reader.next_of_kinds(kCounted, first, last); row < last;
         row = reader.next_of_kinds(kCounted, row + 1, last)) {
      if (cancelled.load(std::memory_order_relaxed)) return false;
      const Slice slice = reader.slice(row);
      const SliceRef ref{id, depth, row, false};
      gatherer.add(ref, slice);
      if (slice.kind == SliceKind::kWait && depth > 0) subtract_from_enqueue(track, ref, slice, gatherer);
    }
  }
  return true;
}

}  // namespace

std::vector<FileFigures> figures_by_line(const trace::Trace& trace, TimeRange range,
                                         const std::atomic<bool>& cancelled) {
  LineGatherer gatherer(trace);
  if (!gatherer.any()) return {};
  for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
    const trace::Track& track = trace.tracks()[i];
    if (track.info.kind == trace::TrackKind::kQueue) continue;  // its slices are the lives of ops
    if (!gather(track, TrackId(static_cast<std::uint32_t>(i)), range, gatherer, cancelled)) return {};
  }
  for (const trace::OpenSlice& open : trace.open_slices()) {
    Slice slice = open.slice;
    slice.end = std::max(trace.watermark(), slice.begin);
    const bool counts = slice.kind == SliceKind::kEnqueue || slice.kind == SliceKind::kWait;
    if (counts && range.begin <= slice.begin && slice.begin < range.end)
      gatherer.add({open.track, open.depth, 0, true}, slice);
  }
  return gatherer.take();
}

std::optional<std::size_t> worst_line(const std::vector<LineFigures>& lines) {
  const auto least = [](const LineFigures& a, const LineFigures& b) {
    return std::pair(a.waiting, a.enqueueing) < std::pair(b.waiting, b.enqueueing);
  };
  const auto worst = std::ranges::max_element(lines, least);
  if (worst == lines.end() || worst->waiting + worst->enqueueing == Duration{0}) return std::nullopt;
  return static_cast<std::size_t>(worst - lines.begin());
}

std::optional<fs::path> path_of(const trace::Trace& trace, std::string_view file) {
  const fs::path named(file);
  if (named.is_absolute()) return named;
  const auto script = trace.metadata().find("process.script");
  if (script == trace.metadata().end() || script->second.empty()) return std::nullopt;
  return fs::path(script->second).parent_path() / named;
}

std::optional<std::vector<std::string>> read_lines(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostTextBytes || error)
    return std::nullopt;
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::string spaced;
    for (const char c : line) {
      if (c == '\t') {
        do spaced += ' ';
        while (spaced.size() % kSpacesOfTab != 0);
      } else {
        spaced += c;
      }
    }
    lines.push_back(visible_text(spaced));
  }
  return lines;
}

}  // namespace runahead::gui
