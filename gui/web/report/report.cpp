#include "gui/web/report/report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/answers/cause_findings.h"
#include "gui/answers/figure_facts.h"
#include "gui/answers/loss_sentences.h"
#include "gui/answers/prediction_words.h"
#include "gui/answers/strip_figures.h"
#include "gui/answers/wait_groups.h"
#include "gui/text/language.h"
#include "gui/text/text.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/web/report/marks_section.h"
#include "gui/web/report/range_report.h"
#include "gui/web/report/report_columns.h"
#include "gui/web/report/report_json.h"
#include "gui/web/report/waits_section.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/trace_summary.h"
#include "instrumentation/base/format.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/predict/candidates.h"

namespace runahead::gui {
namespace {

using analysis::BarrierSegment;
using analysis::SegmentFigures;
using analysis::WaitGroup;
using trace::Trace;

// ---- what is computed, once for all languages -------------------------------------------------------------

struct PartFigures {
  analysis::PartOfRun part;
  std::optional<SegmentFigures> figures;  // nullopt: it is not measured
};

struct Predictions {
  Result<predict::Replay> replay;
  std::vector<predict::Candidate> candidates;
  bool out_of_time = false;
};

struct Answers {
  // Whether the trace records what the figures are about. If it does, a 0 is true.
  bool has_waits = false, has_memory = false;
  std::uint64_t slices = 0;
  bool too_large = false;  // then `causes` and `predictions` are empty
  std::optional<StripTracker::State> strip;
  FigureFacts figures;
  std::vector<BarrierSegment> segments;
  std::vector<PartFigures> parts;
  std::vector<WaitGroup> waits;
  std::optional<CausesAnswer> causes;
  std::optional<Predictions> predictions;
  Marks marks;
};

// Computes the answers one after the other. Each returns false if the work was cancelled.
class Asking {
 public:
  Asking(const Trace& trace, const recordings::Progress& progress, const ReportLimits& limits)
      : trace_(trace), progress_(progress), limits_(limits) {}

  std::optional<Answers> ask() {
    for (const trace::Track& track : trace_.tracks()) {
      for (const trace::Lane& lane : track.lanes) out_.slices += lane.end_row() - lane.first_row();
    }
    out_.too_large = out_.slices > limits_.most_slices;
    if (trace_.extent().empty()) return std::move(out_);
    if (!done(0) || !figures() || !done(0.1)) return std::nullopt;
    runs();
    out_.marks = marks_in(trace_, std::nullopt, limits_.most_rows);
    if (!done(0.2)) return std::nullopt;
    if (!out_.too_large && (!explained() || !done(0.6) || !predicted())) return std::nullopt;
    if (!done(1)) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool done(double part) const { return !progress_ || progress_(part); }

  bool figures() {
    out_.has_waits = out_.has_memory = is_run(trace_) && has_ops(trace_);
    out_.figures.summary = analysis::summarize_trace(trace_, [&](double part) { return done(0.1 * part); });
    if (!out_.figures.summary) return false;
    if (!compares_changes(trace_)) return true;
    StripTracker tracker;
    out_.strip = tracker.update(trace_);
    if (out_.strip) set_strip(*out_.strip, trace_, out_.figures);
    return true;
  }

  // The parts of the run, and its times under one barrier.
  void runs() {
    out_.segments = analysis::barrier_segments(trace_);
    for (const analysis::PartOfRun& part : analysis::parts_of_run(trace_)) {
      PartFigures one{part, std::nullopt};
      if (analysis::is_measured(part))
        one.figures = analysis::segment_figures(trace_, part.range, analysis::SegmentWork::kLeftOut);
      out_.parts.push_back(std::move(one));
    }
    const auto look = [this](const SegmentFigures& figures) {
      out_.has_waits = out_.has_waits || figures.blocked_ratio > 0;
      out_.has_memory = out_.has_memory || figures.peak_bytes > 0;
    };
    for (const BarrierSegment& segment : out_.segments) look(segment.figures);
    for (const PartFigures& part : out_.parts) look(part.figures.value_or(SegmentFigures{}));
  }

  bool explained() {
    const causes::Synchronisations synchronisations(trace_);
    if (!done(0.4)) return false;
    const TimeRange extent = trace_.extent();
    out_.waits = has_ops(trace_) ? analysis::wait_report(trace_, extent)
                                 : synchronisation_groups(trace_, synchronisations, extent);
    if (!done(0.5)) return false;
    out_.causes = explain_trace(trace_, synchronisations);
    return true;
  }

  bool predicted() {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    Predictions out{predict::Replay::of(trace_), {}, false};
    bool cancelled = false;
    const auto going_on = [&](double part) {
      cancelled = !done(0.6 + 0.4 * part);
      out.out_of_time = Clock::now() - begin > limits_.most_predicting;
      return !cancelled && !out.out_of_time;
    };
    if (out.replay.ok() && out.replay->trusted() && going_on(0))
      out.candidates = predict::rank_changes(*out.replay, {.progress = going_on});
    if (out.out_of_time) out.candidates.clear();
    out_.predictions = std::move(out);
    return !cancelled;
  }

  const Trace& trace_;
  const recordings::Progress& progress_;
  const ReportLimits& limits_;
  Answers out_;
};

// ---- the sections, in the language of the thread ----------------------------------------------------------

class Telling {
 public:
  Telling(const Trace& trace, const Answers& answers, const ReportLimits& limits)
      : trace_(trace), answers_(answers), limits_(limits) {}

