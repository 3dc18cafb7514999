#include "instrumentation/import/sqlite/rocpd_process.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace runahead::importers {
using namespace trace;
namespace {

// The columns that open_rows() reads, by their index.
enum InfoEventColumn : std::size_t {
  kInfoCategory,
  kInfoStack,
  kInfoParentStack,
  kInfoExternal,
  kInfoExtraData
};
enum InfoKernelColumn : std::size_t { kInfoDisplayName, kInfoKernelName, kInfoRegisters };
enum InfoTrackColumn : std::size_t { kInfoPid, kInfoTid, kInfoAgent, kInfoQueue, kInfoStream, kInfoName };

std::string labelled(std::string text, std::string_view name) {
  return name.empty() ? text : text + " (" + std::string(name) + ")";
}

// "/usr/bin/python3 train.py" -> "python3"
std::string program_of(std::string_view command) {
  return std::filesystem::path(command.substr(0, command.find(' '))).filename().string();
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

// Reads the four hexadecimal digits at `at`. nullopt: there are none.
std::optional<std::uint32_t> code_unit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  std::uint32_t out = 0;
  for (const char c : text.substr(at, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    out = out << 4 | static_cast<std::uint32_t>(digit);
  }
  return out;
}

// Appends the character of the escape \uXXXX whose digits begin at `at`. Returns the offset behind it.
std::size_t append_code(std::string_view text, std::size_t at, std::string& out) {
  constexpr std::uint32_t kReplacement = 0xfffd;
  const std::uint32_t first = code_unit(text, at).value_or(kReplacement);
  at += 4;
  const bool is_half = first >= 0xd800 && first < 0xe000;
  if (!is_half) {
    append_utf8(out, first);
    return at;
  }
  const bool follows = text.substr(std::min(at, text.size())).starts_with("\\u");
  const std::uint32_t second = follows ? code_unit(text, at + 2).value_or(0) : 0;
  const bool is_pair = first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
  append_utf8(out, is_pair ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) : kReplacement);
  return is_pair ? at + 6 : at;
}

}  // namespace

std::string json_message(std::string_view object) {
  constexpr std::string_view kKey = "\"message\"";
  std::size_t at = object.find(kKey);
  if (at == std::string_view::npos) return "";
  at = object.find_first_not_of(" \t\r\n:", at + kKey.size());
  if (at == std::string_view::npos || object[at] != '"') return "";
  std::string out;
  for (++at; at < object.size() && object[at] != '"';) {
    if (object[at] != '\\' || at + 1 == object.size()) {
      out += object[at++];
      continue;
    }
    const char c = object[at + 1];
    at += 2;
    constexpr std::string_view kLetters = "nrtbf", kMeanings = "\n\r\t\b\f";
    const std::size_t letter = kLetters.find(c);
    if (c == 'u') {
      at = append_code(object, at, out);
    } else {
      out += letter == std::string_view::npos ? c : kMeanings[letter];
    }
  }
  return out;
}

// ---- the tables -------------------------------------------------------------------------------------------

RocpdProcess::RocpdProcess(SqliteDatabase& database, std::string suffix, ImportNames& names)
    : database_(database),
      suffix_(std::move(suffix)),
      names_(names),
      strings_(database, table("rocpd_string"), "id", "string", names),
      categories_(database, table("rocpd_info_category"), "id", "name", names) {
  read_metadata();
  read_processes();
  read_threads();
  read_agents();
  read_counters();
  open_rows();
}

const SqliteTable* RocpdProcess::table(std::string_view name) const {
  return database_.table(std::string(name) + suffix_);
}

std::optional<TimeColumns> RocpdProcess::times_of(const SqliteTable& table) const {
  if (table.has("start")) return TimeColumns{};
  if (table.has("timestamp")) return TimeColumns{.start = "timestamp", .end = ""};
  if (!times_) return std::nullopt;
  if (table.has("start_id")) return TimeColumns{.start = "start_id", .end = "end_id", .times = &*times_};
  if (table.has("timestamp_id")) return TimeColumns{.start = "timestamp_id", .end = "", .times = &*times_};
  return std::nullopt;
}

