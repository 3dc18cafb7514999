// `runahead query`: questions to a trace, in SQL.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "gui/cli/commands.h"
#include "gui/cli/output.h"
#ifdef RUNAHEAD_HAVE_QUERY
#include "instrumentation/query/database.h"
#endif
#include "instrumentation/trace/io/csv.h"
#include "instrumentation/trace/io/recording.h"

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
  if (const auto* real = std::get_if<double>(&field)) return Json(*real).dump();  // as short as it reads back
  if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
  return "";
}

Json json_of(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return *integer;
  if (const auto* real = std::get_if<double>(&field)) return *real;
  if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
  return nullptr;
}

// What a result becomes, row by row.
class Sheet {
 public:
  explicit Sheet(const QueryCommand& command) : command_(command) {}

  void columns(const query::Columns& columns) {
    if (command_.json) {
      result_["file"] = command_.file;
      result_["columns"] = columns.names;
      result_["rows"] = Json::array();
    } else if (command_.csv) {
      for (const std::string& name : columns.names) add_cell(name, &name == &columns.names.back());
    } else {
      rows_.push_back(columns.names);
    }
  }
  void row(std::span<const Field> fields) {
    if (command_.json) {
      Json& row = result_["rows"].emplace_back(Json::array());
      for (const Field& field : fields) row.push_back(json_of(field));
    } else if (command_.csv) {
      for (const Field& field : fields) add_cell(text_of(field), &field == &fields.back());
    } else {
      std::vector<std::string>& row = rows_.emplace_back();
      for (const Field& field : fields) row.push_back(text_of(field));
      note_texts(fields);
    }
  }
  [[nodiscard]] Outcome write() const {
    if (command_.json) return write_json(result_);
    return write_stdout(command_.csv ? csv_ : aligned(rows_, left_));
  }

 private:
  void add_cell(const std::string& text, bool last) {
    trace::io::append_csv_field(csv_, text);
    csv_ += last ? "\r\n" : ",";
  }
  // A column of words stands to the left, one of numbers to the right.
  void note_texts(std::span<const Field> fields) {
    left_.resize(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (std::holds_alternative<std::string_view>(fields[i])) left_[i] = true;
    }
  }

  const QueryCommand& command_;
  Json result_;
  std::string csv_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> left_;
};

Outcome query_trace(const QueryCommand& command) {
  Result<trace::Trace> trace = trace::io::load_any(command.file);
  if (!trace) return refused(trace.error());
  warn_of_losses(command.file, trace->losses());
  const auto database = query::Database::open(std::move(trace).value());
  if (!database) return refused(database.error());
  Sheet sheet(command);
  const Status ran = (*database)->run(
      command.sql, {.columns = [&](const query::Columns& columns) { sheet.columns(columns); },
                    .row =
                        [&](std::span<const Field> fields) {
                          sheet.row(fields);
                          return true;
                        }});
  if (!ran)
    return wrong_words(
        Error{"the query: " + ran.error().message + "; `runahead query --help` lists the tables"});
  return sheet.write();
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
    "              executing copying queueing dispatch enqueue wake_up held_by_limit other\n"
    "  op          id number name step enqueued ready started ended enqueue_track execute_track output_bytes "
    "flags slice\n"
    "  dependency  op on_op kind ts          flow     kind name op from_track from_ts to_track to_ts\n"
    "  counter     track track_name ts value instant  ts name track op args\n"
    "  track       id name kind parent path device simulated unit pid tid\n"
    "  args        id key value              metadata key value        loss  cause count sentence\n"
    "Example: runahead query FILE \"SELECT name, count(*) n, sum(dur) total FROM slice GROUP BY name ORDER "
    "BY total DESC\"";

}  // namespace

void add_query_command(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("query", "Ask a trace in SQL (SQLite's)");
  auto query_command = std::make_shared<QueryCommand>();
  command->add_option("file", query_command->file, "A trace")->required();
  command->add_option("sql", query_command->sql, "One statement or several; the last one's rows are written")
      ->required();
  CLI::Option* json =
      command->add_flag("--json", query_command->json, "One JSON object: file, columns, rows");
  command->add_flag("--csv", query_command->csv, "Comma-separated values")->excludes(json);
  command->footer(kTables);
  command->callback([=, &chosen] { chosen = [=] { return query_trace(*query_command); }; });
}

}  // namespace runahead::gui
