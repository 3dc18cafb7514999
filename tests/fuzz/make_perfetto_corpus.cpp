// make_perfetto_corpus FOLDER: writes the seeds of perfetto_fuzzer. Every call writes the same seeds.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/perfetto_input.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_perfetto_corpus FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int n = 0;
  for (const std::string& file : runahead::testing::seed_perfetto_files()) {
    std::ofstream(folder / ("perfetto" + std::to_string(n++)), std::ios::binary) << file;
  }
  std::printf("%d seeds in %s\n", n, folder.c_str());
  return 0;
}