void RocpdProcess::read_metadata() {
  if (const SqliteTable* const found = table("rocpd_metadata")) {
    SqliteStatement rows = database_.select(*found, {"tag", "value"});
    while (rows.step()) {
      if (rows.text(0) == "schema_version") schema_ = rows.text(1);
    }
  }
  if (const SqliteTable* const found = table("rocpd_info_node")) {
    SqliteStatement rows = database_.select(*found, {"hostname"}, "LIMIT 1");
    if (rows.step()) host_ = rows.text(0);
  }
}

void RocpdProcess::read_processes() {
  const SqliteTable* const found = table("rocpd_info_process");
  if (found == nullptr) return;
  SqliteStatement rows = database_.select(*found, {"id", "pid", "name", "command"});
  while (rows.step()) {
    const auto id = rows.integer(0), pid = rows.integer(1);
    if (!id || !pid) continue;
    pids_[*id] = *pid;
    process_names_[*pid] = rows.text(2).empty() ? program_of(rows.text(3)) : std::string(rows.text(2));
  }
}

void RocpdProcess::read_threads() {
  const SqliteTable* const found = table("rocpd_info_thread");
  if (found == nullptr) return;
  SqliteStatement rows = database_.select(*found, {"id", "tid", "name"});
  while (rows.step()) {
    const auto id = rows.integer(0), tid = rows.integer(1);
    if (!id || !tid) continue;
    tids_[*id] = *tid;
    thread_names_[*tid] = rows.text(2);
  }
}

void RocpdProcess::read_agents() {
  const SqliteTable* const found = table("rocpd_info_agent");
  if (found == nullptr) return;
  SqliteStatement rows = database_.select(*found, {"id", "nid", "type", "type_index", "logical_index",
                                                   "absolute_index", "product_name", "model_name", "name"});
  while (rows.step()) {
    const auto id = rows.integer(0);
    if (!id) continue;
    RocpdAgent agent{.node = rows.integer(1).value_or(0), .number = *id, .is_gpu = rows.text(2) != "CPU"};
    for (const int column : {5, 4, 3}) agent.number = rows.integer(column).value_or(agent.number);
    for (const int column : {6, 7, 8}) {
      if (agent.name.empty()) agent.name = rows.text(column);
    }
    agents_[*id] = std::move(agent);
  }
}

void RocpdProcess::read_counters() {
  if (const SqliteTable* const found = table("rocpd_pmc_event"))
    values_ = EventValues(database_, *found, "event_id", "pmc_id", "value");
  const SqliteTable* const found = table("rocpd_info_pmc");
  if (found == nullptr) return;
  SqliteStatement rows = database_.select(*found, {"id", "symbol", "name", "agent_id"});
  while (rows.step()) {
    if (const auto id = rows.integer(0))
      counters_[*id] = {std::string(rows.text(1).empty() ? rows.text(2) : rows.text(1)), rows.integer(3)};
  }
}

void RocpdProcess::open_rows() {
  if (const SqliteTable* const found = table("rocpd_event")) {
    has_events_ = true;
    events_ = KeyedRows(database_, *found, "id",
                        {"category_id", "stack_id", "parent_stack_id", "correlation_id", "extdata"});
  }
  if (const SqliteTable* const found = table("rocpd_info_kernel_symbol")) {
    has_kernels_ = true;
    kernels_ = KeyedRows(database_, *found, "id", {"display_name", "kernel_name", "arch_vgpr_count"});
  }
  if (const SqliteTable* const found = table("rocpd_track")) {
    has_tracks_ = true;
    tracks_ =
        KeyedRows(database_, *found, "id", {"pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"});
  }
  if (const SqliteTable* const found = table("rocpd_timestamp"))
    times_.emplace(database_, *found, "id", "value");
}

