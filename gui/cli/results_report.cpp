#include "gui/cli/results_report.h"

#include <vector>

#include "gui/cli/output.h"
#include "samples/result_table.h"
#include "samples/workload.h"

namespace runahead::gui {

namespace {

std::vector<samples::ResultTable> tables_of(const samples::RunReport& report) {
  const samples::WorkloadSpec* spec = samples::find_workload(report.workload);
  return spec != nullptr ? spec->results : std::vector<samples::ResultTable>();
}

// Each row of each table has three columns (a label, two figures), so that the columns of all tables line up.
using Rows = std::vector<std::vector<std::string>>;
void add_row(Rows& rows, const std::string& label, const std::vector<std::string>& figures) {
  rows.push_back({label, !figures.empty() ? figures[0] : "", figures.size() > 1 ? figures[1] : ""});
}

}  // namespace

std::string results_text(const samples::RunReport& report) {
  std::string out;
  Rows rows;
  const auto flush = [&] {
    if (!rows.empty()) out += aligned(rows, {true, false, false});
    rows.clear();
  };
  for (const samples::ShownTable& table : show_results(tables_of(report), report)) {
    add_row(rows, "  " + table.title, table.columns);
    for (const samples::ShownRow& row : table.rows) add_row(rows, "    " + row.label, row.figures);
    if (table.sentence.empty()) continue;
    flush();
    out += "    " + table.sentence + "\n";
  }
  flush();
  return out.empty() ? "" : "result\n" + out;
}

}  // namespace runahead::gui
