#include "tests/structure/folder_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace runahead::testing {
namespace {

// The namespace of the files in a folder. If a file is in several of these folders, the longest path counts.
struct NamespaceOf {
  std::string_view folder, name;
};
constexpr std::array<NamespaceOf, 18> kNamespaces{{{"instrumentation/base", "runahead"},
                                                   {"instrumentation/trace", "runahead::trace"},
                                                   {"instrumentation/files", "runahead::files"},
                                                   {"instrumentation/link", "runahead::link"},
                                                   {"instrumentation/merge", "runahead::merge"},
                                                   {"instrumentation/recording", "runahead::recordings"},
                                                   {"instrumentation/export", "runahead::exporters"},
                                                   {"instrumentation/import", "runahead::importers"},
                                                   {"instrumentation/record", "runahead::record"},
                                                   {"instrumentation/api", "runahead::api"},
                                                   {"instrumentation/cupti", "runahead::cupti"},
                                                   {"instrumentation/analysis", "runahead::analysis"},
                                                   {"instrumentation/causes", "runahead::causes"},
                                                   {"instrumentation/predict", "runahead::predict"},
                                                   {"instrumentation/query", "runahead::query"},
                                                   {"engine", "runahead::engine"},
                                                   {"samples", "runahead::samples"},
                                                   {"gui", "runahead::gui"}}};
// The public header belongs to no layer, because other programs include it.
constexpr std::string_view kPublicHeaders = "instrumentation/api/runahead";

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

bool is_in(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string_view namespace_of(std::string_view path) {
  std::string_view best, name;
  for (const NamespaceOf& one : kNamespaces) {
    if (is_in(path, one.folder) && one.folder.size() > best.size()) best = one.folder, name = one.name;
  }
  return name;
}

// A layer may use its own namespace and all namespaces in it. The exception is the layer base: its namespace
// "runahead" contains the namespaces of all layers, so it may use only "runahead" and "runahead::internal".
bool is_or_within(const std::string& name, std::string_view own) {
  if (name == own) return true;
  return own == "runahead" ? name == "runahead::internal" : name.starts_with(std::string(own) + "::");
}

// "class Database;" is a forward declaration: a layer may use it for a pointer to a class of another layer.
bool declares_only(std::string_view line) {
  return (line.starts_with("class ") || line.starts_with("struct ")) && line.ends_with(';');
}

// "gui/panels" -> "panels".
std::string target_name(std::string_view layer) { return std::string(layer.substr(layer.rfind('/') + 1)); }

std::vector<std::string> words_of(std::string text) {
  std::string plain;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) plain += line.substr(0, line.find('#')) + '\n';
  for (const char c : {'(', ')', '"'}) {
    std::string spaced;
    for (const char each : plain) spaced += each == c ? std::string{' ', each, ' '} : std::string{each};
    plain = spaced;
  }
  std::istringstream in(plain);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Reads the words from `at` (after the opening parenthesis) to the closing parenthesis.
Target read_target(const std::vector<std::string>& words, std::size_t at, const std::string& folder) {
  constexpr std::string_view kPrefix = "runahead_";  // prefix in CMake's own functions
  const std::string name = words[at].starts_with(kPrefix) ? words[at].substr(kPrefix.size()) : words[at];
  Target target{name, folder, {}, {}, {}};
  std::vector<std::string>* into = nullptr;
  for (++at; at < words.size() && words[at] != ")"; ++at) {
    const std::string& word = words[at];
    if (word == "SOURCES") {
      into = &target.sources;
    } else if (word == "PUBLIC") {
      into = &target.shared;
    } else if (word == "PRIVATE") {
      into = &target.private_;
    } else if (word == "OUTPUT") {
      into = nullptr;
    } else if (word.starts_with('$')) {
      continue;  // "${...}" or "$<...>" of CMake: not the name of a file or target
    } else if (into == &target.sources) {
      into->push_back(std::filesystem::path(folder + "/" + word).lexically_normal().generic_string());
    } else if (into != nullptr) {
      into->push_back(word);
    }
  }
  return target;
}

// Adds to `seen` all targets that a target can use: the targets in `linked`, and all targets that these link
// publicly, directly or through others.
void add_seen(const std::map<std::string, const Target*>& by_name, const std::vector<std::string>& linked,
              std::set<std::string>& seen) {
  for (const std::string& name : linked) {
    if (!seen.insert(name).second || !name.starts_with("runahead::")) continue;
    const auto found = by_name.find(name.substr(10));
    if (found != by_name.end()) add_seen(by_name, found->second->shared, seen);
  }
}

std::map<std::string, const Target*> by_name_of(const std::vector<Target>& targets) {
  std::map<std::string, const Target*> by_name;
  for (const Target& target : targets) by_name[target.name] = &target;
  return by_name;
}

}  // namespace

std::vector<std::string> foreign_namespaces(const std::vector<SourceFile>& files) {
  std::vector<std::string> foreign;
  for (const SourceFile& file : files) {
    if (file.path.starts_with(kPublicHeaders)) continue;
    std::vector<std::string> lines;
    std::istringstream in(file.text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with("namespace runahead")) continue;
      const std::string name = lines[i].substr(10, lines[i].find(' ', 10) - 10);
      if (is_or_within(name, namespace_of(file.path))) continue;
      if (i + 1 < lines.size() && declares_only(lines[i + 1])) continue;
      foreign.push_back(file.path + ":" + std::to_string(i + 1) + ": is in " + name + ", and not in " +
                        std::string(namespace_of(file.path)));
    }
  }
  return foreign;
}

