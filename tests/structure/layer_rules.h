// A table says for each layer of the source tree what it may include. These functions check files against
// this table. The functions are pure: they get the text of files as input, and read no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runahead::testing {

struct SourceFile {
  std::string path;  // from the root of the repository, with '/'
  std::string text;
};

struct Include {
  int line = 0;
  std::string path;
  bool quoted = false;
};
// The #include lines of a file, without those in block comments.
[[nodiscard]] std::vector<Include> includes_of(std::string_view text);

// The layer of a file. If several folders of the table contain the file, the folder with the longest path is
// its layer. Empty: no folder of the table contains the file.
[[nodiscard]] std::string layer_of(std::string_view path);

// True if the table allows a file of `layer` to include all files of `other`, or at least one of its headers.
// A layer may include its own files.
[[nodiscard]] bool layer_may_include(std::string_view layer, std::string_view other);
// All layers of the table except "gui", which has only main.cpp.
[[nodiscard]] std::vector<std::string> layers_with_a_target();

// The layers of the table that may include each other in a cycle. The result must be empty.
[[nodiscard]] std::vector<std::string> layers_in_a_cycle();

// One line for each broken rule, "path:line: why". The rules:
//   - a file is in a layer of the table;
//   - it includes files of its own layer and of allowed layers, by full path, and these files exist;
//   - Dear ImGui only in files that paint (paint_*) or handle the window; CUDA only in engine/device/cuda*
//     and cupti;
//   - a header has #pragma once;
//   - headers do not include each other in a cycle.
[[nodiscard]] std::vector<std::string> broken_rules(const std::vector<SourceFile>& files);

// The .cpp files among `files` that no CMakeLists.txt in `lists` names. In a list, the path of a file starts
// at the list's folder.
[[nodiscard]] std::vector<std::string> sources_in_no_list(const std::vector<SourceFile>& files,
                                                          const std::vector<SourceFile>& lists);

}  // namespace runahead::testing
