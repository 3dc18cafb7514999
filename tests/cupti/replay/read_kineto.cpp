#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/cupti/replay/profile.h"

namespace runahead::testing {
namespace {

using nlohmann::json;

Result<std::string> unpacked(const std::filesystem::path& path) {
  const gzFile file = ::gzopen(path.c_str(), "rb");  // reads a plain file too
  if (file == nullptr) return Error{path.string() + " cannot be opened"};
  std::string text;
  std::string piece(1 << 20, '\0');
  int got = 0;
  while ((got = ::gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0)
    text.append(piece, 0, static_cast<std::size_t>(got));
  ::gzclose(file);
  if (got < 0) return Error{path.string() + " is damaged"};
  return text;
}

// A time in ns. A double is exact here: the times of the files with fractions are small enough.
std::int64_t ns_of(const json& microseconds) {
  if (microseconds.is_number_integer()) return microseconds.get<std::int64_t>() * 1000;
  return std::llround(static_cast<long double>(microseconds.get<double>()) * 1000.0L);
}

std::int64_t integer_of(const json& object, const char* key, std::int64_t otherwise = 0) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (found->is_number()) return found->get<std::int64_t>();
  if (found->is_string()) return std::strtoll(found->get_ref<const std::string&>().c_str(), nullptr, 0);
  return otherwise;
}
std::uint32_t word_of(const json& object, const char* key, std::int64_t otherwise = 0) {
  return static_cast<std::uint32_t>(integer_of(object, key, otherwise));
}

std::uint32_t memory_of_word(std::string_view word) {
  static constexpr std::string_view kWords[] = {"Unknown", "Pageable", "Pinned",
                                                "Device",  "Array",    "Managed"};
  const auto* const found = std::find(std::begin(kWords), std::end(kWords), word);
  return found != std::end(kWords) ? static_cast<std::uint32_t>(found - std::begin(kWords)) : 0;
}

// Reads "Memcpy HtoD (Pageable -> Device)" and "Memset (Device)".
void read_memory_kinds(const std::string& name, ProfiledWork& work) {
  static const std::map<std::string_view, std::uint32_t> kCopies{
      {"HtoD", 1}, {"DtoH", 2}, {"DtoD", 8}, {"HtoH", 9}, {"PtoP", 10}};
  for (const auto& [word, kind] : kCopies) {
    if (name.find(word) != name.npos) work.copy_kind = kind;
  }
  const std::size_t open = name.find('('), close = name.find(')'), arrow = name.find(" -> ");
  if (open == name.npos || close == name.npos) return;
  if (arrow != name.npos) work.from = memory_of_word(name.substr(open + 1, arrow - open - 1));
  const std::size_t to = arrow != name.npos ? arrow + 4 : open + 1;
  work.to = memory_of_word(name.substr(to, close - to));
}

class KinetoFile {
 public:
  void take(const json& event) {
    const std::string phase = event.value("ph", ""), category = event.value("cat", "");
    if (phase == "i" && event.value("name", "") == "[memory]") return take_memory(event);
    if (phase != "X") return;
    const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
      return std::find(words.begin(), words.end(), category) != words.end();
    };
    if (is_one_of({"kernel", "Kernel"})) take_work(event, WorkKind::kKernel);
    if (is_one_of({"gpu_memcpy", "Memcpy"})) take_work(event, WorkKind::kCopy);
    if (is_one_of({"gpu_memset", "Memset"})) take_work(event, WorkKind::kMemset);
    if (is_one_of({"cuda_runtime", "cuda_driver", "Runtime"})) take_call(event);
    if (is_one_of({"cuda_sync"})) take_wait(event);
    if (is_one_of({"user_annotation", "cpu_op"})) take_range(event);
  }
  Profile profile;

 private:
  template <typename Row>
  static void read_times(const json& event, Row& row) {
    row.begin = ns_of(event.at("ts"));
    row.end = row.begin + ns_of(event.at("dur"));
  }
  static const json& args_of(const json& event) {
    static const json kEmpty = json::object();
    const auto found = event.find("args");
    return found != event.end() ? *found : kEmpty;
  }

  void take_work(const json& event, WorkKind kind) {
    const json& args = args_of(event);
    ProfiledWork work{.kind = kind};
    read_times(event, work);
    work.device = word_of(args, "device");
    work.context = word_of(args, "context", 1);
    work.stream = word_of(args, "stream");
    work.correlation = word_of(args, "correlation");
    work.graph = word_of(args, "graph id");
    work.graph_node = static_cast<std::uint64_t>(integer_of(args, "graph node id"));
    work.name = work.shown = event.at("name");
    work.registers = word_of(args, "registers per thread");
    work.static_shared = static_cast<std::int32_t>(integer_of(args, "shared memory"));
    work.bytes = static_cast<std::uint64_t>(integer_of(args, "bytes"));
    if (args.contains("grid")) work.grid = args.at("grid").get<std::array<std::int32_t, 3>>();
    if (args.contains("block")) work.block = args.at("block").get<std::array<std::int32_t, 3>>();
    if (kind != WorkKind::kKernel) read_memory_kinds(work.name, work);
    profile.work.push_back(std::move(work));
  }
  void take_call(const json& event) {
    const json& args = args_of(event);
    ProfiledCall call;
    read_times(event, call);
    call.tid = word_of(event, "tid");
    call.correlation = word_of(args, "correlation");
    call.cbid = word_of(args, "cbid");
    call.name = event.at("name");
    if (profile.pid == 0) profile.pid = integer_of(event, "pid");
    profile.calls.push_back(std::move(call));
  }
  void take_wait(const json& event) {
    static const std::map<std::string, std::uint32_t> kTypes{
        {"Event Sync", 1}, {"Stream Wait Event", 2}, {"Stream Sync", 3}, {"Context Sync", 4}};
    const json& args = args_of(event);
    ProfiledWait wait;
    read_times(event, wait);
    const auto type = kTypes.find(event.at("name"));
    wait.type = type != kTypes.end() ? type->second : 0;
    wait.context = word_of(args, "context", 1);
    wait.stream = word_of(args, "stream", -1);
    wait.event = word_of(args, "wait_on_cuda_event_id", -1);
    wait.correlation = word_of(args, "correlation");
    profile.waits.push_back(wait);
  }
  void take_range(const json& event) {
    ProfiledRange range;
    read_times(event, range);
    range.tid = word_of(event, "tid");
    range.text = event.at("name");
    profile.ranges.push_back(std::move(range));
  }
  void take_memory(const json& event) {
    const json& args = args_of(event);
    if (integer_of(args, "Device Type") != 1) return;  // 1: a GPU
    profile.memory.push_back({.at = ns_of(event.at("ts")),
                              .device = word_of(args, "Device Id"),
                              .tid = word_of(event, "tid"),
                              .bytes = integer_of(args, "Bytes")});
  }
};

}  // namespace

Result<std::vector<Profile>> read_kineto(const std::filesystem::path& path) {
  const Result<std::string> text = unpacked(path);
  if (!text) return text.error();
  const json file = json::parse(*text, nullptr, false);
  if (!file.is_object() || !file.contains("traceEvents"))
    return Error{path.string() + " is not a trace of PyTorch's profiler"};
  KinetoFile kineto;
  for (const json& event : file.at("traceEvents")) kineto.take(event);
  std::vector<Profile> profiles;
  if (!kineto.profile.work.empty() || !kineto.profile.calls.empty())
    profiles.push_back(std::move(kineto.profile));
  begin_at_zero(profiles);
  return profiles;
}

}  // namespace runahead::testing
