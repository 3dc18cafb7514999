// `runahead export`: writes a trace in another tool's format.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gui/cli/compare/compared_files.h"
#include "gui/cli/interrupt.h"
#include "gui/cli/output.h"
#include "gui/cli/pages/lesson_run.h"
#include "gui/cli/subcommands.h"
#include "gui/cli/words.h"
#include "gui/session/export.h"
#include "gui/session/lesson_figures.h"
#include "gui/session/lesson_pages.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/steady_state.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

struct ExportCommand {
  std::string file, out, format;
  bool events_only = false;
  int lesson = 0;           // 0: no lesson
  std::string range, size;  // of a page; empty: all, and no limit
  std::string compared;     // B of a page's comparison; empty: none
  std::string range_a, range_b;
};

Result<FileFormat> chosen_format(const ExportCommand& command) {
  if (!command.format.empty()) return format_of_word(command.format);
  Result<FileFormat> format = format_of_name(command.out);
  if (format && *format == FileFormat::kRecording) {
    return Error{
        "'" + command.out +
        "': export writes other tools' formats and pages; end it in .json, .json.gz, .pftrace, .csv or "
        ".html"};
  }
  return format;
}

// Returns a text such as "12 slices, 3 instants, 40 counter samples, 5 flows". If the format cannot represent
// some rows as events, the text also has the number of such rows for each kind of row.
std::string written_words(const exporters::ExportCounts& counts) {
  const auto rows = [](std::uint64_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string(what);
  };
  std::string words = rows(counts.slices, "slices, ") + rows(counts.instants, "instants, ") +
                      rows(counts.counter_samples, "counter samples, ") + rows(counts.flows, "flows");
  const exporters::ExportCounts::LeftOut& left = counts.left_out;
  std::string rest;
  for (const auto& [count, what] : {std::pair{left.instants, "instants"},
                                    {left.counter_samples, "counter samples"},
                                    {left.flows, "flows"},
                                    {left.ops, "ops"},
                                    {left.dependencies, "dependencies"},
                                    {left.allocations, "allocations"}}) {
    if (count != 0) rest += (rest.empty() ? "" : ", ") + rows(count, what);
  }
  if (rest.empty()) return words;
  return words +
         (counts.carries_recording ? "; only in the embedded recording: "
                                   : "; left out, since the format cannot represent them: ") +
         rest;
}

// Returns a text such as "2.31 MB, exact; open it in a browser".
std::string page_words(const WrittenPage& page) {
  const std::string what =
      page.joined_below == Duration::zero()
          ? "exact"
          : "a summary: slices shorter than " + format_duration(page.joined_below) + " are joined";
  return format_bytes(static_cast<double>(page.bytes)) + ", " + what + "; open it in a browser";
}

// The limits of a page, from the words of the command line.
Result<PageLimits> page_limits(const ExportCommand& command, FileFormat format) {
  PageLimits limits;
  if (command.range.empty() && command.size.empty()) return limits;
  if (format != FileFormat::kPage) return Error{"--range and --size are for pages: end the name in .html"};
  if (!command.range.empty()) {
    const Result<TimeRange> range = parse_range(command.range);
    if (!range) return range.error();
    limits.range = *range;
  }
  if (!command.size.empty()) {
    const std::optional<std::int64_t> bytes = parse_positive_bytes(command.size);
    if (!bytes) return Error{"--size '" + command.size + "': not a number of bytes, such as 20M"};
    limits.most_bytes = static_cast<std::uint64_t>(*bytes);
  }
  return limits;
}

// The range counts from the begin of the trace. Error: it has nothing of the trace.
Status place_range(const trace::Trace& trace, PageLimits& limits) {
  if (!limits.range) return Ok{};
  const TimeRange all = trace.extent();
  const Duration begin = all.begin.time_since_epoch();
  limits.range = TimeRange{limits.range->begin + begin, limits.range->end + begin};
  if (limits.range->begin < all.end) return Ok{};
  return Error{"--range begins after the end of the trace, which has " + format_duration(all.duration())};
}

