// What docs/architecture.md says of folders, namespaces and targets, as rules that are checked. Pure: works
// on the text of files, wherever it comes from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/structure/layer_rules.h"

namespace runahead::testing {

// One line for each file whose namespace is not its layer's.
[[nodiscard]] std::vector<std::string> foreign_namespaces(const std::vector<SourceFile>& files);

// A target as a CMakeLists.txt makes it with runahead_add_library, _module or _executable.
struct Target {
  std::string name, folder;
  std::vector<std::string> sources;  // paths from the root of the repository
  std::vector<std::string> shared,
      private_;  // what it links with PUBLIC and with PRIVATE: "runahead::trace", ...
};
[[nodiscard]] std::vector<Target> targets_of(const std::vector<SourceFile>& lists);

// One line for each broken rule:
//   - the library of a layer has the layer's name ("gui/cli": cli), and beside it may be NAME_paint;
//   - its sources lie in the layer's folder;
//   - it links libraries of its own layer and of those that the table of layers allows.
[[nodiscard]] std::vector<std::string> broken_targets(const std::vector<Target>& targets);
// The libraries that can include Dear ImGui: they link it, or something that passes it on. Sorted.
[[nodiscard]] std::vector<std::string> targets_that_see_imgui(const std::vector<Target>& targets);

// Folders with more files side by side than that: "gui/panels: 100 files".
[[nodiscard]] std::vector<std::string> crowded_folders(const std::vector<std::string>& paths,
                                                       std::size_t most);
// Folders whose files include each other's both ways, over any others: "a -> b".
[[nodiscard]] std::vector<std::string> folders_in_a_circle(const std::vector<SourceFile>& files);

// One line for each broken rule of gui/panels: a panel includes nothing of another panel, and each is in the
// registry.
[[nodiscard]] std::vector<std::string> broken_panels(const std::vector<SourceFile>& files);

}  // namespace runahead::testing