std::vector<std::string> RocpdProcess::damaged() const {
  std::vector<std::string> out;
  if (times_ && times_->damaged()) out.push_back("rocpd_timestamp" + suffix_);
  if (values_.damaged()) out.push_back("rocpd_pmc_event" + suffix_);
  if (has_events_ && events_.failed()) out.push_back("rocpd_event" + suffix_);
  return out;
}

// ---- rows by their ids ------------------------------------------------------------------------------------

bool RocpdProcess::is_marker(std::int64_t category) {
  const auto [known, is_new] = markers_.try_emplace(category);
  if (!is_new) return known;
  const bool apart = table("rocpd_info_category") != nullptr;
  std::string name(names_.text(apart ? categories_.find(category) : strings_.find(category)));
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 0x20 : c; });
  known = name.find("marker") != std::string::npos || name.find("roctx") != std::string::npos;
  return known;
}

RocpdEvent RocpdProcess::event(std::optional<std::int64_t> id) {
  RocpdEvent out;
  if (!id || !has_events_) return out;
  if (!events_.find(*id)) {
    ++undefined_;
    return out;
  }
  out.stack = events_.integer_or(kInfoStack, 0);
  out.parent_stack = events_.integer_or(kInfoParentStack, 0);
  out.external = events_.integer_or(kInfoExternal, 0);
  const auto category = events_.integer(kInfoCategory);
  out.is_marker = category && is_marker(*category);
  if (out.is_marker) out.message = names_.intern(json_message(events_.text(kInfoExtraData)));
  return out;
}

RocpdKernel RocpdProcess::kernel(std::optional<std::int64_t> id) {
  if (!id || !has_kernels_) return {};
  const auto [kernel, is_new] = known_kernels_.try_emplace(*id);
  if (is_new && kernels_.find(*id)) {
    const std::string_view shown = kernels_.text(kInfoDisplayName);
    kernel = {names_.intern(shown.empty() ? kernels_.text(kInfoKernelName) : shown),
              kernels_.integer(kInfoRegisters)};
  }
  if (kernel.name == kEmptyString) ++undefined_;
  return kernel;
}

RocpdPlace RocpdProcess::track(std::optional<std::int64_t> id) {
  if (!id || !has_tracks_) return {};
  const auto [place, is_new] = known_tracks_.try_emplace(*id);
  if (is_new && tracks_.find(*id)) {
    place = {tracks_.integer(kInfoPid),   tracks_.integer(kInfoTid),    tracks_.integer(kInfoAgent),
             tracks_.integer(kInfoQueue), tracks_.integer(kInfoStream), tracks_.integer(kInfoName)};
  } else if (is_new) {
    ++undefined_;
  }
  return place;
}

std::string RocpdProcess::counter_name(std::int64_t id) const {
  const auto found = counters_.find(id);
  return found == counters_.end() || found->second.name.empty() ? "counter " + std::to_string(id)
                                                                : found->second.name;
}

std::optional<std::int64_t> RocpdProcess::counter_agent(std::int64_t id) const {
  const auto found = counters_.find(id);
  return found == counters_.end() ? std::nullopt : found->second.agent;
}

std::int64_t RocpdProcess::pid(std::int64_t id) const {
  const auto found = pids_.find(id);
  return found == pids_.end() ? id : found->second;
}

std::int64_t RocpdProcess::tid(std::int64_t id) const {
  const auto found = tids_.find(id);
  return found == tids_.end() ? id : found->second;
}

std::string RocpdProcess::process_name(std::int64_t pid) const {
  const auto found = process_names_.find(pid);
  return found == process_names_.end() ? "" : found->second;
}

std::string RocpdProcess::thread_name(std::int64_t tid) const {
  const auto found = thread_names_.find(tid);
  return found == thread_names_.end() ? "" : found->second;
}

const RocpdAgent* RocpdProcess::agent(std::int64_t id) const {
  const auto found = agents_.find(id);
  return found == agents_.end() ? nullptr : &found->second;
}