// Writes the page of a lesson: with the trace, if one is given; otherwise the lesson is run.
Outcome export_lesson(const ExportCommand& command, PageLimits limits) {
  const samples::Lesson* const lesson = samples::find_lesson(command.lesson);
  if (lesson == nullptr) {
    return wrong_words("there is no lesson " + std::to_string(command.lesson) + ": the lessons are 1 to " +
                       std::to_string(samples::list_lessons().size()));
  }
  const InterruptNote note;
  const recordings::Progress progress = until_interrupted(note);
  LessonRun run;
  if (command.file.empty()) {
    Result<LessonRun> ran = run_lesson(*lesson, [&] { return note.signal() == 0; });
    if (note.signal() != 0) return not_written(note, command.out);
    if (!ran) return refused(ran.error());
    run = std::move(*ran);
  } else {
    Result<trace::Trace> trace = importers::load_checked(command.file, progress);
    if (note.signal() != 0) return not_written(note, command.out);
    if (!trace) return refused(trace.error());
    Result<MeasuredLesson> measured = measured_in(*lesson, *trace);
    if (!measured) return refused(Error{"'" + command.file + "': " + measured.error().message});
    run = {std::move(*trace), std::move(*measured)};
  }
  if (const Status placed = place_range(run.trace, limits); !placed) return refused(placed.error());
  const LessonSheet sheet = sheet_of(*lesson, run.measured);
  const Result<WrittenPage> written = write_lesson_page(run.trace, sheet, command.out, limits, progress);
  if (!written) return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
  return write_stdout("wrote " + command.out + ": " + page_words(*written) + "\n");
}

// What a page calls a side: its file, and if the sides are before and after a change of the barrier, the
// barrier, and whether the side has no settled figures.
std::string side_name(const std::string& file, std::string_view barrier, bool settled) {
  const std::string name = std::filesystem::path(file).filename().string();
  if (barrier.empty()) return name;
  return name + " (" + std::string(barrier) +
         (settled ? std::string() : ", " + std::string(text(Text::kNotSettled))) + ")";
}

PageComparison page_comparison(ComparedTraces& traces) {
  const std::string_view label = traces.files.change ? std::string_view(traces.files.change->label) : "";
  PageComparison out{side_name(traces.files.a, analysis::barrier_before(label), traces.files.a_settled),
                     side_name(traces.files.b, analysis::barrier_after(label), traces.files.b_settled),
                     std::move(traces.comparison)};
  if (traces.b) out.b_trace = std::make_shared<const trace::Trace>(traces.b->snapshot());
  return out;
}

// Error: the words do not fit a page with a comparison.
Status check_compared(const ExportCommand& command, FileFormat format) {
  if (format != FileFormat::kPage) return Error{"--compare is for pages: end the name in .html"};
  if (command.lesson != 0) return Error{"--compare is not for the page of a lesson"};
  if (command.file.empty()) return Error{"--compare needs a trace to compare: export A --compare B"};
  if (!command.range.empty())
    return Error{"--range is for a page of one trace: --a and --b are the ranges of a comparison"};
  return Ok{};
}

// Writes the page of A with its comparison with B.
Outcome export_compared(const ExportCommand& command, PageLimits limits) {
  std::error_code ignored;
  const bool one_file = std::filesystem::equivalent(command.file, command.compared, ignored);
  const ComparedWords words{command.file, one_file ? "" : command.compared, command.range_a, command.range_b};
  const Result<ComparedRanges> ranges = compared_ranges(words);
  if (!ranges) return wrong_words(ranges.error());
  const InterruptNote note;
  const recordings::Progress progress = until_interrupted(note);
  Result<ComparedTraces> traces = compare_files(words, *ranges, progress);
  if (note.signal() != 0) return not_written(note, command.out);
  if (!traces) return refused(traces.error());
  limits.compared = page_comparison(*traces);
  const Result<WrittenPage> written = write_trace_page(traces->a, command.out, limits, progress);
  if (!written) return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
  warn_of_losses(command.file, traces->a);
  if (traces->b) warn_of_losses(command.compared, *traces->b);
  return write_stdout("wrote " + command.out + ": " + page_words(*written) + "\n");
}

// Returns what is wrong with the words; success: nothing.
Outcome check_compare_words(const ExportCommand& command, FileFormat format) {
  if (!command.compared.empty()) {
    const Status status = check_compared(command, format);
    return status ? success() : wrong_words(status.error());
  }
  if (command.range_a.empty() && command.range_b.empty()) return success();
  return wrong_words("--a and --b are the ranges of --compare");
}

