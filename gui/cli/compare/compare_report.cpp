#include "gui/cli/compare/compare_report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "gui/answers/compare_words.h"
#include "gui/cli/output.h"
#include "gui/cli/terminal/text_table.h"
#include "instrumentation/base/format.h"
#include "instrumentation/export/csv.h"
#include "instrumentation/trace/labels.h"

namespace runahead::gui {
namespace {

using analysis::Comparison;
using analysis::DurationHistogram;
using analysis::FigureKind;
using analysis::FigurePair;
using analysis::NamePair;
using analysis::Ratio;
using exporters::append_csv_field;
using trace::slice_kind_key;
using trace::Unit;
using Json = nlohmann::ordered_json;

std::string_view no_ratio_key(const Ratio& ratio) {
  switch (ratio.state) {
    case Ratio::State::kZeroInA:
      return "a_is_0";
    case Ratio::State::kZeroInBoth:
      return "both_0";
    case Ratio::State::kNotInA:
      return "not_in_a";
    case Ratio::State::kNotInB:
      return "not_in_b";
    case Ratio::State::kKnown:
      break;
  }
  return "";
}

std::string_view unit_symbol(Unit unit) {
  switch (unit) {
    case Unit::kNanoseconds:
      return "ns";
    case Unit::kPerSecond:
      return "per_s";
    case Unit::kRatio:
      return "share";
    case Unit::kBytes:
      return "bytes";
    case Unit::kBytesPerSecond:
      return "bytes_per_s";
    default:
      return "count";
  }
}

// ---- text -------------------------------------------------------------------------------------------------

// The window says "A is 0"; a table of text has a dash in the place of the number.
std::string ratio_text(const Ratio& ratio) {
  return ratio.known() ? ratio_words(ratio) : "- (" + ratio_words(ratio) + ")";
}

std::string figure_label(const FigurePair& pair) {
  switch (pair.kind) {
    case FigureKind::kDuration:
      return "duration";
    case FigureKind::kPaused:
      return "paused for";
    case FigureKind::kStepsPerS:
      return "steps";
    case FigureKind::kOpsPerS:
      return "ops";
    case FigureKind::kBlocked:
      return "frontend blocked";
    case FigureKind::kDeviceBusy:
      return "busy: " + pair.device + (pair.simulated ? " (simulated)" : "");
    case FigureKind::kOverlap:
      return "copies and compute at once";
    case FigureKind::kCopied:
      return "moved";
    case FigureKind::kCopyRate:
      return "moved a second";
    case FigureKind::kPeakMemory:
      return "peak memory";
    case FigureKind::kMedianRunAheadSteps:
      return "run-ahead, median, steps";
    case FigureKind::kMaxRunAheadSteps:
      return "run-ahead, most, steps";
    case FigureKind::kMedianRunAheadOps:
      return "run-ahead, median, ops";
    case FigureKind::kMaxRunAheadOps:
      break;
  }
  return "run-ahead, most, ops";
}

// A smaller difference has no colour.
constexpr double kClearDifference = 0.05;

enum class Better { kNeither, kLess, kMore };

Tone tone_of(const Ratio& ratio, Better better) {
  if (!ratio.known() || better == Better::kNeither) return Tone::kPlain;
  if (ratio.value < 1 + kClearDifference && ratio.value > 1 - kClearDifference) return Tone::kPlain;
  return (ratio.value > 1) == (better == Better::kMore) ? Tone::kBetter : Tone::kWorse;
}

Better better_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::kStepsPerS:
    case FigureKind::kOpsPerS:
      return Better::kMore;
    case FigureKind::kBlocked:
    case FigureKind::kPeakMemory:
      return Better::kLess;
    default:
      return Better::kNeither;
  }
}

