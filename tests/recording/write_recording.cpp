// Writes a recording with rare properties, or a description of the rows. The tests use this output to check
// readers in other languages.
//   late_instants   three sources of instants; two of them are late
//   many_runs       instants; each group has earlier times than the groups written before it
//   many_lanes      more lanes and counters than fit into the writer's memory
//   every_kind      random rows of every kind, with values in every column
//   columns         JSON: for each row type its block kind, and id, name, meaning and kAdded of its columns
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/rows/row_description.h"
#include "tests/recording/make_late_instants.h"
#include "tests/recording/many_lanes.h"
#include "tests/recording/whole_rows.h"
#include "tests/support/random.h"

namespace {

using namespace runahead;

std::string description() {
  std::string out;
  trace::for_each_row_type([&]<typename Row>() {
    using Description = trace::RowDescription<Row>;
    std::string columns;
    trace::for_each_column<Row>([&](const auto& column) {
      using Here = std::remove_cvref_t<decltype(column)>;
      columns += columns.empty() ? "" : ", ";
      columns += "[" + std::to_string(column.kId) + ", \"" + column.name + "\", \"" +
                 std::string(trace::columns::name_of(Here::Kind::kMeaning)) + "\", " +
                 (column.kAdded ? "true" : "false") + "]";
    });
    out += out.empty() ? "{" : ",\n ";
    out += "\"" + std::string(Description::kName) + "\": {\"block\": " + std::to_string(Description::kBlock) +
           ", \"columns\": [" + columns + "]}";
  });
  return out + "}\n";
}

void write_text(const std::string& text, const char* path) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  RUNAHEAD_CHECK(file.good());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace runahead::testing;
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what == "late_instants") {
    write_late_instants({.rounds_late = {0, 3, 7}}, argv[2]);
  } else if (what == "many_runs") {
    write_backwards({.groups = 100, .limits = {.runs_at_once = 3}}, argv[2]);
  } else if (what == "many_lanes") {
    write_many_lanes({.lanes = 24, .counters = 16, .groups = 40}, argv[2]);
  } else if (what == "every_kind") {
    write_text(grouped_recording(test_seed(), 12, 3000), argv[2]);
  } else if (what == "columns") {
    write_text(description(), argv[2]);
  } else {
    std::fprintf(stderr,
                 "usage: write_recording late_instants|many_runs|many_lanes|every_kind|columns FILE\n");
    return 2;
  }
  return 0;
}