Outcome export_trace(const ExportCommand& command) {
  const Result<FileFormat> format = chosen_format(command);
  if (!format) return wrong_words(format.error());
  Result<PageLimits> limits = page_limits(command, *format);
  if (!limits) return wrong_words(limits.error());
  if (Outcome wrong = check_compare_words(command, *format); wrong.exit_code != 0) return wrong;
  if (command.lesson != 0) {
    if (*format != FileFormat::kPage) return wrong_words("--lesson is for pages: end the name in .html");
    return export_lesson(command, *limits);
  }
  if (command.file.empty()) return wrong_words("file is required, or --lesson with a number");
  if (command.events_only && *format == FileFormat::kCsv) {
    return wrong_words(
        Error{"--events-only is for Chrome JSON and Perfetto: CSV has slices and nothing else"});
  }
  if (command.events_only && *format == FileFormat::kPage)
    return wrong_words(Error{"--events-only is for Chrome JSON and Perfetto: a page shows the recording"});
  std::error_code ignored;
  if (std::filesystem::equivalent(command.file, command.out, ignored)) {
    return refused("'" + command.out + "' is the trace itself: give another name after -o");
  }
  if (!command.compared.empty()) return export_compared(command, *limits);
  const InterruptNote note;
  const recordings::Progress progress = until_interrupted(note);
  const Result<trace::Trace> trace = importers::load_checked(command.file, progress);
  if (note.signal() != 0) return not_written(note, command.out);
  if (!trace) return refused(trace.error());
  if (*format == FileFormat::kPage) {
    if (const Status placed = place_range(*trace, *limits); !placed) return refused(placed.error());
    const Result<WrittenPage> written = write_trace_page(*trace, command.out, *limits, progress);
    if (!written) return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
    warn_of_losses(command.file, *trace);
    return write_stdout("wrote " + command.out + ": " + page_words(*written) + "\n");
  }
  const exporters::ExportOptions options{.recording = !command.events_only};
  const auto written = write_counted(*trace, command.out, *format, progress, options);
  if (!written) return note.signal() != 0 ? not_written(note, command.out) : refused(written.error());
  warn_of_losses(command.file, *trace);
  return write_stdout("wrote " + command.out + ": " + written_words(*written) + "\n");
}

}  // namespace

void add_export_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "export",
      "Write a trace for another tool (Chrome JSON, Perfetto, CSV), or as a page for a browser (HTML)");
  auto export_command = std::make_shared<ExportCommand>();
  command->add_option("file", export_command->file, "A trace; not needed with --lesson");
  command->add_option("-o,--output", export_command->out, "The file to write")->required();
  command->add_option(
      "--format", export_command->format,
      "chrome (.json, .json.gz), csv (.csv), html (.html) or perfetto (.pftrace); default: by extension");
  command
      ->add_option(
          "--lesson", export_command->lesson,
          "A page for a class, which asks for the prediction of this lesson before it shows the trace. "
          "Without a trace, the lesson is run")
      ->check(whole_number_between(1, 1000));
  command
      ->add_option("--range", export_command->range,
                   "A page of this time only, from the begin of the trace: 1.5s..2s")
      ->type_name("FROM..TO");
  command
      ->add_option("--size", export_command->size,
                   "A page of at most this size: 20M. If the trace does not fit, short slices are joined")
      ->type_name("BYTES");
  command
      ->add_option("--compare", export_command->compared,
                   "A page with the comparison of the trace (A) with this one (B). The same trace: before "
                   "and after the last change of its barrier")
      ->type_name("B");
  command->add_option("--a", export_command->range_a, "With --compare: range of A, such as 0s..2s")
      ->type_name("FROM..TO");
  command->add_option("--b", export_command->range_b, "With --compare: range of B")->type_name("FROM..TO");
  command->add_flag(
      "--events-only", export_command->events_only,
      "Do not embed the recording in Chrome JSON and Perfetto: the file is smaller, but lacks the rows "
      "that these formats cannot represent if you open it here again");
  command->callback([=, &chosen] { chosen = [=] { return export_trace(*export_command); }; });
}

}  // namespace runahead::gui
