#include "instrumentation/import/perfetto/perfetto_tracks.h"

#include <array>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/import/common/protobuf.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;
namespace {

Unit unit_of_code(std::int32_t code) {
  switch (code) {
    case counter::kNanoseconds:
      return Unit::kNanoseconds;
    case counter::kCount:
      return Unit::kCount;
    case counter::kBytes:
      return Unit::kBytes;
    default:
      return Unit::kNone;
  }
}

bool read_counter(std::string_view message, TrackNode& out) {
  std::int32_t type = 0;
  const bool whole = each_field(message, [&](const Field& field) {
    switch (field.number) {
      case counter::kType:
        type = field.int32();
        break;
      case counter::kUnit:
        out.unit = unit_of_code(field.int32());
        break;
      case counter::kUnitMultiplier:
        out.multiplier = field.integer();
        break;
      case counter::kIsIncremental:
        out.incremental = field.bits != 0;
        break;
      case counter::kUnitName:
        if (field.bytes == "/s") out.unit = Unit::kPerSecond;
        if (field.bytes == "bytes/s") out.unit = Unit::kBytesPerSecond;
        if (field.bytes == "ratio") out.unit = Unit::kRatio;
        break;
      default:
        break;
    }
  });
  if (type == counter::kThreadTime) {
    out.unit = Unit::kNanoseconds;
    if (out.name.empty()) out.name = "CPU time";
  } else if (type == counter::kThreadInstructions) {
    out.unit = Unit::kCount;
    if (out.name.empty()) out.name = "instructions";
  }
  return whole;
}

}  // namespace

NodeId TrackBook::add(TrackNode node) {
  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.push_back(std::move(node));
  forward_.push_back(id);
  return id;
}

NodeId TrackBook::by_uuid(std::uint64_t uuid) {
  if (const auto found = uuids_.find(uuid); found != uuids_.end()) return same(found->second);
  return uuids_.emplace(uuid, add({})).first->second;
}

NodeId TrackBook::process(std::int64_t pid) {
  if (const auto found = processes_.find(pid); found != processes_.end()) return found->second;
  return processes_.emplace(pid, add({.kind = TrackNode::Kind::kProcess, .pid = pid})).first->second;
}

NodeId TrackBook::thread(std::int64_t pid, std::int64_t tid) {
  if (const auto found = threads_.find({pid, tid}); found != threads_.end()) return found->second;
  const NodeId above = process(pid);
  const NodeId id = add({.kind = TrackNode::Kind::kThread, .above = above, .pid = pid, .tid = tid});
  return threads_.emplace(std::pair(pid, tid), id).first->second;
}

NodeId TrackBook::async(std::int64_t pid, std::string_view scope, std::uint64_t id, std::string_view name) {
  const std::pair key(std::string(scope), id);
  if (const auto found = async_.find(key); found != async_.end()) return found->second;
  TrackNode node{.kind = TrackNode::Kind::kAsync, .pid = pid, .name = std::string(name)};
  if (pid != 0) node.above = process(pid);
  return async_.emplace(key, add(std::move(node))).first->second;
}

NodeId TrackBook::named_counter(std::int64_t pid, std::string_view name, Unit unit) {
  const std::pair key(pid, std::string(name));
  if (const auto found = counters_.find(key); found != counters_.end()) return found->second;
  TrackNode node{.kind = TrackNode::Kind::kCounter, .pid = pid, .name = std::string(name), .unit = unit};
  if (pid != 0) node.above = process(pid);
  return counters_.emplace(key, add(std::move(node))).first->second;
}

// ---- tracks of the machine --------------------------------------------------------------------------------

NodeId TrackBook::system_group(SystemGroup group) {
  if (const auto found = groups_.find(group); found != groups_.end()) return found->second;
  constexpr std::array<std::string_view, 6> kNames{
      "Scheduling", "Interrupts", "CPU", "Memory", "System", "Threads of unknown processes"};
  const auto index = static_cast<std::int32_t>(group);
  TrackNode node{.name = std::string(kNames[static_cast<std::size_t>(index)]),
                 .child_ordering = descriptor::kExplicit};
  node.place = group == SystemGroup::kUnknownProcesses ? 1 : index - static_cast<std::int32_t>(kNames.size());
  return groups_.emplace(group, add(std::move(node))).first->second;
}

