// Checks the layers of the source tree against the table in layer_rules.cpp. Also tests the checks
// themselves, with small trees that break the rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tests/structure/folder_rules.h"
#include "tests/structure/layer_rules.h"

namespace runahead::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The sources in this folder are no part of the build: the Python package compiles them where it runs.
constexpr std::string_view kPythonPackage = "/engine/python/package/";

bool is_source(const std::filesystem::path& path) {
  if (path.generic_string().find(kPythonPackage) != std::string::npos) return false;
  return path.extension() == ".h" || path.extension() == ".cpp" || path.extension() == ".cu";
}
bool is_list(const std::filesystem::path& path) { return path.filename() == "CMakeLists.txt"; }

// The files in `folders` of the repository for which `wanted` is true, sorted by path.
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

// True if the nearest CMakeLists.txt, in the source's folder or above, finds sources by file(GLOB).
bool found_by_folder(const std::string& path, const std::vector<SourceFile>& lists) {
  const SourceFile* nearest = nullptr;
  for (const SourceFile& list : lists) {
    const std::string folder = list.path.substr(0, list.path.rfind('/') + 1);
    if (path.starts_with(folder) && (nearest == nullptr || list.path.size() > nearest->path.size()))
      nearest = &list;
  }
  if (nearest == nullptr) return false;
  const std::size_t glob = nearest->text.find("file(GLOB ");
  if (glob == std::string::npos) return false;
  const std::string patterns = nearest->text.substr(glob, nearest->text.find(')', glob) - glob);
  const std::string rest = path.substr(nearest->path.rfind('/') + 1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return patterns.find("\"*.cpp\"") != std::string::npos;
  return patterns.find("\"*/*.cpp\"") != std::string::npos ||
         patterns.find('"' + rest.substr(0, slash) + "/*.cpp\"") != std::string::npos;
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
  // Two kinds of sources need no line in a CMakeLists.txt. CMake makes a program of each benchmark file, and
  // finds these files by their names. Some CMakeLists.txt files find all sources in their folder by a
  // pattern.
  std::erase_if(missing, [&](const std::string& path) {
    return path.starts_with("tests/bench/bench_") || found_by_folder(path, lists);
  });
  EXPECT_THAT(missing, IsEmpty());
}

TEST(Structure, EveryFileIsInTheNamespaceOfItsLayer) {
  EXPECT_THAT(foreign_namespaces(files_under(kProgram, is_source)), IsEmpty());
}

TEST(Structure, EveryLayerHasItsTargetAndLinksWhatItMay) {
  const std::vector<Target> targets = targets_of(files_under(kProgram, is_list));
  ASSERT_GT(targets.size(), 15u);
  EXPECT_THAT(broken_targets(targets), IsEmpty());
}

TEST(Structure, OnlyTargetsThatPaintCanIncludeImGui) {
  EXPECT_THAT(targets_that_see_imgui(targets_of(files_under(kProgram, is_list))),
              ElementsAre("app", "graph_paint", "panels_paint", "platform", "timeline_paint", "widgets"));
}

TEST(Structure, NoFolderIsCrowded) {
  std::vector<std::string> folders = kProgram;
  folders.insert(folders.end(), {"tests", "cmake", "scripts"});
  std::vector<std::string> paths;
  const auto is_ours = [](const std::filesystem::path& path) {
    return is_source(path) || is_list(path) || path.extension() == ".py" || path.extension() == ".sh";
  };
  for (const SourceFile& file : files_under(folders, is_ours)) paths.push_back(file.path);
  ASSERT_GT(paths.size(), 100u);
  EXPECT_THAT(crowded_folders(paths, 40), IsEmpty());
}

TEST(Structure, FoldersDoNotIncludeEachOtherInACycle) {
  EXPECT_THAT(folders_in_a_cycle(files_under(kProgram, is_source)), IsEmpty());
}

TEST(Structure, PanelsKnowNoOtherAndAreInTheRegistry) {
  EXPECT_THAT(broken_panels(files_under({"gui/panels"}, is_source)), IsEmpty());
}

TEST(Structure, TheDocumentNamesEveryLayer) {
  const std::vector<SourceFile> docs = files_under(
      {"docs"}, [](const std::filesystem::path& path) { return path.filename() == "architecture.md"; });
  ASSERT_EQ(docs.size(), 1u);
  for (const std::string& layer : layers_with_a_target()) {
    const std::string name = layer.starts_with("instrumentation/") ? layer.substr(16) : layer;
    EXPECT_NE(docs[0].text.find(name), std::string::npos) << name;
  }
}

TEST(Structure, TheTableOfLayersHasNoCycle) { EXPECT_THAT(layers_in_a_cycle(), IsEmpty()); }

// ---- the checks themselves -----------------------------------------------------------------------------

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
                  header("instrumentation/trace/rows/slice.h",
                         "#include \"instrumentation/base/time.h\"\n#include <vector>\n"),
                  header("engine/engine.h", "#include \"instrumentation/trace/rows/slice.h\"\n"),
              }),
              IsEmpty());
}

