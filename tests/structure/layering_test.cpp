// Who may include whom. A folder is a layer; this is the one place where the rule is written for a machine
// (docs/architecture.md has it for people).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Layer {
  std::string_view folder;
  std::vector<std::string_view> may_include;  // folders of ours, besides its own; or single headers
  std::vector<std::string_view> libraries{};  // third-party headers, by how they begin
};

constexpr std::string_view kBase = "instrumentation/base";
constexpr std::string_view kTrace = "instrumentation/trace";
constexpr std::string_view kTraceIo = "instrumentation/trace/io";
constexpr std::string_view kRecord = "instrumentation/record";
constexpr std::string_view kAnalysis = "instrumentation/analysis";
// What an op's or a wait's flags are called: the words that engine and trace share.
constexpr std::string_view kSlice = "instrumentation/trace/slice.h";
constexpr std::string_view kTrack = "instrumentation/trace/track.h";

const std::vector<Layer>& layers() {
  static const std::vector<Layer> all{
      {"instrumentation/base", {}},
      {"instrumentation/trace", {kBase}},
      {"instrumentation/trace/io",
       {kBase, kTrace},
       {"zstd.h", "xxhash.h", "zlib.h", "simdjson.h", "protozero/", "nlohmann/"}},
      {"instrumentation/record", {kBase, kTrace, kTraceIo}},
      {"instrumentation/cupti", {kBase, kTrace, kRecord}, {"cupti"}},
      {"instrumentation/analysis", {kBase, kTrace}},
      {"engine/device", {kBase, kRecord, kSlice, kTrack}, {"cuda"}},
      {"engine", {kBase, kRecord, kSlice, kTrack, "engine/device"}},
      {"engine/array", {kBase, kRecord, kSlice, kTrack, "engine", "engine/device"}, {"cblas.h"}},
      {"samples", {kBase, kRecord, kSlice, kTrack, "engine", "engine/device", "engine/array"}},
      {"gui/session", {kBase, kTrace, kTraceIo, kRecord, "engine", "engine/device", "samples"}},
      {"gui/cli",
       {kBase, kTrace, kTraceIo, kAnalysis, "engine", "engine/device", "samples", "gui/session"},
       {"CLI/", "nlohmann/"}},
      {"gui/text", {kBase, kTrace}},
      {"gui/theme", {kBase, kSlice, kTrack}, {"imgui"}},
      {"gui/platform", {kBase}, {"imgui", "backends/", "GLFW/", "GL/", "EGL/", "stb_"}},
      {"gui/timeline", {kBase, kTrace, kAnalysis, "gui/theme", "gui/text", "gui/platform"}, {"imgui"}},
      {"gui/panels",
       {kBase, kTrace, kAnalysis, "engine", "engine/device", "samples", "gui/timeline", "gui/theme",
        "gui/text", "gui/platform"},
       {"imgui"}},
      {"gui/app",
       {kBase, kTrace, kTraceIo, kRecord, kAnalysis, "engine", "engine/device", "samples", "gui/session",
        "gui/timeline", "gui/panels", "gui/theme", "gui/text", "gui/platform"},
       {"imgui", "nlohmann/"}},
      {"gui", {"gui/cli", "gui/app"}},  // main.cpp
  };
  return all;
}

const fs::path& root() {
  static const fs::path path = RUNAHEAD_SOURCE_DIR;
  return path;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".h" || path.extension() == ".cu";
}

struct Include {
  std::string target;
  bool ours = false;  // in quotes and there from the root
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex line(R"(^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">])", std::regex::multiline);
  std::vector<Include> found;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) {
    const std::string target = (*it)[2];
    found.push_back({target, fs::exists(root() / target)});
  }
  return found;
}

bool is_standard(const std::string& target) {
  // The language's own, the C library's and the kernel's; anything else is a dependency that a layer must
  // name.
  static const std::regex standard(
      R"([a-z_0-9]+|(sys|linux|arpa|netinet)/.*|(unistd|fcntl|signal|dlfcn|pthread|sched|spawn|time|errno|cpuid|x86intrin|immintrin|stdio|stdlib|string)\.h)");
  return std::regex_match(target, standard);
}

bool allowed(const Layer& layer, const Include& include) {
  if (!include.ours) {
    if (is_standard(include.target)) return true;
    for (const std::string_view library : layer.libraries) {
      if (include.target.starts_with(library)) return true;
    }
    return false;
  }
  const std::string folder = fs::path(include.target).parent_path().string();
  if (folder == layer.folder) return true;
  for (const std::string_view other : layer.may_include) {
    if (folder == other || include.target == other) return true;
  }
  return false;
}

// "gui/cli/x.cpp includes gui/app/app.h", for each include that `layer` may not have.
std::vector<std::string> violations(const Layer& layer, const std::string& file, const std::string& text) {
  std::vector<std::string> out;
  for (const Include& include : includes_of(text)) {
    if (!allowed(layer, include)) out.push_back(file + " includes " + include.target);
  }
  return out;
}

const Layer* layer_named(std::string_view folder) {
  for (const Layer& layer : layers()) {
    if (layer.folder == folder) return &layer;
  }
  return nullptr;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> sources() {
  std::vector<fs::path> out;
  for (const char* part : {"instrumentation", "engine", "samples", "gui"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root() / part)) {
      if (entry.is_regular_file() && is_source(entry.path())) out.push_back(entry.path());
    }
  }
  return out;
}

TEST(Layering, NoFileIncludesALayerThatItMayNotKnow) {
  std::vector<std::string> all;
  for (const fs::path& path : sources()) {
    const fs::path file = fs::relative(path, root());
    const Layer* layer = layer_named(file.parent_path().string());
    ASSERT_NE(layer, nullptr) << file << " is in a folder that is no layer: add it to layers()";
    for (std::string& violation : violations(*layer, file.string(), contents(path))) {
      all.push_back(std::move(violation));
    }
  }
  EXPECT_THAT(all, testing::IsEmpty());
}

TEST(Layering, AForbiddenIncludeIsFound) {
  const Layer& cli = *layer_named("gui/cli");
  EXPECT_THAT(
      violations(cli, "x.cpp", "#include \"gui/cli/cli.h\"\n#include <vector>\n#include <CLI/CLI.hpp>\n"),
      testing::IsEmpty());
  EXPECT_THAT(violations(cli, "x.cpp", "#include \"gui/app/app.h\"\n"),
              testing::ElementsAre("x.cpp includes gui/app/app.h"));
  EXPECT_THAT(violations(cli, "x.cpp", "  #  include <imgui.h>\n"),
              testing::ElementsAre("x.cpp includes imgui.h"));
  EXPECT_THAT(violations(*layer_named("instrumentation/trace"), "t.cpp",
                         "#include \"instrumentation/record/hooks.h\"\n"),
              testing::ElementsAre("t.cpp includes instrumentation/record/hooks.h"));
}

// What a layer may include may not lead back to it.
TEST(Layering, TheRulesHaveNoCycle) {
  std::vector<std::string_view> done;
  bool more = true;
  while (more) {
    more = false;
    for (const Layer& layer : layers()) {
      if (std::find(done.begin(), done.end(), layer.folder) != done.end()) continue;
      const bool ready =
          std::all_of(layer.may_include.begin(), layer.may_include.end(), [&](std::string_view other) {
            return other.ends_with(".h") || std::find(done.begin(), done.end(), other) != done.end();
          });
      if (!ready) continue;
      done.push_back(layer.folder);
      more = true;
    }
  }
  EXPECT_EQ(done.size(), layers().size());
}

}  // namespace
