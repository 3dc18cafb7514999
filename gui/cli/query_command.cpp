// `runahead query`: queries a trace in SQL.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/out_of_memory.h"
#include "gui/cli/output.h"
#include "gui/cli/subcommands.h"
#ifdef RUNAHEAD_HAVE_QUERY
#include "instrumentation/import/load_any.h"
#include "instrumentation/query/database.h"
#endif
#include "instrumentation/export/csv.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {
namespace {

struct QueryCommand {
  std::string file, sql;
  bool json = false, csv = false;
};

#ifdef RUNAHEAD_HAVE_QUERY

using query::Field;
using Json = nlohmann::ordered_json;

std::string text_of(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&field))
    return Json(*real).dump();  // the shortest text that parses to the same value
  if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
  return "";
}

Json json_of(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return *integer;
  if (const auto* real = std::get_if<double>(&field)) return *real;
  if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
  return nullptr;
}

// Writes a result to stdout row by row, so that an endless result needs no more memory than a short result.
class Sheet {
 public:
  explicit Sheet(const QueryCommand& command)
      : command_(command),
        out_(command.json  ? StreamedOutput::Kind::kJson
             : command.csv ? StreamedOutput::Kind::kCsv
                           : StreamedOutput::Kind::kText) {}

  void columns(const query::Columns& columns) {
    if (command_.json) {
      out_.write("{\n  \"file\": " + json_text(command_.file) +
                 ",\n  \"columns\": " + json_text(columns.names) + ",\n  \"rows\": [");
    } else if (command_.csv) {
      out_.write(csv_row(columns.names));
    } else {
      add_aligned(columns.names);
    }
  }
  // Returns false if the reader has closed the pipe.
  bool row(std::span<const Field> fields) {
    ++rows_;
    if (command_.json) return out_.write((rows_ == 1 ? "\n    " : ",\n    ") + json_row(fields));
    std::vector<std::string> cells;
    for (const Field& field : fields) cells.push_back(text_of(field));
    if (command_.csv) return out_.write(csv_row(cells));
    note_texts(fields);
    return add_aligned(std::move(cells));
  }
  [[nodiscard]] Outcome end() {
    if (command_.json) out_.write(rows_ == 0 ? "]\n}\n" : "\n  ]\n}\n");
    align();
    return out_.end();
  }
  // Call this after an error. If rows were already written to stdout, the output ends after the last row
  // (JSON is then incomplete). Otherwise nothing is written.
  void break_off() {
    if (!out_.held_back()) (void)out_.end();
  }

 private:
  // The column widths are computed from the first kRowsToAlign rows; then the widths are fixed.
  static constexpr std::size_t kRowsToAlign = 1000;

  static std::string csv_row(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += ',';
      exporters::append_csv_field(line, cells[i]);
    }
    return line + "\r\n";
  }
  static std::string json_row(std::span<const Field> fields) {
    Json row = Json::array();
    for (const Field& field : fields) row.push_back(json_of(field));
    return json_text(row);
  }
  bool add_aligned(std::vector<std::string> cells) {
    if (aligned_) return out_.write(aligned_row(cells, widths_, left_));
    widen(widths_, cells);
    first_.push_back(std::move(cells));
    if (first_.size() <= kRowsToAlign && !waited_.over()) return true;
    return align();
  }
  bool align() {
    bool read = true;
    for (const auto& cells : first_) read = out_.write(aligned_row(cells, widths_, left_));
    first_.clear();
    aligned_ = true;
    return read;
  }
  // Columns of text are aligned left, columns of numbers right.
  void note_texts(std::span<const Field> fields) {
    left_.resize(fields.size());
    for (std::size_t i = 0; i < fields.size() && !aligned_; ++i) {
      if (std::holds_alternative<std::string_view>(fields[i])) left_[i] = true;
    }
  }

  // If rows come slowly, the first rows are written after 1 s, even if there are fewer than kRowsToAlign
  // rows.
  struct Patience {
    std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    [[nodiscard]] bool over() const { return std::chrono::steady_clock::now() > end; }
  };

  const QueryCommand& command_;
  StreamedOutput out_;
  std::uint64_t rows_ = 0;
  bool aligned_ = false;
  Patience waited_;
  std::vector<std::vector<std::string>> first_;
  std::vector<std::size_t> widths_;
  std::vector<bool> left_;
};

Outcome query_trace(const QueryCommand& command) {
  advise_out_of_memory("keep fewer rows at once in the statement");
  Result<trace::Trace> trace = importers::load_checked(command.file);
  if (!trace) return refused(trace.error());
  warn_of_losses(command.file, *trace);
  const auto database = query::Database::open(std::move(trace).value());
  if (!database) return refused(database.error());
  Sheet sheet(command);
  const Status ran = (*database)->run(
      command.sql, {.columns = [&](const query::Columns& columns) { sheet.columns(columns); },
                    .row = [&](std::span<const Field> fields) { return sheet.row(fields); }});
  if (ran) return sheet.end();
  sheet.break_off();
  if (ran.error().message == query::kNoMemory)
    return refused(
        Error{"the query: out of memory: make smaller values in the statement, or raise the program's "
              "limit (ulimit -v, the cgroup's)"});
  return wrong_words(
      Error{"the query: " + ran.error().message + "; `runahead query --help` lists the tables"});
}

#else

Outcome query_trace(const QueryCommand&) {
  return refused("query: this program was built without SQLite; install libsqlite3-dev and build again");
}

#endif

constexpr const char* kTables =
    "Tables (times in ns since the start of the capture):\n"
    "  slice       id ts dur name kind track track_name depth op bytes flags args open\n"
    "  wait        slice ts dur name track track_name op chain_ops longest_op, and its parts, which sum to "
    "dur:\n"
    "              executing copying queueing dispatch enqueue wake_up finished held_by_limit other; awaited "
    "awaited_track\n"
    "              evidence place explicit idle_after\n"
    "  op          id number name step enqueued ready started ended enqueue_track execute_track output_bytes "
    "flags slice\n"
    "  dependency  op on_op kind ts          flow     kind name op from_track from_ts to_track to_ts "
    "message\n"
    "  counter     track track_name ts value instant  ts name track op args\n"
    "  track       id name kind parent path device simulated unit pid tid\n"
    "  args        id key value              metadata key value        loss  cause count sentence\n"
    "Example: runahead query FILE \"SELECT name, count(*) n, sum(dur) total FROM slice GROUP BY name ORDER "
    "BY total DESC\"";

}  // namespace

void add_query_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("query", "Query a trace in SQL (SQLite)");
  auto query_command = std::make_shared<QueryCommand>();
  command->add_option("file", query_command->file, "A trace")->required();
  command->add_option("sql", query_command->sql, "One or more statements; the rows of the last are written")
      ->required();
  CLI::Option* json =
      command->add_flag("--json", query_command->json, "One JSON object: file, columns, rows");
  command->add_flag("--csv", query_command->csv, "Comma-separated values")->excludes(json);
  command->footer(kTables);
  command->callback([=, &chosen] { chosen = [=] { return query_trace(*query_command); }; });
}

}  // namespace runahead::gui
