#include "tests/structure/layer_rules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace runahead::testing {
namespace {

struct Layer {
  std::string_view folder;
  // Layers or single headers. A layer may always include its own files.
  std::vector<std::string_view> may_include;
  std::vector<std::string_view> libraries{};  // prefixes of the headers of other libraries
};

constexpr std::string_view kBase = "instrumentation/base";
constexpr std::string_view kTrace = "instrumentation/trace";
constexpr std::string_view kFiles = "instrumentation/files";
constexpr std::string_view kRecording = "instrumentation/recording";
constexpr std::string_view kExport = "instrumentation/export";
constexpr std::string_view kImport = "instrumentation/import";
constexpr std::string_view kRecord = "instrumentation/record";
constexpr std::string_view kLink = "instrumentation/link";
constexpr std::string_view kMerge = "instrumentation/merge";
constexpr std::string_view kApi = "instrumentation/api";
constexpr std::string_view kCupti = "instrumentation/cupti";
constexpr std::string_view kAnalysis = "instrumentation/analysis";
constexpr std::string_view kCauses = "instrumentation/causes";
constexpr std::string_view kPredict = "instrumentation/predict";
constexpr std::string_view kQuery = "instrumentation/query";
constexpr std::string_view kEngine = "engine", kDevice = "engine/device", kArray = "engine/array";
// Headers of trace types for layers that do not read traces. These types are plain and do not need Trace.
constexpr std::string_view kSlice = "instrumentation/trace/rows/slice.h";
constexpr std::string_view kTrack = "instrumentation/trace/rows/track.h";
constexpr std::string_view kLoss = "instrumentation/trace/rows/loss.h";
// The headers that an instrumented program calls. They do not need the recorder.
constexpr std::string_view kHooks = "instrumentation/record/hooks/hooks.h";
constexpr std::string_view kSite = "instrumentation/record/hooks/site.h";
constexpr std::string_view kActivity = "instrumentation/record/hooks/device_activity.h";
// The type of a program's switches and parameters, for layers that do not speak with programs.
constexpr std::string_view kControl = "instrumentation/link/control.h";
// The file of gui/platform that hides differences of Dear ImGui's versions, for files that paint.
constexpr std::string_view kImguiCompat = "gui/platform/imgui_compat.h";

const std::vector<Layer>& layers() {
  static const std::vector<Layer> kLayers{
      {kBase, {}},
      {kTrace, {kBase}},
      {kFiles, {kBase}, {"xxhash.h", "zlib.h"}},
      {kRecording, {kTrace, kFiles, kBase}, {"zstd.h"}},
      {kExport, {kRecording, kTrace, kFiles, kBase}, {"zlib.h", "protozero/"}},
      {kImport,
       {kRecording, kExport, kCupti, kTrace, kFiles, kBase},
       {"simdjson.h", "protozero/", "sqlite3.h"}},
      {kRecord, {kTrace, kRecording, kBase}},
      {kLink, {kRecord, kRecording, kTrace, kBase}, {"poll.h"}},
      {kMerge, {kLink, kImport, kCauses, kRecording, kTrace, kBase}},
      {kApi, {kLink, kRecord, kCupti, kTrace, kRecording, kBase}},
      {kCupti, {kRecord, kTrace, kBase}, {"cupti", "cuda", "cxxabi.h"}},
      {kAnalysis, {kTrace, kBase}},
      {kCauses, {kAnalysis, kTrace, kBase}},
      {kPredict, {kCauses, kAnalysis, kTrace, kBase}},
      {kQuery, {kTrace, kAnalysis, kCauses, kBase}, {"sqlite3.h"}},
      {kDevice, {kBase, kHooks, kSite, kActivity, kSlice, kTrack}, {"cuda", "cublas", "curand"}},
      {kEngine, {kDevice, kBase, kHooks, kSite, kActivity, kSlice, kTrack}},
      {kArray, {kEngine, kDevice, kBase, kHooks, kSite, kSlice, kTrack}, {"cblas.h"}},
      // It compiles sources of the layer api, so that the process records itself: it needs what they need.
      {"engine/python",
       {kEngine, kDevice, kArray, kApi, kRecord, kLink, kCupti, kRecording, kTrace, kBase},
       {"Python.h", "structmember.h", "pthread.h"}},
      // samples/programs has programs that include the public API, as programs outside this repository do.
      {"samples",
       {kEngine, kDevice, kArray, kBase, kHooks, kSite, kSlice, kTrack},
       {"runahead/runahead.h", "mpi.h"}},
      {"gui/text", {kBase, kSlice, kTrack, kLoss}},
      {"gui/theme", {kBase, kSlice, kTrack, kLoss}},
      // The viewer of pages has it too, so it includes nothing of the engine.
      {"gui/lesson", {kBase, "gui/text", "samples/lessons/prediction.h", "samples/result_unit.h"}},
      {"gui/session",
       {"samples", kEngine, kDevice, kArray, kRecord, kCupti, kTrace, kRecording, kExport, kImport, kAnalysis,
        kBase, "gui/web", "gui/lesson"}},
      {"gui/answers", {kTrace, kAnalysis, kCauses, kPredict, kBase, "gui/text", "gui/timeline"}},
      // viewer.cpp is compiled to WebAssembly with the timeline; page.cpp puts it into pages.
      {"gui/web",
       {kTrace, kRecording, kAnalysis, kCauses, kPredict, kFiles, kBase, "gui/text", "gui/theme",
        "gui/timeline", "gui/answers", "gui/lesson"},
       {"imgui", "zlib.h"}},
      {"gui/serve",
       {kTrace, kRecording, kImport, kLink, kFiles, kBase, "gui/text", "gui/web"},
       {"microhttpd.h", "arpa/inet.h", "netinet/in.h"}},
      {"gui/timeline", {kTrace, kAnalysis, kCauses, kBase, "gui/text", "gui/theme", kImguiCompat}, {"imgui"}},
      {"gui/graph",
       {kTrace, kAnalysis, kBase, "gui/text", "gui/theme", "gui/timeline", kImguiCompat},
       {"imgui"}},
      {"gui/platform",
       {kBase, "gui/text", "gui/theme"},
       {"imgui", "backends/imgui", "GLFW/", "GL/", "EGL/", "stb"}},
      {"gui/background",
       {kTrace, kRecording, kExport, kImport, kRecord, kMerge, kCauses, kPredict, kBase, "gui/session",
        "gui/web", "samples"}},
      {"gui/model",
       {kTrace, kAnalysis, kRecord, kPredict, kBase, kControl, "gui/text", "gui/timeline", "gui/answers",
        "samples", kEngine, kDevice},
       {"nlohmann/json_fwd.hpp"}},
      {"gui/widgets",
       {kTrace, kAnalysis, kBase, "gui/text", "gui/theme", "gui/timeline", "gui/platform", "gui/model"},
       {"imgui"}},
      {"gui/panels",
       {kTrace,        kAnalysis,      kCauses,          kPredict,    kQuery,         kRecord,
        kBase,         kControl,       "gui/text",       "gui/theme", "gui/timeline", "gui/graph",
        "gui/session", "gui/platform", "gui/background", "gui/model", "gui/widgets",  "gui/answers",
        "samples",     kEngine,        kDevice,          kArray,      "gui/lesson"},
       {"imgui", "nlohmann/"}},
      {"gui/core",
       {kBase,       kTrace,           kRecording,  kExport,       kImport,        kRecord,
        kLink,       kCupti,           kAnalysis,   kPredict,      kEngine,        kDevice,
        kArray,      "samples",        "gui/text",  "gui/session", "gui/timeline", "gui/answers",
        "gui/graph", "gui/background", "gui/model", "gui/panels"},
       {"nlohmann/"}},
      {"gui/cli",
       {kBase,          kTrace,      kRecording,   kExport,      kImport,     kRecord,       kLink,
        kMerge,         kCupti,      kAnalysis,    kCauses,      kPredict,    kQuery,        kEngine,
        kDevice,        kArray,      "samples",    "gui/text",   "gui/theme", "gui/session", "gui/timeline",
        "gui/platform", "gui/serve", "gui/lesson", "gui/answers"},
       {"CLI/", "nlohmann/", "poll.h"}},
      {"gui/app",
       {kBase,         kTrace,         kRecording,   kExport,        kImport,
        kRecord,       kCupti,         kAnalysis,    kQuery,         kEngine,
        kDevice,       kArray,         "samples",    "gui/text",     "gui/theme",
        "gui/session", "gui/timeline", "gui/graph",  "gui/platform", "gui/background",
        "gui/model",   "gui/widgets",  "gui/panels", "gui/answers",  "gui/core"},
       {"imgui", "nlohmann/"}},
      {"gui", {"gui/app", "gui/cli"}, {"runahead_commit.h"}},  // only main.cpp, which connects app and cli
  };
  return kLayers;
}

bool lies_in(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

const Layer* find_layer(std::string_view path) {
  const Layer* best = nullptr;
  for (const Layer& layer : layers()) {
    if (lies_in(path, layer.folder) && (best == nullptr || layer.folder.size() > best->folder.size()))
      best = &layer;
  }
  return best;
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool allowed(const Layer& from, std::string_view to_path) {
  const Layer* to = find_layer(to_path);
  if (to == nullptr) return false;
  if (to == &from) return true;
  return std::any_of(from.may_include.begin(), from.may_include.end(),
                     [&](std::string_view entry) { return entry == to->folder || entry == to_path; });
}

bool is_imgui(std::string_view include) {
  return include.starts_with("imgui") || include.starts_with("imstb_") ||
         include.starts_with("backends/imgui");
}

bool may_use_imgui(std::string_view path) {
  const bool paints = file_name(path).starts_with("paint_");
  return lies_in(path, "gui/platform") || lies_in(path, "gui/widgets") || lies_in(path, "gui/app") ||
         (paints && (lies_in(path, "gui/graph") || lies_in(path, "gui/panels"))) ||
         (lies_in(path, "gui/timeline") &&
          (paints || file_name(path).find("_panel.") != std::string_view::npos));
}

// Headers of the language, the C library and the kernel.
bool is_standard(std::string_view include) {
  static constexpr std::array<std::string_view, 4> kFolders{"sys/", "linux/", "arpa/", "netinet/"};
  static constexpr std::array<std::string_view, 16> kHeaders{
      "unistd.h", "fcntl.h",     "signal.h",    "dlfcn.h", "pthread.h", "sched.h",  "spawn.h", "time.h",
      "errno.h",  "x86intrin.h", "immintrin.h", "stdio.h", "stdlib.h",  "string.h", "cpuid.h", "semaphore.h"};
  if (include.find_first_of("/.") == std::string_view::npos) return true;
  return std::find(kHeaders.begin(), kHeaders.end(), include) != kHeaders.end() ||
         std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view folder) { return include.starts_with(folder); });
}

bool is_cuda(std::string_view include) {
  static constexpr std::array<std::string_view, 6> kStarts{"cuda",  "cublas", "curand",
                                                           "cupti", "nvtx",   "nvml"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return include.starts_with(start); });
}

