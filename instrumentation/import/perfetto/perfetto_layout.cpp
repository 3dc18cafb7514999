#include "instrumentation/import/perfetto/perfetto_layout.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/trace/labels.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;
namespace {

// Maximum length of a chain of parents. A longer chain is a cycle, or too deep to be useful.
constexpr int kMostParents = 64;

// Maximum number of bytes of the parents' names in front of a track's own name. The limit is needed because
// every track below a parent repeats the parent's name.
constexpr std::size_t kMostPrefixBytes = 256;

std::size_t at(NodeId id) { return static_cast<std::size_t>(id); }

template <typename Number>
void read_number(std::string_view text, Number& out) {
  std::from_chars(text.data(), text.data() + text.size(), out);
}

// Reads the words with which our own exports describe a track (see perfetto_fields.h).
void read_own_words(std::string_view words, TrackInfo& out) {
  words.remove_prefix(kTrackWords.size());
  while (!words.empty()) {
    const std::string_view key = words.substr(0, words.find('='));
    words.remove_prefix(std::min(words.size(), key.size() + 1));
    const std::string_view value = key == "device" ? words : words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), value.size() + 1));
    if (key == "kind") out.kind = track_kind_of(value).value_or(out.kind);
    if (key == "unit") out.unit = unit_of(value).value_or(out.unit);
    if (key == "role") out.role = counter_role_of(value).value_or(out.role);
    if (key == "pid") read_number(value, out.pid);
    if (key == "tid") read_number(value, out.tid);
    if (key == "simulated") out.simulated = value == "1";
    if (key == "device") out.device = value;
  }
  constexpr std::string_view kSimulated = " (simulated)";
  if (out.simulated && out.name.ends_with(kSimulated)) out.name.resize(out.name.size() - kSimulated.size());
}

class Layout {
 public:
  Layout(const TrackBook& book, const Rows& rows) : book_(book), rows_(rows), nodes_(book.size()) {}

  std::vector<PlacedTrack> build() {
    find_used();
    find_parents();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].used) children_[nodes_[i].group].push_back(static_cast<NodeId>(i));
    }
    place_children(std::nullopt, kNoTrack);
    return std::move(out_);
  }

 private:
  using Key = std::optional<NodeId>;

  [[nodiscard]] static bool is_own(const TrackNode& node) {
    return node.description.starts_with(kTrackWords);
  }

  void find_used();
  void find_parents();
  void place_children(Key group, TrackId parent);
  void place(NodeId id, TrackId parent);
  void place_leaf(NodeId id, TrackId parent, bool in_own_group);
  [[nodiscard]] auto order_of(NodeId id) const;
  [[nodiscard]] TrackInfo info_of(NodeId id, TrackId parent) const;
  [[nodiscard]] std::string merge_key(NodeId id) const;

  const TrackBook& book_;
  const Rows& rows_;
  struct State {
    bool used = false, is_group = false;
    Key group;
    std::string prefix;
  };
  std::vector<State> nodes_;
  std::map<Key, std::vector<NodeId>> children_;
  std::map<std::tuple<TrackId, std::string>, TrackId> merged_;
  std::vector<PlacedTrack> out_;
};

// Marks the tracks with rows, and all tracks above them.
void Layout::find_used() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (book_.same(id) != id || book_.is_own_root(id)) continue;
    const TrackNode& node = book_.node(id);
    const bool kept = book_.is_own() && is_own(node);
    if (rows_.nodes[i].empty() && !kept) continue;
    nodes_[i].used = true;
    if (node.kind == TrackNode::Kind::kProcess) nodes_[i].is_group = true;
    std::optional<NodeId> above = book_.parent(id);
    for (int steps = 0; above && steps < kMostParents; ++steps, above = book_.parent(*above)) {
      State& state = nodes_[at(*above)];
      const TrackNode::Kind kind = book_.node(*above).kind;
      // In a Trace, threads and counters cannot contain tracks. A track below a thread or counter in the file
      // is placed next to it.
      if (kind == TrackNode::Kind::kPlain || kind == TrackNode::Kind::kProcess)
        state.used = state.is_group = true;
    }
  }
}

// Finds the nearest group above each track. Breaks cycles of parents.
void Layout::find_parents() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].used) continue;
    const auto id = static_cast<NodeId>(i);
    std::optional<NodeId> above = book_.parent(id);
    for (int steps = 0; above && !nodes_[at(*above)].is_group && steps < kMostParents; ++steps) {
      const std::string& name = book_.node(*above).name;
      const bool short_enough = nodes_[i].prefix.size() + name.size() < kMostPrefixBytes;
      if (!name.empty() && short_enough) nodes_[i].prefix.insert(0, name + "/");
      above = book_.parent(*above);
    }
    if (above && !nodes_[at(*above)].is_group) above.reset();
    int steps = 0;
    for (std::optional<NodeId> up = above; up; up = book_.parent(*up)) {
      if (*up == id || ++steps > kMostParents) {
        above.reset();
        break;
      }
    }
    nodes_[i].group = above;
  }
}

