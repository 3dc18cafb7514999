// Checks the rules of docs/architecture.md about folders, namespaces and targets. The checks are pure: they
// get the text of files as input, and read no files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/structure/layer_rules.h"

namespace runahead::testing {

// One line for each file whose namespace is not the namespace of its layer.
[[nodiscard]] std::vector<std::string> foreign_namespaces(const std::vector<SourceFile>& files);

// A target of a CMakeLists.txt, made by runahead_add_library, _module or _executable.
struct Target {
  std::string name, folder;
  std::vector<std::string> sources;  // paths from the root of the repository
  std::vector<std::string> shared,
      private_;  // the PUBLIC and PRIVATE libraries: "runahead::trace", ...
};
[[nodiscard]] std::vector<Target> targets_of(const std::vector<SourceFile>& lists);

// One line for each broken rule:
//   - the library of a layer has the layer's name ("gui/cli": cli); a second library NAME_paint may exist;
//   - its sources are in the layer's folder;
//   - it links libraries of its own layer and of the layers that the table allows.
[[nodiscard]] std::vector<std::string> broken_targets(const std::vector<Target>& targets);
// The libraries that can include Dear ImGui, because they link it, or link a library that links it publicly.
// Sorted.
[[nodiscard]] std::vector<std::string> targets_that_see_imgui(const std::vector<Target>& targets);

// Folders with more than `most` files: "gui/panels: 100 files". Skips the exceptions listed in
// folder_rules.cpp.
[[nodiscard]] std::vector<std::string> crowded_folders(const std::vector<std::string>& paths,
                                                       std::size_t most);
// Folders that include each other in a cycle, directly or through others: "a -> b".
[[nodiscard]] std::vector<std::string> folders_in_a_cycle(const std::vector<SourceFile>& files);

// One line for each broken rule of gui/panels. The rules: a panel includes no file of another panel, and the
// registry has each panel.
[[nodiscard]] std::vector<std::string> broken_panels(const std::vector<SourceFile>& files);

}  // namespace runahead::testing