bool is_opencl(std::string_view include) { return include.starts_with("CL/cl"); }
bool may_use_opencl(std::string_view path) {
  return path.starts_with("engine/device/opencl/") || path.starts_with("tests/host_opencl/");
}

bool may_use_cuda(std::string_view path) {
  return path.starts_with("engine/device/cuda") || lies_in(path, kCupti);
}

class Checker {
 public:
  explicit Checker(const std::vector<SourceFile>& files) : files_(files) {
    for (const SourceFile& file : files) known_.insert(file.path);
  }

  std::vector<std::string> check() {
    for (const SourceFile& file : files_) check_file(file);
    for (const SourceFile& file : files_) look_for_cycle(file.path, {});
    return std::move(broken_);
  }

 private:
  void report(const std::string& path, int line, const std::string& why) {
    broken_.push_back(path + ":" + std::to_string(line) + ": " + why);
  }

  void check_file(const SourceFile& file) {
    const Layer* layer = find_layer(file.path);
    if (layer == nullptr) return report(file.path, 1, "lies in no layer of the table");
    const bool header = file.path.ends_with(".h");
    if (header && file.text.find("#pragma once") == std::string::npos)
      report(file.path, 1, "has no #pragma once");
    for (const Include& include : includes_of(file.text)) {
      check_include(file.path, *layer, include);
      if (known_.contains(include.path)) included_[file.path].push_back(include.path);
    }
  }

