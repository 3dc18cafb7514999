// make_sqlite_corpus FOLDER: writes the seeds of sqlite_fuzzer. Every call writes the same seeds.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/sqlite_input.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_sqlite_corpus FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int n = 0;
  for (const std::string& file : runahead::testing::sqlite_seeds()) {
    std::ofstream(folder / ("sqlite" + std::to_string(n++)), std::ios::binary) << file;
  }
  std::printf("%d seeds in %s\n", n, folder.c_str());
  return 0;
}