TEST(LayerRules, TheEngineKnowsTheWordsOfATraceButNotTheTrace) {
  EXPECT_THAT(broken_rules({header("instrumentation/trace/trace.h"),
                            header("instrumentation/record/hooks/recorder.h"),
                            {"engine/engine.cpp",
                             "#include \"instrumentation/trace/trace.h\"\n"
                             "#include \"instrumentation/record/hooks/recorder.h\"\n"}}),
              ElementsAre(HasSubstr("engine.cpp:1:"), HasSubstr("engine.cpp:2:")));
}

TEST(LayerRules, CommandLineAndWindowDoNotKnowEachOther) {
  EXPECT_THAT(broken_rules({header("gui/app/app.h", "#include \"gui/cli/cli.h\"\n"),
                            header("gui/cli/cli.h", "#include \"gui/app/app.h\"\n")}),
              ElementsAre(HasSubstr("gui/app/app.h:2"), HasSubstr("gui/cli/cli.h:2"), HasSubstr("cycle")));
}

TEST(LayerRules, ImGuiIsForThoseThatPaint) {
  EXPECT_THAT(broken_rules({{"gui/timeline/paint/paint_scene.cpp", "#include <imgui.h>\n"},
                            {"gui/panels/strip/paint_strip.cpp", "#include \"imgui.h\"\n"},
                            {"gui/timeline/scene.cpp", "#include <imgui.h>\n"},
                            {"engine/engine.cpp", "#  include <imgui.h>\n"}}),
              ElementsAre(HasSubstr("gui/timeline/scene.cpp:1"), HasSubstr("engine/engine.cpp:1")));
}

TEST(LayerRules, CudaIsForItsModuleAndCupti) {
  EXPECT_THAT(broken_rules({{"engine/device/cuda_module.cpp", "#include <cuda_runtime_api.h>\n"},
                            {"instrumentation/cupti/cupti_source.cpp", "#include <cupti.h>\n"},
                            {"engine/array/matmul.cpp", "#include <cublas_v2.h>\n"}}),
              ElementsAre(HasSubstr("engine/array/matmul.cpp:1")));
}

TEST(LayerRules, OpenClIsForItsModule) {
  EXPECT_THAT(broken_rules({{"engine/device/opencl/queue.cpp", "#include <CL/cl.h>\n"},
                            {"engine/device/module_device.cpp", "#include <CL/cl.h>\n"}}),
              ElementsAre(HasSubstr("engine/device/module_device.cpp:1")));
}