TextRow name_row(const NamePair& pair) {
  const auto of = [](const DurationHistogram& side, Duration d) {
    return side.count > 0 ? format_duration(d) : std::string("-");
  };
  return {pair.name,
          std::string(slice_kind_key(pair.kind)),
          std::to_string(pair.a.count),
          std::to_string(pair.b.count),
          of(pair.a, pair.a.total),
          of(pair.b, pair.b.total),
          ratio_text(pair.total_ratio()),
          of(pair.a, pair.a.percentiles[kP50]),
          of(pair.b, pair.b.percentiles[kP50]),
          {ratio_text(pair.median_ratio()), tone_of(pair.median_ratio(), Better::kLess)},
          of(pair.a, pair.a.percentiles[kP99]),
          of(pair.b, pair.b.percentiles[kP99])};
}

std::string side_line(const char* side, const std::string& file, TimeRange range) {
  return std::string(side) + "  " + file + "  " + format_axis_time(range.begin, Duration{1'000'000}) +
         " .. " + format_axis_time(range.end, Duration{1'000'000}) + "\n";
}

// ---- JSON and CSV -----------------------------------------------------------------------------------------

Json number(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }
Json ratio_json(const Ratio& ratio) { return ratio.known() ? Json(ratio.value) : Json(nullptr); }

Json side_json(const std::string& file, TimeRange range, const trace::LossCounts& losses) {
  return {{"file", file},
          {"begin_ns", ns_from(range.begin)},
          {"end_ns", ns_from(range.end)},
          {"lost", losses_json(losses)}};
}

Json figure_json(const FigurePair& pair) {
  Json json{{"figure", figure_key(pair.kind)}, {"unit", unit_symbol(pair.unit)}};
  if (pair.kind == FigureKind::kDeviceBusy) {
    json["device"] = pair.device;
    json["simulated"] = pair.simulated;
  }
  json["a"] = number(pair.a);
  json["b"] = number(pair.b);
  json["ratio"] = ratio_json(pair.ratio);
  if (!pair.ratio.known()) json["no_ratio"] = no_ratio_key(pair.ratio);
  return json;
}

Json name_side_json(const DurationHistogram& side, std::int64_t size_bytes) {
  if (side.count == 0) return nullptr;
  return {{"count", side.count},
          {"total_ns", ns_from(side.total)},
          {"p50_ns", ns_from(side.percentiles[kP50])},
          {"p99_ns", ns_from(side.percentiles[kP99])},
          {"bytes", size_bytes}};
}

Json name_json(const NamePair& pair) {
  Json json{{"name", pair.name},
            {"kind", slice_kind_key(pair.kind)},
            {"a", name_side_json(pair.a, pair.a_bytes)},
            {"b", name_side_json(pair.b, pair.b_bytes)},
            {"difference_ns", ns_from(pair.difference())},
            {"total_ratio", ratio_json(pair.total_ratio())},
            {"median_ratio", ratio_json(pair.median_ratio())}};
  if (pair.only_in_a()) json["only_in"] = "a";
  if (pair.only_in_b()) json["only_in"] = "b";
  return json;
}

std::string plain(std::optional<double> value) {
  if (!value) return "";
  char words[40];
  std::snprintf(words, sizeof words, "%.17g", *value);
  return words;
}

struct CsvLine {
  const char* table;
  std::string name;
  std::string_view kind, figure, unit;
  std::optional<double> a, b;
};

void append_line(std::string& out, const CsvLine& line) {
  const Ratio ratio = analysis::ratio_of(line.a, line.b);
  out += std::string(line.table) + ",";
  append_csv_field(out, line.name);
  out += "," + std::string(line.kind) + "," + std::string(line.figure) + "," + std::string(line.unit) + "," +
         plain(line.a) + "," + plain(line.b) + "," + (ratio.known() ? plain(ratio.value) : std::string()) +
         "," + std::string(no_ratio_key(ratio)) + "\r\n";
}

