// `runahead compare`: compares two recordings, two ranges of one recording, or the times before and after a
// change of the barrier.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "gui/cli/compare/compare_report.h"
#include "gui/cli/compare/compared_files.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"

namespace runahead::gui {
namespace {

struct CompareCommand {
  ComparedWords words;
  bool json = false, csv = false, wide = false;
};

Outcome compare(const CompareCommand& command) {
  const Result<ComparedRanges> ranges = compared_ranges(command.words);
  if (!ranges) return wrong_words(ranges.error());
  const Result<ComparedTraces> traces = compare_files(command.words, *ranges);
  if (!traces) return refused(traces.error());
  const auto& [a, b, files, comparison] = *traces;
  warn_of_losses(files.a, a);
  if (b) warn_of_losses(files.b, *b);
  if (command.json) return write_json(comparison_json(files, comparison));
  if (command.csv) {
    for (const std::string& sentence : not_settled_sentences(files)) write_stderr_line(sentence);
    return write_csv(comparison_csv(comparison));
  }
  return write_stdout(comparison_text(files, comparison, stdout_screen(command.wide)));
}

}  // namespace

void add_compare_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("compare",
                                         "Compare two traces, or two ranges of one trace. One trace without "
                                         "ranges: before and after the last change of its barrier");
  auto words = std::make_shared<CompareCommand>();
  command->add_option("A", words->words.file, "A trace")->required();
  command->add_option("B", words->words.other, "Another trace");
  command->add_option("--a", words->words.a, "Range of A, such as 0s..2s; default: all of it");
  command->add_option("--b", words->words.b, "Range of B, or of A if only A is given");
  CLI::Option* json = command->add_flag("--json", words->json, "One JSON object");
  command->add_flag("--csv", words->csv, "Comma-separated values, one figure a line")->excludes(json);
  command->add_flag("--wide", words->wide, "All columns and complete names, also in a narrow terminal");
  command->footer("Ratios are B/A. What each figure means: docs/compare.md.");
  command->callback([=, &chosen] { chosen = [=] { return compare(*words); }; });
}

}  // namespace runahead::gui
