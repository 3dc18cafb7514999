// The layers as they are in the tree, against the table; and the check itself, against trees that break it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/structure/layer_rules.h"

namespace runahead::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool is_source(const std::filesystem::path& path) {
  return path.extension() == ".h" || path.extension() == ".cpp" || path.extension() == ".cu";
}
bool is_list(const std::filesystem::path& path) { return path.filename() == "CMakeLists.txt"; }

// The files under `folders` of the repository that `wanted` says yes to, sorted by path.
template <typename Wanted>
std::vector<SourceFile> files_under(const std::vector<std::string>& folders, Wanted wanted) {
  const std::filesystem::path root = RUNAHEAD_SOURCE_ROOT;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !wanted(entry.path())) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::ostringstream text;
      text << in.rdbuf();
      files.push_back({std::filesystem::relative(entry.path(), root).generic_string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

const std::vector<std::string> kProgram{"instrumentation", "engine", "samples", "gui"};

TEST(Structure, EveryFileIncludesOnlyWhatItsLayerMay) {
  const std::vector<SourceFile> files = files_under(kProgram, is_source);
  ASSERT_GT(files.size(), 50u) << "the sources are not where the test looks: " << RUNAHEAD_SOURCE_ROOT;
  EXPECT_THAT(broken_rules(files), IsEmpty());
}

TEST(Structure, EverySourceIsInACMakeList) {
  std::vector<std::string> folders = kProgram;
  folders.emplace_back("tests");
  const std::vector<SourceFile> lists = files_under(folders, is_list);
  std::vector<std::string> missing = sources_in_no_list(files_under(folders, is_source), lists);
  // Benchmarks are found by name, one program each, and panels by their folder.
  std::erase_if(missing, [](const std::string& path) {
    return path.starts_with("tests/bench/bench_") || path.starts_with("gui/panels/");
  });
  EXPECT_THAT(missing, IsEmpty());
}

TEST(Structure, TheTableOfLayersHasNoCircle) { EXPECT_THAT(layers_in_a_circle(), IsEmpty()); }

// ---- the check itself -------------------------------------------------------------------------------------

SourceFile header(std::string path, const std::string& text = "") {
  return {std::move(path), "#pragma once\n" + text};
}

TEST(LayerRules, AForbiddenIncludeIsNamedWithItsLine) {
  const auto broken = broken_rules({
      header("instrumentation/trace/trace.h"),
      {"instrumentation/base/time.cpp", "// time\n#include \"instrumentation/trace/trace.h\"\n"},
  });
  EXPECT_THAT(broken,
              ElementsAre("instrumentation/base/time.cpp:2: includes 'instrumentation/trace/trace.h', which "
                          "layer instrumentation/base may not"));
}

TEST(LayerRules, AnAllowedIncludeIsNot) {
  EXPECT_THAT(broken_rules({
                  header("instrumentation/base/time.h"),
                  header("instrumentation/trace/slice.h",
                         "#include \"instrumentation/base/time.h\"\n#include <vector>\n"),
                  header("engine/engine.h", "#include \"instrumentation/trace/slice.h\"\n"),
              }),
              IsEmpty());
}

TEST(LayerRules, TheEngineKnowsTheWordsOfATraceButNotTheTrace) {
  EXPECT_THAT(broken_rules({header("instrumentation/trace/trace.h"),
                            header("instrumentation/record/recorder.h"),
                            {"engine/engine.cpp",
                             "#include \"instrumentation/trace/trace.h\"\n"
                             "#include \"instrumentation/record/recorder.h\"\n"}}),
              ElementsAre(HasSubstr("engine.cpp:1:"), HasSubstr("engine.cpp:2:")));
}

TEST(LayerRules, CommandLineAndWindowDoNotKnowEachOther) {
  EXPECT_THAT(broken_rules({header("gui/app/app.h", "#include \"gui/cli/cli.h\"\n"),
                            header("gui/cli/cli.h", "#include \"gui/app/app.h\"\n")}),
              ElementsAre(HasSubstr("gui/app/app.h:2"), HasSubstr("gui/cli/cli.h:2"), HasSubstr("circle")));
}

TEST(LayerRules, ImGuiIsForThoseThatPaint) {
  EXPECT_THAT(broken_rules({{"gui/timeline/paint_scene.cpp", "#include <imgui.h>\n"},
                            {"gui/panels/strip/paint_strip.cpp", "#include \"imgui.h\"\n"},
                            {"gui/timeline/scene.cpp", "#include <imgui.h>\n"},
                            {"engine/engine.cpp", "#  include <imgui.h>\n"}}),
              ElementsAre(HasSubstr("gui/timeline/scene.cpp:1"), HasSubstr("engine/engine.cpp:1")));
}

TEST(LayerRules, CudaIsForItsModuleAndCupti) {
  EXPECT_THAT(broken_rules({{"engine/device/cuda_device.cpp", "#include <cuda_runtime_api.h>\n"},
                            {"instrumentation/cupti/cupti_source.cpp", "#include <cupti.h>\n"},
                            {"engine/array/matmul.cpp", "#include <cublas_v2.h>\n"}}),
              ElementsAre(HasSubstr("engine/array/matmul.cpp:1")));
}

TEST(LayerRules, ALibraryIsForTheLayersThatNameIt) {
  EXPECT_THAT(
      broken_rules({{"gui/cli/cli.cpp", "#include <CLI/CLI.hpp>\n#include <sys/stat.h>\n#include <vector>\n"},
                    {"instrumentation/trace/io/block.cpp", "#include <zstd.h>\n"},
                    {"instrumentation/trace/lane.cpp", "#include <zstd.h>\n"}}),
      ElementsAre(HasSubstr("instrumentation/trace/lane.cpp:1")));
}

TEST(LayerRules, AHeaderIsGuardedAndKnownByItsFullPath) {
  EXPECT_THAT(broken_rules({{"instrumentation/base/a.h", "struct A {};\n"},
                            {"instrumentation/base/b.cpp", "#include \"a.h\"\n"},
                            {"instrumentation/base/c.cpp", "#include \"instrumentation/base/gone.h\"\n"},
                            {"elsewhere/d.cpp", ""}}),
              ElementsAre(HasSubstr("no #pragma once"), HasSubstr("full path"), HasSubstr("does not exist"),
                          HasSubstr("no layer")));
}

TEST(LayerRules, ACircleOfHeadersIsFound) {
  EXPECT_THAT(broken_rules({header("engine/a.h", "#include \"engine/b.h\"\n"),
                            header("engine/b.h", "#include \"engine/c.h\"\n"),
                            header("engine/c.h", "#include \"engine/a.h\"\n"),
                            header("engine/d.h", "#include \"engine/a.h\"\n")}),
              ElementsAre(HasSubstr("engine/a.h -> engine/b.h -> engine/c.h -> engine/a.h")));
}

TEST(LayerRules, IncludesWithinCommentsDoNotCount) {
  const auto found =
      includes_of("// #include <a>\n/* text\n#include <b>\n*/ #include <c>\n  # include \"d.h\" // e\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "c");
  EXPECT_EQ(found[1].path, "d.h");
  EXPECT_EQ(found[1].line, 5);
}

TEST(LayerRules, ASourceMayBeListedByAPathThatGoesUp) {
  EXPECT_THAT(
      sources_in_no_list({{"gui/main.cpp", ""}}, {{"gui/cli/CMakeLists.txt", "x(SOURCES ../main.cpp)"}}),
      IsEmpty());
}

TEST(LayerRules, ASourceThatNoListNamesIsFound) {
  EXPECT_THAT(sources_in_no_list({{"engine/a.cpp", ""}, {"engine/b.cpp", ""}, {"engine/sub/c.cpp", ""}},
                                 {{"engine/CMakeLists.txt",
                                   "runahead_add_library(engine SOURCES a.cpp sub/c.cpp)\n# b.cpp\n"}}),
              ElementsAre("engine/b.cpp"));
}

}  // namespace
}  // namespace runahead::testing