  std::vector<ReportSection> sections() const {
    std::vector<ReportSection> out{summary()};
    if (!answers_.segments.empty() || !answers_.parts.empty()) out.push_back(barriers());
    if (!answers_.too_large && answers_.causes) {
      out.push_back(waits_section(answers_.waits, trace_.extent(), false, limits_.most_rows));
      out.push_back(causes());
      if (answers_.predictions) out.push_back(predictions());
    }
    if (answers_.marks.count > 0) out.push_back(marks_section(answers_.marks));
    return out;
  }

 private:
  // ---- figures --------------------------------------------------------------------------------------------
  ReportSection summary() const {
    ReportSection out{"summary", text(Text::kReportSummary)};
    if (answers_.strip) out.tables.push_back(strip_table(out));
    if (answers_.figures.summary) out.tables.push_back(whole_table(*answers_.figures.summary));
    if (out.summary.empty() && answers_.causes) out.summary = first_finding(*answers_.causes);
    out.notes = loss_sentences(trace_);
    if (out.notes.empty()) out.notes.push_back(text(Text::kReportNothingLost));
    if (answers_.too_large)
      out.notes.push_back(
          filled(Text::kReportTooLarge, {format_count(static_cast<double>(answers_.slices)),
                                         format_count(static_cast<double>(limits_.most_slices))}));
    return out;
  }

  // The finding with the highest cost; empty: there is none that names a cause.
  static std::string first_finding(const CausesAnswer& answer) {
    if (answer.findings.empty() || is_nsys_rule(answer.findings.front().finding)) return "";
    return finding_text(answer.findings.front());
  }