void append_name(std::string& out, const NamePair& pair) {
  const auto line = [&](const char* figure, std::string_view unit, auto value) {
    const auto of = [&](const DurationHistogram& side) {
      return side.count > 0 ? std::optional(static_cast<double>(value(side))) : std::nullopt;
    };
    append_line(out, {"names", pair.name, slice_kind_key(pair.kind), figure, unit, of(pair.a), of(pair.b)});
  };
  line("count", "count", [](const DurationHistogram& side) { return side.count; });
  line("total", "ns", [](const DurationHistogram& side) { return ns_from(side.total); });
  line("p50", "ns", [](const DurationHistogram& side) { return ns_from(side.percentiles[kP50]); });
  line("p99", "ns", [](const DurationHistogram& side) { return ns_from(side.percentiles[kP99]); });
}

}  // namespace

std::vector<std::string> not_settled_sentences(const ComparedFiles& files) {
  constexpr std::string_view kSentence = " is not settled: it holds the backlog of the barrier before it";
  std::vector<std::string> out;
  if (!files.a_settled) out.push_back("A" + std::string(kSentence));
  if (!files.b_settled) out.push_back("B" + std::string(kSentence));
  return out;
}

ScreenText comparison_text(const ComparedFiles& files, const Comparison& comparison,
                           const TextScreen& screen) {
  ScreenText out(screen);
  if (files.change) {
    out += "before and after: " + files.change->label + ", at " +
           format_axis_time(files.change->at, Duration{1'000'000}) + "\n";
  }
  // The times beside the name of a file need 30 columns.
  const auto file = [&](const std::string& name) {
    return screen.columns ? shortened_line(name, std::max<std::size_t>(*screen.columns, 50) - 30) : name;
  };
  out += side_line("A", file(files.a), comparison.a_range);
  out += side_line("B", file(files.b), comparison.b_range);
  for (const std::string& sentence : not_settled_sentences(files)) out += sentence + "\n";
  out += "\n";
  std::vector<TextRow> figures{{"figure", "A", "B", "B/A"}};
  for (const FigurePair& pair : comparison.figures) {
    figures.push_back({figure_label(pair),
                       figure_words(pair.unit, pair.a),
                       figure_words(pair.unit, pair.b),
                       {ratio_text(pair.ratio), tone_of(pair.ratio, better_of(pair.kind))}});
  }
  add_table(out, {{.left = true, .least = 16}, {}, {}, {}}, figures);
  out += "\n";
  std::vector<TextRow> names{{"name", "kind", "count A", "count B", "total A", "total B", "B/A", "p50 A",
                              "p50 B", "B/A", "p99 A", "p99 B"}};
  for (const NamePair& pair : comparison.names) names.push_back(name_row(pair));
  add_table(out,
            {{.left = true, .least = 16},
             {.left = true, .rank = 3},
             {.rank = 5},
             {.rank = 5},
             {.rank = 1},
             {.rank = 1},
             {},
             {.rank = 2},
             {.rank = 2},
             {},
             {.rank = 4},
             {.rank = 4}},
            names);
  return out;
}

Json comparison_json(const ComparedFiles& files, const Comparison& comparison) {
  Json figures = Json::array(), names = Json::array();
  for (const FigurePair& pair : comparison.figures) figures.push_back(figure_json(pair));
  for (const NamePair& pair : comparison.names) names.push_back(name_json(pair));
  Json change = nullptr;
  if (files.change) {
    change = {{"label", files.change->label},
              {"at_ns", ns_from(files.change->at)},
              {"a_settled", files.a_settled},
              {"b_settled", files.b_settled}};
  }
  return {{"a", side_json(files.a, comparison.a_range, comparison.a_losses)},
          {"b", side_json(files.b, comparison.b_range, comparison.b_losses)},
          {"change", change},
          {"figures", figures},
          {"names", names}};
}

std::string comparison_csv(const Comparison& comparison) {
  std::string out = "table,name,kind,figure,unit,a,b,ratio,no_ratio\r\n";
  for (const FigurePair& pair : comparison.figures) {
    append_line(out,
                {"figures", pair.device, "", figure_key(pair.kind), unit_symbol(pair.unit), pair.a, pair.b});
  }
  for (const NamePair& pair : comparison.names) append_name(out, pair);
  return out;
}

}  // namespace runahead::gui