std::vector<Target> targets_of(const std::vector<SourceFile>& lists) {
  std::vector<Target> targets;
  for (const SourceFile& list : lists) {
    const std::vector<std::string> words = words_of(list.text);
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      if (words[i + 1] != "(") continue;
      const bool ours = words[i] == "runahead_add_library" || words[i] == "runahead_add_module" ||
                        words[i] == "runahead_add_executable";
      const bool plain = words[i] == "add_library" && words[i + 2].starts_with("runahead_");
      if (ours || plain) targets.push_back(read_target(words, i + 2, folder_of(list.path)));
      if (words[i] != "target_link_libraries") continue;
      const Target links = read_target(words, i + 2, folder_of(list.path));
      const auto to = std::ranges::find(targets, links.name, &Target::name);
      if (to == targets.end()) continue;
      to->shared.insert(to->shared.end(), links.shared.begin(), links.shared.end());
      to->private_.insert(to->private_.end(), links.private_.begin(), links.private_.end());
    }
  }
  return targets;
}

std::vector<std::string> broken_targets(const std::vector<Target>& targets) {
  std::vector<std::string> broken;
  const auto by_name = by_name_of(targets);
  for (const Target& target : targets) {
    const std::string layer = layer_of(target.folder + "/CMakeLists.txt");
    const std::string name = target_name(layer);
    const bool library = target.name == name || target.name == name + "_paint";
    for (const std::string& source : target.sources) {
      if (library && layer_of(source) != layer)
        broken.push_back("target " + target.name + ": its source '" + source + "' lies in another layer");
    }
    if (!library) continue;
    for (const auto* const linked : {&target.shared, &target.private_}) {
      for (const std::string& other : *linked) {
        const auto found = by_name.find(other.starts_with("runahead::") ? other.substr(10) : "");
        if (found == by_name.end()) continue;
        const std::string to = layer_of(found->second->folder + "/CMakeLists.txt");
        if (!layer_may_include(layer, to))
          broken.push_back("target " + target.name + ": links '" + other + "', which layer " + layer +
                           " may not");
      }
    }
  }
  for (const std::string& layer : layers_with_a_target()) {
    if (!by_name.contains(target_name(layer)))
      broken.push_back("layer " + layer + ": has no target '" + target_name(layer) + "'");
  }
  return broken;
}

std::vector<std::string> targets_that_see_imgui(const std::vector<Target>& targets) {
  const auto by_name = by_name_of(targets);
  std::vector<std::string> seeing;
  for (const Target& target : targets) {
    std::set<std::string> seen;
    add_seen(by_name, target.shared, seen);
    add_seen(by_name, target.private_, seen);
    if (seen.contains("runahead_dep::IMGUI")) seeing.push_back(target.name);
  }
  std::ranges::sort(seeing);
  return seeing;
}

std::vector<std::string> crowded_folders(const std::vector<std::string>& paths, std::size_t most) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& path : paths) ++counts[folder_of(path)];
  std::vector<std::string> crowded;
  for (const auto& [folder, count] : counts) {
    if (count > most) crowded.push_back(folder + ": " + std::to_string(count) + " files");
  }
  return crowded;
}

std::vector<std::string> folders_in_a_cycle(const std::vector<SourceFile>& files) {
  std::set<std::string> known;
  for (const SourceFile& file : files) known.insert(file.path);
  std::map<std::string, std::set<std::string>> includes;
  for (const SourceFile& file : files) {
    for (const Include& include : includes_of(file.text)) {
      const std::string from = folder_of(file.path), to = folder_of(include.path);
      if (known.contains(include.path) && from != to) includes[from].insert(to);
    }
  }
  const auto reaches = [&](const auto& self, const std::string& from, const std::string& to,
                           std::set<std::string>& seen) -> bool {
    if (from == to) return true;
    if (!seen.insert(from).second || !includes.contains(from)) return false;
    return std::ranges::any_of(includes.at(from),
                               [&](const std::string& next) { return self(self, next, to, seen); });
  };
  std::vector<std::string> cycles;
  for (const auto& [from, all] : includes) {
    for (const std::string& to : all) {
      std::set<std::string> seen;
      if (reaches(reaches, to, from, seen)) cycles.push_back(from + " -> " + to);
    }
  }
  return cycles;
}

std::vector<std::string> broken_panels(const std::vector<SourceFile>& files) {
  constexpr std::string_view kPanels = "gui/panels", kRegistry = "gui/panels/panel_registry.h";
  std::set<std::string> listed;
  for (const SourceFile& file : files) {
    if (file.path != kRegistry) continue;
    for (const Include& include : includes_of(file.text)) listed.insert(include.path);
  }
  std::vector<std::string> broken;
  for (const SourceFile& file : files) {
    const std::string folder = folder_of(file.path);
    if (!is_in(folder, kPanels)) continue;
    if (file.text.find(": public PanelModule") != std::string::npos && !listed.contains(file.path))
      broken.push_back(file.path + ": is a panel that the registry does not list");
    if (folder == kPanels) continue;
    for (const Include& include : includes_of(file.text)) {
      const std::string to = folder_of(include.path);
      if (is_in(to, kPanels) && to != folder)
        broken.push_back(file.path + ":" + std::to_string(include.line) + ": includes '" + include.path +
                         "' of another panel");
    }
  }
  return broken;
}

}  // namespace runahead::testing