  void check_include(const std::string& path, const Layer& layer, const Include& include) {
    const std::string quoted = "'" + include.path + "'";
    if (is_imgui(include.path) && !may_use_imgui(path)) {
      return report(path, include.line,
                    "includes " + quoted + ", but holds what should be testable without a window");
    }
    if (is_cuda(include.path) && !may_use_cuda(path)) {
      return report(path, include.line, "includes " + quoted + ", which only the CUDA module and cupti may");
    }
    if (is_opencl(include.path)) {
      if (may_use_opencl(path)) return;
      return report(path, include.line,
                    "includes " + quoted + ", which only the OpenCL module and its simulated driver may");
    }
    if (!known_.contains(include.path) && find_layer(include.path) == nullptr) {
      return check_foreign(path, layer, include);
    }
    if (!known_.contains(include.path))
      return report(path, include.line, "includes " + quoted + ", which does not exist");
    if (!allowed(layer, include.path)) {
      report(path, include.line,
             "includes " + quoted + ", which layer " + std::string(layer.folder) + " may not");
    }
  }

  void check_foreign(const std::string& path, const Layer& layer, const Include& include) {
    if (is_standard(include.path)) return;
    const bool named =
        std::any_of(layer.libraries.begin(), layer.libraries.end(),
                    [&](std::string_view library) { return include.path.starts_with(library); });
    if (named) return;
    report(path, include.line,
           "includes '" + include.path +
               "', neither a file of ours by its full path nor of a library that layer " +
               std::string(layer.folder) + " names");
  }

