// Writes a recording that is out of the ordinary: for readers in other languages.
//   late_instants   of three sources of instants, two of them late by rounds
//   many_runs       of instants each group of which comes before all others
//   many_lanes      of more lanes and counters than the writer may keep the rows of
#include <cstdio>
#include <string_view>

#include "tests/recording/make_late_instants.h"
#include "tests/recording/many_lanes.h"

int main(int argc, char** argv) {
  using namespace runahead::testing;
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what == "late_instants") {
    write_late_instants({.rounds_late = {0, 3, 7}}, argv[2]);
  } else if (what == "many_runs") {
    write_backwards({.groups = 100, .limits = {.runs_at_once = 3}}, argv[2]);
  } else if (what == "many_lanes") {
    write_many_lanes({.lanes = 24, .counters = 16, .groups = 40}, argv[2]);
  } else {
    std::fprintf(stderr, "usage: write_recording late_instants|many_runs|many_lanes FILE\n");
    return 2;
  }
  return 0;
}
