// Compares text with tests/golden/NAME.txt. A golden file has the expected text, and is reviewed like code.
// If RUNAHEAD_UPDATE_GOLDEN=1 is set, the test writes the file and compares nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace runahead::gui::testing {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(RUNAHEAD_GOLDEN_DIR) + "/" + name + ".txt";
  if (std::getenv("RUNAHEAD_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << ": cannot open; RUNAHEAD_UPDATE_GOLDEN=1 writes it";
  std::stringstream kept;
  kept << file.rdbuf();
  EXPECT_EQ(kept.str(), text) << "differs from " << path;
}

}  // namespace runahead::gui::testing