  // A depth-first search from each file. A file is done after all its includes have been visited.
  void look_for_cycle(const std::string& path, std::vector<std::string> way) {
    if (done_.contains(path)) return;
    const auto seen = std::find(way.begin(), way.end(), path);
    if (seen != way.end()) {
      std::string cycle;
      for (auto at = seen; at != way.end(); ++at) cycle += *at + " -> ";
      return report(path, 1, "includes itself in a cycle: " + cycle + path);
    }
    way.push_back(path);
    for (const std::string& next : included_[path]) look_for_cycle(next, way);
    done_.insert(path);
  }

  const std::vector<SourceFile>& files_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, std::vector<std::string>> included_;
  std::set<std::string> done_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> found;
  std::istringstream in{std::string(text)};
  std::string line;
  bool in_comment = false;
  for (int number = 1; std::getline(in, line); ++number) {
    if (in_comment) {
      const std::size_t end = line.find("*/");
      if (end == std::string::npos) continue;
      line.erase(0, end + 2);
      in_comment = false;
    }
    std::istringstream words(line);
    char hash = 0, open = 0;
    std::string directive, rest;
    if (words >> hash && hash == '#' && words >> directive) {
      if (directive.starts_with("include")) {
        rest = line.substr(line.find("include") + 7);
        const std::size_t begin = rest.find_first_of("\"<");
        open = begin == std::string::npos ? '\0' : rest[begin];
        const std::size_t end = open == 0 ? begin : rest.find(open == '<' ? '>' : '"', begin + 1);
        if (end != std::string::npos)
          found.push_back({number, rest.substr(begin + 1, end - begin - 1), open == '"'});
      }
    }
    const std::size_t comment = line.find("/*");
    const std::size_t line_comment = line.find("//");
    in_comment = comment != std::string::npos && comment < line_comment &&
                 line.find("*/", comment) == std::string::npos;
  }
  return found;
}

std::string layer_of(std::string_view path) {
  const Layer* layer = find_layer(path);
  return layer == nullptr ? "" : std::string(layer->folder);
}

bool layer_may_include(std::string_view layer, std::string_view other) {
  if (layer == other) return true;
  for (const Layer& each : layers()) {
    if (each.folder != layer) continue;
    return std::ranges::any_of(each.may_include, [&](std::string_view entry) {
      return entry == other || (entry.ends_with(".h") && layer_of(entry) == other);
    });
  }
  return false;
}

std::vector<std::string> layers_with_a_target() {
  std::vector<std::string> folders;
  for (const Layer& layer : layers()) {
    if (layer.folder != "gui") folders.emplace_back(layer.folder);
  }
  return folders;
}

std::vector<std::string> layers_in_a_cycle() {
  std::set<std::string_view> done;
  for (bool more = true; std::exchange(more, false);) {
    for (const Layer& layer : layers()) {
      const bool ready =
          std::all_of(layer.may_include.begin(), layer.may_include.end(),
                      [&](std::string_view other) { return other.ends_with(".h") || done.contains(other); });
      if (ready && done.insert(layer.folder).second) more = true;
    }
  }
  std::vector<std::string> left;
  for (const Layer& layer : layers()) {
    if (!done.contains(layer.folder)) left.emplace_back(layer.folder);
  }
  return left;
}

std::vector<std::string> broken_rules(const std::vector<SourceFile>& files) { return Checker(files).check(); }

std::vector<std::string> sources_in_no_list(const std::vector<SourceFile>& files,
                                            const std::vector<SourceFile>& lists) {
  std::set<std::string> listed;
  for (const SourceFile& list : lists) {
    const std::size_t slash = list.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : list.path.substr(0, slash + 1);
    std::string text;
    std::istringstream lines(list.text);
    for (std::string line; std::getline(lines, line);) text += line.substr(0, line.find('#')) + '\n';
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '(' || c == ')' || c == '"' || c == ';'; }, ' ');
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word.ends_with(".cpp") || word.ends_with(".cu"))
        listed.insert(std::filesystem::path(folder + word).lexically_normal().generic_string());
    }
  }
  std::vector<std::string> missing;
  for (const SourceFile& file : files) {
    const bool source = file.path.ends_with(".cpp") || file.path.ends_with(".cu");
    if (source && !listed.contains(file.path)) missing.push_back(file.path);
  }
  return missing;
}

}  // namespace runahead::testing