NodeId TrackBook::add_to_group(SystemGroup group, std::string_view name, TrackNode node) {
  const std::pair key(group, std::string(name));
  if (const auto found = system_.find(key); found != system_.end()) return found->second;
  node.above = system_group(group);
  node.name = name;
  return system_.emplace(key, add(std::move(node))).first->second;
}

NodeId TrackBook::system_track(SystemGroup group, std::string_view name, std::int32_t rank) {
  // A cpu executes threads, so its scheduling track is shown as a worker. The analysis counts the busy time
  // of workers. The analysis must not count the time of interrupts, so the track of interrupts is shown as a
  // thread.
  const TrackKind kind = group == SystemGroup::kScheduling ? TrackKind::kWorker : TrackKind::kThread;
  return add_to_group(group, name, {.rank = rank, .shown_as = kind});
}

NodeId TrackBook::system_counter(SystemGroup group, std::string_view name, Unit unit, std::int32_t rank) {
  return add_to_group(group, name, {.kind = TrackNode::Kind::kCounter, .rank = rank, .unit = unit});
}

// ---- threads whose process becomes known later ------------------------------------------------------------

NodeId TrackBook::gpu_memory(std::int64_t pid) {
  if (pid != 0) return named_counter(pid, "GPU memory", Unit::kBytes);
  return system_counter(SystemGroup::kMemory, "GPU memory", Unit::kBytes, 0);
}

NodeId TrackBook::pending_thread() { return add({.kind = TrackNode::Kind::kPlain}); }

void TrackBook::set_process(NodeId pending, std::int64_t pid, std::int64_t tid) {
  const NodeId to = thread(pid, tid);
  forward_[static_cast<std::size_t>(pending)] = to;
}

void TrackBook::set_process_unknown(NodeId pending, std::int64_t tid) {
  const NodeId group = system_group(SystemGroup::kUnknownProcesses);
  TrackNode& node = at(pending);
  node.kind = TrackNode::Kind::kThread;
  node.above = group;
  node.tid = tid;
}

std::unordered_map<std::int64_t, std::int64_t> TrackBook::processes_of_threads() const {
  std::unordered_map<std::int64_t, std::int64_t> processes;
  for (const auto& [key, id] : threads_) {
    const auto [found, is_new] = processes.try_emplace(key.second, key.first);
    if (!is_new) found->second = 0;
  }
  return processes;
}

void TrackBook::name_nameless(const NameOf& thread, const NameOf& process) {
  for (TrackNode& node : nodes_) {
    if (!node.name.empty()) continue;
    if (node.kind == TrackNode::Kind::kThread) node.name = thread(node.tid);
    if (node.kind == TrackNode::Kind::kProcess) node.name = process(node.pid);
  }
}

// ---- descriptors ------------------------------------------------------------------------------------------

// A descriptor says that the track `uuid` is the thread or process `id`. If `uuid` already has a node that is
// not a thread or process, the node `id` replaces that node. Then all rows of `uuid` are on the track of
// `id`.
void TrackBook::make_same(std::uint64_t uuid, NodeId id) {
  const auto [found, is_new] = uuids_.try_emplace(uuid, id);
  if (is_new) return;
  const NodeId before = same(found->second);
  const TrackNode::Kind kind = nodes_[static_cast<std::size_t>(before)].kind;
  if (kind != TrackNode::Kind::kThread && kind != TrackNode::Kind::kProcess)
    forward_[static_cast<std::size_t>(before)] = id;
  found->second = id;
}

bool TrackBook::describe_process(std::string_view descriptor) {
  std::int64_t pid = 0;
  std::string_view name;
  const bool whole = each_field(descriptor, [&](const Field& field) {
    if (field.number == process::kPid) pid = field.int32();
    if (field.number == process::kName) name = field.bytes;
  });
  TrackNode& node = at(process(pid));
  node.described = true;
  if (!name.empty()) node.name = name;
  return whole;
}