  // The figures of the strip, and its answers in words above them.
  ReportTable strip_table(ReportSection& section) const {
    const FigureFacts& facts = answers_.figures;
    const bool compared = has_before(*facts.before_after);
    const std::optional<Text> why = doubt(facts, false);
    if (why) section.summary = filled(Text::kHintWhole, {strip_title(facts), text(*why)});
    for (const StripAnswer& answer : strip_answers(facts, false)) {
      if (why || !facts.measured()) break;
      section.summary += (section.summary.empty() ? "" : ", ") + answer.words;
      if (!answer.note.empty()) section.summary += " (" + answer.note + ")";
    }
    ReportTable out{strip_title(facts), {words_column(Text::kCompareFigure)}, {}};
    if (compared) {
      out.columns.push_back(number_column(Text::kBefore));
      out.columns.push_back(number_column(Text::kAfter));
      out.columns.push_back({"", true});
    } else {
      out.columns.push_back(number_column(Text::kTimelineValue));
    }
    if (!facts.measured()) return out;
    for (const StripFigure& figure : strip_figures(facts)) {
      const std::string after = figure.note.empty() ? figure.after : figure.after + " (" + figure.note + ")";
      std::string ratio = why ? "" : figure.ratio;
      if (!ratio.empty() && !figure.spread.empty()) ratio += " " + figure.spread;
      ReportRow row{{name_of(figure)}};
      if (compared) row.cells.push_back(figure.before);
      row.cells.push_back(after);
      if (compared) row.cells.push_back(ratio);
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  static ReportTable whole_table(const analysis::TraceSummary& summary) {
    ReportTable out{text(Text::kWholeTrace),
                    {words_column(Text::kCompareFigure), number_column(Text::kTimelineValue)},
                    {}};
    for (const StripFigure& figure : summary_figures(summary))
      out.rows.push_back({{name_of(figure), figure.after}});
    return out;
  }

  // ---- barriers and parts ---------------------------------------------------------------------------------
  ReportSection barriers() const {
    ReportSection out{"barriers", text(Text::kReportBarriers)};
    const bool any_change = std::ranges::any_of(
        analysis::barrier_changes(trace_), [](const auto& change) { return !analysis::is_start(change); });
    if (!any_change) out.summary = text(Text::kStripNoChange);
    if (!answers_.segments.empty()) out.tables.push_back(segments_table(out));
    if (!answers_.parts.empty()) out.tables.push_back(parts_table());
    return out;
  }

  std::vector<std::string> figure_cells(const SegmentFigures& figures) const {
    const auto dash = [](bool known, const std::string& words) {
      return known ? words : std::string(text(Text::kNoFigure));
    };
    return {dash(figures.steps_per_s > 0, format_count(figures.steps_per_s)),
            dash(answers_.has_waits, format_percent(figures.blocked_ratio)),
            dash(answers_.has_memory, format_bytes(figures.peak_bytes))};
  }

  static std::vector<ReportColumn> figure_columns(Text first) {
    return {words_column(first),
            number_column(Text::kTimelineBegins),
            number_column(Text::kDuration),
            number_column(Text::kStepsPerSecond),
            number_column(Text::kBlocked),
            number_column(Text::kPeakMemory)};
  }

  ReportTable segments_table(ReportSection& section) const {
    ReportTable out{text(Text::kBarrier), figure_columns(Text::kBarrier), {}};
    out.columns.push_back(words_column(Text::kReportEffect));
    double fastest = 0, most = 0;
    for (const BarrierSegment& one : answers_.segments) {
      fastest = std::max(fastest, one.settled() ? one.figures.steps_per_s : 0);
      most = std::max(most, one.figures.peak_bytes);
    }
    const BarrierSegment* before = nullptr;
    for (const BarrierSegment& one : answers_.segments) {
      ReportRow row{{one.barrier.empty() ? text(Text::kNoFigure) : one.barrier, time_words(one.range.begin),
                     format_duration(one.range.duration())}};
      for (std::string& cell : figure_cells(one.figures)) row.cells.push_back(std::move(cell));
      if (const std::string doubt = doubt_words(one); !doubt.empty()) row.cells[3] += " (" + doubt + ")";
      row.cells.push_back(before == nullptr ? "" : effect_words(*before, one));
      row.go = time_place(one.range);
      if (fastest > 0 && one.settled()) row.bars.emplace_back(3, one.figures.steps_per_s / fastest);
      if (most > 0) row.bars.emplace_back(5, one.figures.peak_bytes / most);
      out.rows.push_back(std::move(row));
      before = &one;
    }
    limit_rows(limits_.most_rows, answers_.segments.size(), section, out);
    return out;
  }

  // Why the figures of a segment are not final; empty: they are.
  static std::string doubt_words(const BarrierSegment& segment) {
    if (segment.figures.steps <= 0 || segment.settled()) return "";
    return text(segment.rate.settled ? Text::kHostTooSlow : Text::kNotSettled);
  }

  static double spread_of(const BarrierSegment& segment) {
    return segment.rate.steps_per_s > 0 ? segment.rate.spread / segment.rate.steps_per_s : 0;
  }

  // "29 % slower, 249 times less memory". A dash if the figures of one of the two are not final.
  static std::string effect_words(const BarrierSegment& before, const BarrierSegment& after) {
    const SegmentFigures &a = before.figures, &b = after.figures;
    if (!doubt_words(before).empty() || !doubt_words(after).empty()) return text(Text::kNoFigure);
    std::string out;
    if (a.steps_per_s > 0 && b.steps_per_s > 0)
      out = speed_change(a.steps_per_s, b.steps_per_s, spread_of(before) + spread_of(after));
    if (a.peak_bytes > 0 && b.peak_bytes > 0)
      out += (out.empty() ? "" : ", ") + memory_change(a.peak_bytes, b.peak_bytes);
    return out;
  }

  ReportTable parts_table() const {
    ReportTable out{text(Text::kFramePart), figure_columns(Text::kFramePart), {}};
    for (const PartFigures& one : answers_.parts) {
      const std::string name = one.part.name.empty() ? text(Text::kNoFigure) : translated(one.part.name);
      ReportRow row{{name, time_words(one.part.range.begin), format_duration(one.part.range.duration())}};
      if (one.figures) {
        for (std::string& cell : figure_cells(*one.figures)) row.cells.push_back(std::move(cell));
      } else {
        row.cells.insert(row.cells.end(), 3, text(Text::kNoFigure));
      }
      row.go = time_place(one.part.range);
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  // ---- causes ---------------------------------------------------------------------------------------------
  ReportSection causes() const {
    const CausesAnswer& answer = *answers_.causes;
    ReportSection out{"causes", text(Text::kPanelCauses)};
    out.summary = causes_summary(answer, false);
    const auto nsys = std::ranges::find_if(
        answer.findings, [](const ShownFinding& shown) { return is_nsys_rule(shown.finding); });
    if (answer.findings.empty()) out.notes.push_back(text(Text::kCausesNoFindings));
    if (nsys != answer.findings.begin())
      out.tables.push_back(findings_table(text(Text::kCausesFinding), {answer.findings.begin(), nsys}));
    if (nsys != answer.findings.end())
      out.tables.push_back(findings_table(text(Text::kCausesNsysRules), {nsys, answer.findings.end()}));
    if (ReportTable idle = idle_table(answer); !idle.rows.empty()) out.tables.push_back(std::move(idle));
    if (ReportTable path = path_table(answer); !path.rows.empty()) out.tables.push_back(std::move(path));
    for (std::string& note : causes_notes(answer)) out.notes.push_back(std::move(note));
    runahead::causes::EdgeCounts edges;
    for (const RankCauses& rank : answer.ranks) {
      edges.recorded += rank.explanation.edges.recorded;
      edges.inferred += rank.explanation.edges.inferred;
    }
    if (edges.recorded + edges.inferred > 0)
      out.notes.push_back(
          filled(Text::kReportEdges, {std::to_string(edges.recorded + edges.inferred),
                                      std::to_string(edges.recorded), std::to_string(edges.inferred)}));
    return out;
  }

  // Whether what the calls of a finding waited for was recorded. For a finding about something else: whether
  // all relations of its graph were.
  std::string evidence_words(const ShownFinding& shown) const {
    for (const RankCauses& rank : answers_.causes->ranks) {
      if (rank.name != shown.rank || is_nsys_rule(shown.finding)) continue;
      const auto* const group = synchronisation_of(rank.explanation, shown.finding);
      const auto& edges = rank.explanation.edges;
      const std::uint64_t inferred = group != nullptr ? group->inferred : edges.inferred;
      const std::uint64_t recorded = group != nullptr ? group->recorded : edges.recorded;
      if (inferred > 0) return text(Text::kCauseInferred);
      if (recorded > 0) return text(Text::kCauseRecorded);
    }
    return text(Text::kNoFigure);
  }

  ReportTable findings_table(std::string caption, const std::vector<ShownFinding>& findings) const {
    ReportTable out{std::move(caption),
                    {words_column(Text::kCausesFinding), number_column(Text::kCausesCost),
                     number_column(Text::kCausesCostPerStep), words_column(Text::kCauseEvidence),
                     words_column(Text::kCausesHelp)},
                    {}};
    Duration most{1};
    for (const ShownFinding& shown : findings) most = std::max(most, shown.finding.cost);
    for (const ShownFinding& shown : findings) {
      const runahead::causes::Finding& finding = shown.finding;
      const bool costs = finding.cost > Duration{};
      const auto per_step = cost_per_step(shown);
      std::string help = finding.help.empty() ? "" : translated(finding.help);
      if (const auto gain = predicted_gain(finding))
        help += (help.empty() ? "" : " ") + filled(Text::kCausesPredicted, {gain_words(*gain)});
      ReportRow row{{finding_text(shown), costs ? format_duration(finding.cost) : text(Text::kNoFigure),
                     per_step ? format_duration(*per_step) : text(Text::kNoFigure), evidence_words(shown),
                     std::move(help)}};
      if (!finding.range.empty()) row.go = ReportPlace{finding.track, finding.range};
      row.bars = {{1, static_cast<double>(finding.cost.count()) / static_cast<double>(most.count())}};
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  std::optional<double> predicted_gain(const runahead::causes::Finding& finding) const {
    if (!answers_.predictions) return std::nullopt;
    return gain_without(finding, answers_.predictions->candidates);
  }

  static ReportTable share_table(Text caption) {
    return {text(caption),
            {words_column(Text::kName), number_column(Text::kTotal), number_column(Text::kAreaShare)},
            {}};
  }

  static ReportTable idle_table(const CausesAnswer& answer) {
    ReportTable out = share_table(Text::kCausesShowIdle);
    out.columns.insert(out.columns.begin(), words_column(Text::kIdleDevice));
    const auto add = [&out](const std::string& device, const char* name, Duration time, double share) {
      out.rows.push_back({{device, name, format_duration(time), format_percent(share)}});
      out.rows.back().bars = {{3, share}};
    };
    for (const RankCauses& rank : answer.ranks) {
      for (const runahead::causes::DeviceExplanation& device : rank.explanation.devices) {
        const runahead::causes::IdleReport& report = device.report;
        const auto range = static_cast<double>(std::max<std::int64_t>(report.range.duration().count(), 1));
        std::string name = with_rank(rank.name, device.name);
        if (device.simulated) name += std::string(" (") + text(Text::kTimelineSimulated) + ")";
        add(name, text(Text::kCausesBusy), report.busy, static_cast<double>(report.busy.count()) / range);
        for (const auto& part : idle_parts(report.idle))
          add(name, idle_cause_name(part.kind), part.time, static_cast<double>(part.time.count()) / range);
      }
    }
    return out;
  }

  static ReportTable path_table(const CausesAnswer& answer) {
    ReportTable out = share_table(Text::kCausesPathTitle);
    for (const RankCauses& rank : answer.ranks) {
      for (const auto& part : path_parts(rank.explanation.path)) {
        const std::string name = with_rank(rank.name, path_class_name(part.kind));
        out.rows.push_back({{name, format_duration(part.time), format_percent(part.share)}});
        out.rows.back().bars = {{2, part.share}};
      }
    }
    return out;
  }

  // ---- predictions ----------------------------------------------------------------------------------------
  ReportSection predictions() const {
    const Predictions& all = *answers_.predictions;
    ReportSection out{"whatif", text(Text::kPanelWhatIf)};
    out.summary = why_no_prediction(all.replay);
    if (!out.summary.empty()) return out;
    out.summary = replay_summary(*all.replay);
    if (all.out_of_time) {
      out.notes.push_back(filled(Text::kReportNoTime, {format_duration(limits_.most_predicting)}));
      return out;
    }
    out.notes.push_back(text(Text::kWhatIfNoContention));
    for (const std::string& note : all.replay->run().notes) out.notes.push_back(translated(note));
    if (all.candidates.empty()) {
      out.notes.insert(out.notes.begin(), text(Text::kWhatIfNothing));
      return out;
    }
    out.tables.push_back(candidates_table(all));
    return out;
  }

  static ReportTable candidates_table(const Predictions& all) {
    const bool memory = !all.replay->run().program.memories.empty();
    ReportTable out{text(Text::kPanelWhatIf),
                    {words_column(Text::kWhatIfChange), number_column(Text::kStepsRate),
                     number_column(Text::kWhatIfGain)},
                    {}};
    if (memory) out.columns.push_back(number_column(Text::kPeakMemory));
    out.columns.push_back({"--change", false});
    double most = 0;
    for (const predict::Candidate& one : all.candidates) most = std::max(most, std::abs(one.gain));
    for (const predict::Candidate& one : all.candidates) {
      ReportRow row{{candidate_words(one), rate_words(one), gain_words(one.gain)}};
      if (memory) row.cells.push_back(whatif_memory(one, true));
      row.cells.push_back(predict::joined(one.changes));
      if (most > 0) row.bars = {{2, one.gain / most}};
      out.rows.push_back(std::move(row));
    }
    return out;
  }

  const Trace& trace_;
  const Answers& answers_;
  const ReportLimits& limits_;
};

// `sections` returns the sections in the language of the thread.
std::string in_all_languages(const std::function<std::vector<ReportSection>()>& sections) {
  std::vector<ReportOfLanguage> all;
  for (const Language language : kLanguages) {
    const LanguageOfThread speaking(language);
    all.push_back({language_code(language), text(Text::kReport), text(Text::kReportKeys), sections()});
  }
  return report_json(all);
}

std::optional<std::string> report_of_range(const Trace& trace, const recordings::Progress& progress,
                                           const ReportLimits& limits) {
  const std::optional<RangeAnswers> answers = ask_about_range(trace, *limits.range, progress, limits);
  if (!answers) return std::nullopt;
  return in_all_languages([&] { return range_sections(trace, *answers, limits); });
}

}  // namespace

std::optional<std::string> page_report(const Trace& trace, const recordings::Progress& progress,
                                       const ReportLimits& limits, const PageComparison* compared) {
  if (limits.range) return report_of_range(trace, progress, limits);
  const std::optional<Answers> answers = Asking(trace, progress, limits).ask();
  if (!answers) return std::nullopt;
  return in_all_languages([&] {
    std::vector<ReportSection> sections = Telling(trace, *answers, limits).sections();
    if (compared != nullptr) sections.insert(sections.begin(), compared_section(*compared, limits.most_rows));
    return sections;
  });
}

}  // namespace runahead::gui