TEST(LayerRules, ALibraryIsForTheLayersThatNameIt) {
  EXPECT_THAT(
      broken_rules({{"gui/cli/cli.cpp", "#include <CLI/CLI.hpp>\n#include <sys/stat.h>\n#include <vector>\n"},
                    {"instrumentation/recording/format/block.cpp", "#include <zstd.h>\n"},
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

TEST(LayerRules, ACycleOfHeadersIsFound) {
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

// ---- the rules of folders --------------------------------------------------------------------------------

TEST(FolderRules, ANamespaceOfAnotherLayerIsNamedWithItsLine) {
  EXPECT_THAT(foreign_namespaces({{"instrumentation/trace/lane.h", "namespace runahead::trace {\n"},
                                  {"instrumentation/export/csv.h", "namespace runahead::exporters::csv {\n"},
                                  {"gui/core/files.cpp", "// files\nnamespace runahead::core {\n"},
                                  {"gui/core/job.cpp", "namespace fs = std::filesystem;\n"},
                                  {"instrumentation/base/time.h", "namespace runahead::trace {\n"}}),
              ElementsAre("gui/core/files.cpp:2: is in runahead::core, and not in runahead::gui",
                          HasSubstr("instrumentation/base/time.h:1")));
}

// The CMake lists of two layers. `core` may link `model`. `model` must not link `core`.
std::vector<SourceFile> two_lists(const std::string& of_model, const std::string& of_core) {
  return {{"gui/model/CMakeLists.txt", "runahead_add_library(model SOURCES a.cpp # b.cpp\n" + of_model + ")"},
          {"gui/core/CMakeLists.txt",
           "if(X)\n  runahead_add_library(core SOURCES c.cpp " + of_core + ")\nendif()"}};
}
std::vector<std::string> broken_of(const std::vector<SourceFile>& lists) {
  std::vector<std::string> broken = broken_targets(targets_of(lists));
  std::erase_if(broken, [](const std::string& line) { return line.starts_with("layer "); });
  return broken;
}

TEST(FolderRules, ATargetIsReadFromItsList) {
  const std::vector<Target> targets =
      targets_of(two_lists("", "PUBLIC runahead::model PRIVATE runahead_dep::JSON"));
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_THAT(targets[0].sources, ElementsAre("gui/model/a.cpp"));
  EXPECT_THAT(targets[1].shared, ElementsAre("runahead::model"));
  EXPECT_THAT(targets[1].private_, ElementsAre("runahead_dep::JSON"));
}

TEST(FolderRules, ALinkAgainstTheLayersIsFoundAndASourceOfAnotherLayer) {
  EXPECT_THAT(broken_of(two_lists("PUBLIC runahead::text", "PUBLIC runahead::model")), IsEmpty());
  EXPECT_THAT(broken_of(two_lists("PUBLIC runahead::core", "")),
              ElementsAre(HasSubstr("target model: links")));
  EXPECT_THAT(broken_of(two_lists("", "../model/d.cpp")), ElementsAre(HasSubstr("'gui/model/d.cpp' lies")));
}

TEST(FolderRules, ALayerWithoutATargetIsFound) {
  EXPECT_THAT(broken_targets(targets_of(two_lists("", ""))),
              ::testing::Contains("layer gui/widgets: has no target 'widgets'"));
}

TEST(FolderRules, WhoeverPassesImGuiOnIsFound) {
  const std::string imgui = "PUBLIC runahead_dep::IMGUI";
  EXPECT_THAT(targets_that_see_imgui(targets_of(two_lists(imgui, "PRIVATE runahead::model"))),
              ElementsAre("core", "model"));
  EXPECT_THAT(
      targets_that_see_imgui(targets_of(two_lists("PRIVATE runahead_dep::IMGUI", "PUBLIC runahead::model"))),
      ElementsAre("model"));
}

TEST(FolderRules, ACrowdedFolderIsCounted) {
  EXPECT_THAT(crowded_folders({"gui/core/a.h", "gui/core/b.h", "gui/core/sub/c.h", "gui/app/d.h"}, 1),
              ElementsAre("gui/core: 2 files"));
}

TEST(FolderRules, ACycleOfFoldersIsFoundWhereNoHeadersFormOne) {
  EXPECT_THAT(folders_in_a_cycle({{"gui/a/one.h", "#include \"gui/b/one.h\"\n"},
                                  {"gui/b/one.h", ""},
                                  {"gui/b/two.h", "#include \"gui/c/one.h\"\n"},
                                  {"gui/c/one.h", "#include \"gui/a/two.h\"\n"},
                                  {"gui/a/two.h", ""},
                                  {"gui/d/one.h", "#include \"gui/a/two.h\"\n"}}),
              ElementsAre("gui/a -> gui/b", "gui/b -> gui/c", "gui/c -> gui/a"));
}

TEST(FolderRules, APanelThatKnowsAnotherOrIsNotListedIsFound) {
  EXPECT_THAT(
      broken_panels({{"gui/panels/panel_registry.h", "#include \"gui/panels/find/find.h\"\n"},
                     {"gui/panels/find/find.h", "class FindPanel : public PanelModule {\n"},
                     {"gui/panels/find/paint_find.cpp", "#include \"gui/panels/find/find.h\"\n"},
                     {"gui/panels/waits/waits.h",
                      "#include \"gui/panels/find/find.h\"\nclass WaitsPanel : public PanelModule {\n"}}),
      ElementsAre(HasSubstr("registry does not list"), HasSubstr("gui/panels/waits/waits.h:1: includes")));
}

}  // namespace
}  // namespace runahead::testing