// ---- names ------------------------------------------------------------------------------------------------

std::int64_t RocpdNames::process_key(std::size_t process, std::int64_t pid) {
  const auto [key, is_new] =
      process_keys_.try_emplace({process, pid}, static_cast<std::int64_t>(keyed_processes_.size()));
  if (is_new) keyed_processes_.push_back({process, pid});
  return key->second;
}

void RocpdNames::add_devices() {
  using Place = std::tuple<bool, std::int64_t, std::int64_t, std::size_t, std::int64_t>;
  std::vector<Place> agents;
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    for (const auto& [id, agent] : processes_[process]->agents())
      agents.push_back({!agent.is_gpu, agent.node, agent.number, process, id});
  }
  std::ranges::sort(agents);
  for (const Place& agent : agents) (void)device_key(std::get<3>(agent), std::get<4>(agent));
}

// The same device of several processes has one key.
std::int64_t RocpdNames::device_key(std::size_t process, std::optional<std::int64_t> id) {
  const auto [key, is_new] = agent_keys_.try_emplace({process, id.value_or(-1)});
  if (!is_new) return key->second;
  const RocpdAgent* const agent = id ? processes_[process]->agent(*id) : nullptr;
  const RocpdAgent known = agent != nullptr ? *agent : RocpdAgent{.number = id.value_or(0)};
  const auto [device, is_first] = device_keys_.try_emplace({known.node, known.is_gpu, known.number},
                                                           static_cast<std::int64_t>(keyed_devices_.size()));
  if (is_first)
    keyed_devices_.push_back({known.number, known.is_gpu, known.name, processes_[process]->host()});
  return key->second = device->second;
}

std::int64_t RocpdNames::device_number(std::int64_t device) const {
  return keyed_devices_[static_cast<std::size_t>(device)].number;
}

bool RocpdNames::is_gpu(std::int64_t device) const {
  return keyed_devices_[static_cast<std::size_t>(device)].is_gpu;
}

std::int64_t RocpdNames::pid(std::int64_t process) const {
  return keyed_processes_[static_cast<std::size_t>(process)].pid;
}

std::string RocpdNames::process(std::int64_t process) const {
  const KeyedProcess& keyed = keyed_processes_[static_cast<std::size_t>(process)];
  const std::string name = processes_[keyed.process]->process_name(keyed.pid);
  const std::string number = std::to_string(keyed.pid);
  const std::string label = name.empty() ? "process " + number : labelled(name, number);
  return has_several_hosts() ? label + " on " + processes_[keyed.process]->host() : label;
}

std::string RocpdNames::thread(std::int64_t process, std::int64_t tid) const {
  const KeyedProcess& keyed = keyed_processes_[static_cast<std::size_t>(process)];
  return labelled("thread " + std::to_string(tid), processes_[keyed.process]->thread_name(tid));
}

std::string RocpdNames::device(std::int64_t device) const {
  const KeyedDevice& keyed = keyed_devices_[static_cast<std::size_t>(device)];
  const std::string label = labelled(short_device(device), keyed.name);
  return has_several_hosts() ? label + " on " + keyed.host : label;
}

std::string RocpdNames::short_device(std::int64_t device) const {
  return (is_gpu(device) ? "gpu " : "cpu ") + std::to_string(device_number(device));
}

std::string RocpdNames::stream(const DeviceStream& stream) const {
  return (stream.context == kQueueContext ? "queue " : "stream ") + std::to_string(stream.stream);
}

std::string RocpdNames::memory_kind(std::int64_t kind) const {
  return kind == kScratchMemory ? "scratch" : kind == kVirtualMemory ? "virtual" : "";
}

bool RocpdNames::has_several_hosts() const {
  return std::ranges::any_of(processes_,
                             [&](const auto& process) { return process->host() != processes_[0]->host(); });
}

}  // namespace runahead::importers
