// The tracks that a Perfetto trace names: by uuid, by process and thread, by the id of an asynchronous event.
// Descriptors may come after what refers to them, several may describe one thread, and facts add up.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/trace/rows/track.h"

namespace runahead::importers::perfetto {
using namespace trace;

enum class NodeId : std::uint32_t {};

// Groups of tracks that are of the machine and not of one process, in the order in which they stand above
// the processes; the last stands below.
enum class SystemGroup : std::uint8_t {
  kScheduling,        // a track for each cpu: what ran on it
  kInterrupts,        // a track for each cpu: interrupts and deferred ones
  kCpu,               // counters of each cpu: frequency, idle state, times
  kMemory,            // counters of the machine's memory
  kSystem,            // its other counters
  kUnknownProcesses,  // threads whose process the file does not tell
};

struct TrackNode {
  enum class Kind : std::uint8_t { kPlain, kThread, kProcess, kCounter, kAsync };
  Kind kind = Kind::kPlain;
  bool described = false;
  std::optional<std::uint64_t> parent_uuid;  // as the descriptor says
  std::optional<NodeId> above;               // where no descriptor says it: a process or a system group
  std::int64_t pid = 0, tid = 0;
  std::string name, description;
  std::int32_t child_ordering = 0, rank = 0, merge = 0;
  std::string merge_key;
  Unit unit = Unit::kNone;
  std::int64_t multiplier = 1;
  bool incremental = false;
  std::int32_t place = 0;             // among siblings, before all else
  std::optional<TrackKind> shown_as;  // where the kind of node does not tell
};

// Ranks within a group: those of a cpu side by side.
[[nodiscard]] constexpr std::int32_t cpu_rank(std::uint32_t cpu, std::int32_t within) {
  constexpr std::int32_t kPerCpu = 16;
  return static_cast<std::int32_t>(cpu & 0xffffffu) * kPerCpu + within;
}

// A thread's name or a process's, where the file has none on its track.
using NameOf = std::function<std::string(std::int64_t)>;

class TrackBook {
 public:
  // Each is made where it is new.
  NodeId by_uuid(std::uint64_t uuid);
  NodeId thread(std::int64_t pid, std::int64_t tid);
  NodeId process(std::int64_t pid);
  // Of the events of one id within a scope, which may begin on one thread and end on another. It lies in the
  // process that told of it first and is called as it was then; pid 0: no process.
  NodeId async(std::int64_t pid, std::string_view scope, std::uint64_t id, std::string_view name);
  // A counter known by its name alone; pid 0: no process.
  NodeId named_counter(std::int64_t pid, std::string_view name, Unit unit = Unit::kNone);
  // A track of the machine, known by its group and name. Ranks order those of a group.
  NodeId system_track(SystemGroup group, std::string_view name, std::int32_t rank);
  NodeId system_counter(SystemGroup group, std::string_view name, Unit unit, std::int32_t rank);
  // The GPU's memory that a process has; pid 0: all of them together.
  NodeId gpu_memory(std::int64_t pid);

  // A thread whose process is not known yet; each call makes another one. Later it becomes a thread of a
  // process, or one of an unknown process for good.
  NodeId pending_thread();
  void set_process(NodeId pending, std::int64_t pid, std::int64_t tid);
  void set_process_unknown(NodeId pending, std::int64_t tid);
  // The process of each thread that has been told with one, by the number of the thread alone; of numbers
  // that several processes have, 0.
  [[nodiscard]] std::unordered_map<std::int64_t, std::int64_t> processes_of_threads() const;
  // Names for threads (by tid) and processes (by pid) that have none so far.
  void name_nameless(const NameOf& thread, const NameOf& process);

  // A TrackDescriptor; a ProcessDescriptor or ThreadDescriptor, alone or within one. False: damaged.
  bool describe(std::string_view descriptor);
  bool describe_process(std::string_view descriptor);
  // The reference time of its sequence, if it has one, goes to `reference_us`.
  bool describe_thread(std::string_view descriptor, std::optional<NodeId>& out,
                       std::optional<std::int64_t>& reference_us);

  // What two ids of one track have in common.
  [[nodiscard]] NodeId same(NodeId id) const {
    const NodeId to = forward_[static_cast<std::size_t>(id)];
    return to == id ? id : forward_[static_cast<std::size_t>(to)];
  }
  [[nodiscard]] const TrackNode& node(NodeId id) const { return nodes_[static_cast<std::size_t>(same(id))]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // The track above, by descriptor or by process; nullopt at the top.
  [[nodiscard]] std::optional<NodeId> parent(NodeId id) const;
  // Whether the file is one of our own exports, as its root says, and what that says.
  [[nodiscard]] bool is_own() const { return !own_words_.empty(); }
  [[nodiscard]] const std::string& own_words() const { return own_words_; }
  [[nodiscard]] bool is_own_root(NodeId id) const { return own_root_ && same(*own_root_) == same(id); }

 private:
  NodeId add(TrackNode node);
  TrackNode& at(NodeId id) { return nodes_[static_cast<std::size_t>(same(id))]; }
  void make_same(std::uint64_t uuid, NodeId id);
  NodeId system_group(SystemGroup group);
  NodeId add_to_group(SystemGroup group, std::string_view name, TrackNode node);

  std::vector<TrackNode> nodes_;
  std::vector<NodeId> forward_;  // by node: itself, or a thread or process, which are never forwarded
  std::unordered_map<std::uint64_t, NodeId> uuids_;
  std::map<std::pair<std::int64_t, std::int64_t>, NodeId> threads_;
  std::map<std::int64_t, NodeId> processes_;
  std::map<std::pair<std::string, std::uint64_t>, NodeId> async_;
  std::map<std::pair<std::int64_t, std::string>, NodeId> counters_;
  std::map<SystemGroup, NodeId> groups_;
  std::map<std::pair<SystemGroup, std::string>, NodeId> system_;
  std::optional<NodeId> own_root_;
  std::string own_words_;
};

}  // namespace runahead::importers::perfetto
