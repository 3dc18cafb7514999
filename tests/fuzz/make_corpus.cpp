// make_corpus FOLDER: writes the seeds of recording_fuzzer. Every call writes the same seeds.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fuzz/payload_patch.h"
#include "tests/fuzz/seed_recordings.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_corpus FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  int n = 0;
  for (const std::string& file : runahead::testing::seed_recordings()) {
    const std::string name = "seed" + std::to_string(n++);
    std::ofstream(folder / (name + "-file"), std::ios::binary) << '\0' << file;
    std::ofstream(folder / (name + "-payloads"), std::ios::binary)
        << '\1' << runahead::testing::payloads_of_recording(file);
  }
  int m = 0;
  std::filesystem::create_directories(folder / "link");
  for (const std::string& input : runahead::testing::link_seeds())
    std::ofstream(folder / "link" / ("seed" + std::to_string(m++)), std::ios::binary) << input;
  std::printf("%d seeds in %s\n", 2 * n + m, folder.c_str());
  return 0;
}