bool TrackBook::describe_thread(std::string_view descriptor, std::optional<NodeId>& out,
                                std::optional<std::int64_t>& reference_us) {
  std::int64_t pid = 0, tid = 0;
  std::string_view name;
  const bool whole = each_field(descriptor, [&](const Field& field) {
    if (field.number == thread::kPid) pid = field.int32();
    if (field.number == thread::kTid) tid = field.integer();
    if (field.number == thread::kName) name = field.bytes;
    if (field.number == thread::kReferenceTimestampUs) reference_us = field.integer();
  });
  out = thread(pid, tid);
  TrackNode& node = at(*out);
  node.described = true;
  if (!name.empty()) node.name = name;
  return whole;
}

bool TrackBook::describe(std::string_view descriptor) {
  std::uint64_t uuid = 0;
  std::string_view process_bytes, thread_bytes, counter_bytes;
  bool is_process = false, is_thread = false, is_counter = false;
  TrackNode told;
  bool whole = each_field(descriptor, [&](const Field& field) {
    switch (field.number) {
      case descriptor::kUuid:
        uuid = field.bits;
        break;
      case descriptor::kName:
      case descriptor::kStaticName:
      case descriptor::kAtraceName:
        told.name = field.bytes;
        break;
      case descriptor::kProcess:
        is_process = true;
        process_bytes = field.bytes;
        break;
      case descriptor::kThread:
        is_thread = true;
        thread_bytes = field.bytes;
        break;
      case descriptor::kParentUuid:
        told.parent_uuid = field.bits;
        break;
      case descriptor::kCounter:
        is_counter = true;
        counter_bytes = field.bytes;
        break;
      case descriptor::kChildOrdering:
        told.child_ordering = field.int32();
        break;
      case descriptor::kSiblingOrderRank:
        told.rank = field.int32();
        break;
      case descriptor::kDescription:
        told.description = field.bytes;
        break;
      case descriptor::kSiblingMergeBehavior:
        told.merge = field.int32();
        break;
      case descriptor::kSiblingMergeKey:
        told.merge_key = "s" + std::string(field.bytes);
        break;
      case descriptor::kSiblingMergeKeyInt:
        told.merge_key = "i" + std::to_string(field.bits);
        break;
      default:
        break;
    }
  });
  if (is_thread) {
    std::optional<NodeId> found;
    std::optional<std::int64_t> ignored;
    whole = describe_thread(thread_bytes, found, ignored) && whole;
    make_same(uuid, *found);
  } else if (is_process) {
    whole = describe_process(process_bytes) && whole;
    std::int64_t pid = 0;
    each_field(process_bytes, [&](const Field& field) {
      if (field.number == process::kPid) pid = field.int32();
    });
    make_same(uuid, process(pid));
  }
  TrackNode& node = at(by_uuid(uuid));
  node.described = true;
  node.child_ordering = told.child_ordering;
  node.rank = told.rank;
  if (is_thread || is_process) {
    if (node.name.empty()) node.name = told.name;
    return whole;
  }
  if (is_counter) {
    whole = read_counter(counter_bytes, told) && whole;
    told.kind = TrackNode::Kind::kCounter;
  }
  if (node.kind == TrackNode::Kind::kThread || node.kind == TrackNode::Kind::kProcess) return whole;
  told.described = true;
  node = std::move(told);
  if (node.description.starts_with(kRootWords)) {
    own_root_ = by_uuid(uuid);
    own_words_ = node.description;
  }
  return whole;
}

std::optional<NodeId> TrackBook::parent(NodeId id) const {
  const TrackNode& child = node(id);
  if (child.above) return same(*child.above);
  if (child.kind == TrackNode::Kind::kProcess || !child.parent_uuid) return std::nullopt;
  const auto found = uuids_.find(*child.parent_uuid);
  if (found == uuids_.end()) return std::nullopt;
  const NodeId above = same(found->second);
  if (is_own_root(above) || above == same(id)) return std::nullopt;
  return above;
}

}  // namespace runahead::importers::perfetto
