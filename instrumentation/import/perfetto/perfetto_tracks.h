// The tracks that a Perfetto trace refers to: by uuid, by process and thread, or by the id of an asynchronous
// event. A descriptor may come after the first use of its track. Several descriptors may describe one thread;
// the fields of these descriptors are merged.
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

// Groups of tracks that belong to the machine, not to a process. All groups except the last are shown above
// the processes, in this order. The last group is shown below the processes.
enum class SystemGroup : std::uint8_t {
  kScheduling,        // a track for each cpu: the threads that ran on it
  kInterrupts,        // a track for each cpu: interrupts and softirqs
  kCpu,               // counters of each cpu: frequency, idle state, times
  kMemory,            // counters of the machine's memory
  kSystem,            // other counters of the machine
  kUnknownProcesses,  // threads whose process is not in the file
};

struct TrackNode {
  enum class Kind : std::uint8_t { kPlain, kThread, kProcess, kCounter, kAsync };
  Kind kind = Kind::kPlain;
  bool described = false;
  std::optional<std::uint64_t> parent_uuid;  // the parent that the descriptor states
  std::optional<NodeId> above;               // the parent of a track without a descriptor: a process or a
                                             // system group
  std::int64_t pid = 0, tid = 0;
  std::string name, description;
  std::int32_t child_ordering = 0, rank = 0, merge = 0;
  std::string merge_key;
  Unit unit = Unit::kNone;
  std::int64_t multiplier = 1;
  bool incremental = false;
  std::int32_t place = 0;             // first sort key among siblings; then rank, then name
  std::optional<TrackKind> shown_as;  // if set: the kind of the shown track; otherwise `kind` decides
};

// The rank of a cpu's track within its group. All tracks of one cpu are neighbours, ordered by `within`.
[[nodiscard]] constexpr std::int32_t cpu_rank(std::uint32_t cpu, std::int32_t within) {
  constexpr std::int32_t kPerCpu = 16;
  return static_cast<std::int32_t>(cpu & 0xffffffu) * kPerCpu + within;
}

// Returns the name of a thread (by tid) or process (by pid) whose track has no name in the file.
using NameOf = std::function<std::string(std::int64_t)>;

class TrackBook {
 public:
  // Each of these functions returns the existing node of a track, or makes a new node.
  NodeId by_uuid(std::uint64_t uuid);
  NodeId thread(std::int64_t pid, std::int64_t tid);
  NodeId process(std::int64_t pid);
  // The track of the asynchronous events that have this id within this scope. An asynchronous event may begin
  // on one thread and end on another. The track belongs to the process that used it first, and has the name
  // of its first event. pid 0: no process.
  NodeId async(std::int64_t pid, std::string_view scope, std::uint64_t id, std::string_view name);
  // A counter identified only by its name. pid 0: no process.
  NodeId named_counter(std::int64_t pid, std::string_view name, Unit unit = Unit::kNone);
  // A track of the machine, identified by its group and name. The rank orders the tracks of a group.
  NodeId system_track(SystemGroup group, std::string_view name, std::int32_t rank);
  NodeId system_counter(SystemGroup group, std::string_view name, Unit unit, std::int32_t rank);
  // The counter of a process's GPU memory. pid 0: the total of all processes.
  NodeId gpu_memory(std::int64_t pid);

  // A thread whose process is not known yet. Each call makes a new node. Later the node becomes a thread of a
  // process, or stays a thread of an unknown process.
  NodeId pending_thread();
  void set_process(NodeId pending, std::int64_t pid, std::int64_t tid);
  void set_process_unknown(NodeId pending, std::int64_t tid);
  // Returns a map from thread number to process number. The map contains the threads whose process the file
  // states. The value is 0 if several processes have a thread with this number.
  [[nodiscard]] std::unordered_map<std::int64_t, std::int64_t> processes_of_threads() const;
  // Gives names to the nodes without a name: `thread` returns the name of a thread, `process` of a process.
  void name_nameless(const NameOf& thread, const NameOf& process);

  // These three functions read a TrackDescriptor, ProcessDescriptor or ThreadDescriptor. A ProcessDescriptor
  // or ThreadDescriptor comes alone in a packet, or inside a TrackDescriptor. False: the descriptor is
  // damaged.
  bool describe(std::string_view descriptor);
  bool describe_process(std::string_view descriptor);
  // Events of a packet sequence may state their times relative to a reference time. If the descriptor states
  // the reference time, describe_thread() stores the time in `reference_us`.
  bool describe_thread(std::string_view descriptor, std::optional<NodeId>& out,
                       std::optional<std::int64_t>& reference_us);

  // Several ids may stand for one track. Returns the one id under which the track's data is stored.
  [[nodiscard]] NodeId same(NodeId id) const {
    const NodeId to = forward_[static_cast<std::size_t>(id)];
    return to == id ? id : forward_[static_cast<std::size_t>(to)];
  }
  [[nodiscard]] const TrackNode& node(NodeId id) const { return nodes_[static_cast<std::size_t>(same(id))]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // The parent of a track: from its descriptor, or its process or system group. nullopt: there is no parent.
  [[nodiscard]] std::optional<NodeId> parent(NodeId id) const;
  // is_own() is true if our own exporter wrote the file. Our exporter writes a description for the root
  // track; own_words() returns this description.
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
  // for each node: the node that replaces it, or the node itself. Only the node of a thread or process can
  // replace another node. The node of a thread or process is never replaced.
  std::vector<NodeId> forward_;
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