// Sort order of siblings. First criterion: `place`, which puts the groups of the machine (SystemGroup) above
// the processes, and only the last of these groups below the processes. Second criterion: the order that the
// descriptor of the parent requests. If it requests no order: threads (the main thread first), then other
// tracks, then counters.
auto Layout::order_of(NodeId id) const {
  const TrackNode& node = book_.node(id);
  const std::optional<NodeId> above = book_.parent(id);
  const bool by_rank = above ? book_.node(*above).child_ordering == descriptor::kExplicit : book_.is_own();
  const bool by_name = above && book_.node(*above).child_ordering == descriptor::kLexicographic;
  const bool is_thread = node.kind == TrackNode::Kind::kThread;
  const int of_kind = is_thread ? 0 : node.kind == TrackNode::Kind::kCounter ? 2 : 1;
  const std::int64_t tid = !is_thread             ? 0
                           : node.tid == node.pid ? std::numeric_limits<std::int64_t>::min()
                                                  : node.tid;
  return std::tuple(node.place, by_rank ? node.rank : 0, by_rank ? 0 : of_kind,
                    by_name ? node.name : std::string(), by_rank ? 0 : tid, id);
}

void Layout::place_children(Key group, TrackId parent) {
  const auto found = children_.find(group);
  if (found == children_.end()) return;
  std::vector<NodeId>& ids = found->second;
  std::sort(ids.begin(), ids.end(), [this](NodeId a, NodeId b) { return order_of(a) < order_of(b); });
  for (const NodeId id : ids) place(id, parent);
}

TrackInfo Layout::info_of(NodeId id, TrackId parent) const {
  const TrackNode& node = book_.node(id);
  TrackInfo info{.id = static_cast<TrackId>(out_.size()), .parent = parent, .pid = node.pid, .tid = node.tid};
  info.sort_order = static_cast<std::int32_t>(raw(info.id));
  info.name = nodes_[at(id)].prefix + node.name;
  const bool counts = node.kind == TrackNode::Kind::kCounter ||
                      (!rows_.nodes[at(id)].samples.empty() && rows_.nodes[at(id)].slices.empty());
  switch (node.kind) {
    case TrackNode::Kind::kThread:
      info.kind = TrackKind::kThread;
      if (node.name.empty()) info.name = "thread " + std::to_string(node.tid);
      break;
    case TrackNode::Kind::kProcess:
      info.kind = TrackKind::kGroup;
      info.name = (node.name.empty() ? "process" : node.name) + " " + std::to_string(node.pid);
      break;
    default:
      info.kind = counts ? TrackKind::kCounter : TrackKind::kAsync;
      if (counts) info.unit = node.unit;
      if (node.name.empty()) info.name += counts ? "counter" : "events";
      break;
  }
  if (node.shown_as) info.kind = *node.shown_as;
  if (nodes_[at(id)].is_group) info.kind = TrackKind::kGroup;
  if (book_.is_own() && is_own(node)) read_own_words(node.description, info);
  return info;
}

// Returns the merge key of a track. Sibling tracks with equal keys become one track. Empty: this track is not
// merged.
std::string Layout::merge_key(NodeId id) const {
  const TrackNode& node = book_.node(id);
  if (node.kind != TrackNode::Kind::kPlain && node.kind != TrackNode::Kind::kAsync) return {};
  if (node.merge == descriptor::kMergeNone) return {};
  if (node.merge == descriptor::kByKey) return "key " + node.merge_key;
  return "name " + nodes_[at(id)].prefix + node.name;
}

void Layout::place_leaf(NodeId id, TrackId parent, bool in_own_group) {
  const std::string key = in_own_group ? std::string() : merge_key(id);
  if (!key.empty()) {
    const auto [found, is_new] = merged_.try_emplace({parent, key}, static_cast<TrackId>(out_.size()));
    if (!is_new) {
      out_[raw(found->second)].nodes.push_back(id);
      return;
    }
  }
  PlacedTrack placed{info_of(id, parent), {id}};
  if (in_own_group) {
    // The rows of this track belong to the group itself (such as a process), but a group cannot contain rows.
    // So the rows get their own track in this group, next to the threads.
    placed.info.kind = TrackKind::kAsync;
    placed.info.name = book_.node(id).name.empty() ? "events" : book_.node(id).name;
  }
  out_.push_back(std::move(placed));
}

void Layout::place(NodeId id, TrackId parent) {
  if (!nodes_[at(id)].is_group) return place_leaf(id, parent, false);
  const TrackInfo info = info_of(id, parent);
  out_.push_back({info, {}});
  if (!rows_.nodes[at(id)].empty()) place_leaf(id, info.id, true);
  place_children(id, info.id);
}

}  // namespace

std::vector<PlacedTrack> place_tracks(const TrackBook& book, const Rows& rows) {
  return Layout(book, rows).build();
}

}  // namespace runahead::importers::perfetto
