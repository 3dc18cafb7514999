// Writes a recording of three sources of instants, two of them late: for readers in other languages.
#include <cstdio>

#include "tests/io/late_instants.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_late_instants FILE\n");
    return 2;
  }
  runahead::testing::write_late_instants({.rounds_late = {0, 3, 7}}, argv[1]);
  return 0;
}
