// Reads a page without a browser: runs read_page.js, which has the viewer of the page.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace runahead::gui {

[[nodiscard]] inline bool node_is_there() { return !std::string_view(RUNAHEAD_NODE).ends_with("NOTFOUND"); }

// What a script of this folder prints.
[[nodiscard]] inline std::string said_by(const std::string& script, const std::string& words) {
  const std::string command =
      std::string(RUNAHEAD_NODE) + " '" RUNAHEAD_WEB_TESTS "/" + script + "' " + words;
  std::FILE* const out = ::popen(command.c_str(), "r");
  if (out == nullptr) return "node did not start";
  std::string text;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  EXPECT_EQ(::pclose(out), 0) << command;
  return text;
}

// What read_page.js prints for the page.
[[nodiscard]] inline std::string read_page(const std::filesystem::path& page, const std::string& words) {
  return said_by("read_page.js", "'" + page.string() + "' " + words);
}

}  // namespace runahead::gui
