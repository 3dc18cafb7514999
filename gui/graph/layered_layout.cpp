#include "gui/graph/layered_layout.h"

#include <algorithm>
#include <cmath>

#include "instrumentation/base/check.h"

namespace runahead::gui {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

// A sweep visits all layers once, downwards or upwards. For each layer, it uses the positions in the layer
// visited just before to choose better positions.
constexpr int kOrderSweeps = 12, kPlaceSweeps = 16;
// In the last kBothSweeps of the kPlaceSweeps sweeps, an item is placed by its neighbours in both layers,
// above and below. In earlier sweeps, only the layer visited before counts.
constexpr int kBothSweeps = 4;
// A bend (a point of an edge at a layer that the edge crosses) takes less room than a node.
constexpr float kBendWidth = 0.3f;
// A weight says how important it is that a piece of an edge is straight. This is the weight of a piece
// between two bends. It is large, because a long edge that turns far from its ends is the hardest to follow.
constexpr float kBendsWeight = 8;
// Weight of an edge between nodes of neighbouring layers: keeps chains of nodes straight. A piece between a
// node and a bend has only the weight 1, so a long edge turns next to its ends.
constexpr float kNodesWeight = 1.5f;
// In a sweep, an item may have no neighbours in the layers that the sweep uses. Such an item should stay near
// its present position, which has this weight.
constexpr float kFreeWeight = 0.1f;
// If a graph has more bends than this, its long edges are drawn straight: nobody reads such a graph edge by
// edge.
constexpr std::size_t kMostBends = 20'000;
// Nodes without edges are placed in rows. A row has at least this many nodes, if the graph has so many nodes
// without edges.
constexpr std::size_t kLeastLoose = 4;

// A node, or a bend of an edge at a layer that the edge crosses.
struct Item {
  std::uint32_t layer = 0;
  float width = 1;
  float x = 0;
  std::uint32_t place = 0;  // index in its layer
  struct Tie {
    std::uint32_t item = 0;
    float weight = 1;
  };
  std::vector<Tie> up, down;  // neighbours in the layers above and below
};

class Layout {
 public:
  Layout(std::size_t nodes, std::span<const Edge> edges, std::span<const float> weights)
      : nodes_(nodes), edges_(edges), weights_(weights), items_(nodes) {
    RUNAHEAD_CHECK(weights.empty() || weights.size() == edges.size());
  }

  LayeredLayout run() {
    find_layers();
    add_items();
    order();
    place();
    return result();
  }

 private:
  void find_layers() {
    std::vector<std::uint32_t> highest(nodes_, UINT32_MAX);  // topmost layer of a node's successors
    tied_.assign(nodes_, false);
    std::vector<bool> source(nodes_, true);
    std::vector<Edge> sorted(edges_.begin(), edges_.end());
    std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) { return a.second < b.second; });
    for (const auto& [from, to] : sorted) {
      RUNAHEAD_CHECK(from < to && to < nodes_);
      items_[to].layer = std::max(items_[to].layer, items_[from].layer + 1);
      tied_[from] = tied_[to] = true;
      source[to] = false;
    }
    for (const auto& [from, to] : sorted) highest[from] = std::min(highest[from], items_[to].layer);
    // A node without predecessors is placed directly above its topmost successor.
    for (std::size_t node = 0; node < nodes_; ++node) {
      if (source[node] && tied_[node]) items_[node].layer = highest[node] - 1;
    }
  }

  void add_items() {
    std::size_t bends = 0;
    for (const auto& [from, to] : edges_) bends += items_[to].layer - items_[from].layer - 1;
    for (std::size_t edge = 0; edge < edges_.size(); ++edge) add_way(edge, bends <= kMostBends);
    for (std::uint32_t item = 0; item < items_.size(); ++item) {
      if (item < nodes_ && !tied_[item]) continue;
      if (layers_.size() <= items_[item].layer) layers_.resize(items_[item].layer + std::size_t{1});
      layers_[items_[item].layer].push_back(item);
    }
  }

  void add_way(std::size_t edge, bool bending) {
    const auto [from, to] = edges_[edge];
    std::vector<std::uint32_t>& way = ways_.emplace_back();
    way.push_back(from);
    for (std::uint32_t layer = items_[from].layer + 1; bending && layer < items_[to].layer; ++layer) {
      way.push_back(static_cast<std::uint32_t>(items_.size()));
      items_.push_back({.layer = layer, .width = kBendWidth});
    }
    way.push_back(to);
    for (std::size_t i = 1; i < way.size(); ++i) {
      Item &above = items_[way[i - 1]], &below = items_[way[i]];
      if (below.layer != above.layer + 1) continue;
      const int bent = (above.width < 1 ? 1 : 0) + (below.width < 1 ? 1 : 0);
      const float weight = (weights_.empty() ? 1 : weights_[edge]) * (bent == 2   ? kBendsWeight
                                                                      : bent == 0 ? kNodesWeight
                                                                                  : 1.0f);
      below.up.push_back({way[i - 1], weight});
      above.down.push_back({way[i], weight});
    }
  }

  // ---- order within the layers ----------------------------------------------------------------------------

  void number(const std::vector<std::uint32_t>& layer) {
    for (std::uint32_t place = 0; place < layer.size(); ++place) items_[layer[place]].place = place;
  }

  void order() {
    for (const auto& layer : layers_) number(layer);
    std::vector<std::vector<std::uint32_t>> best = layers_;
    crossings_ = crossings();
    for (int sweep = 0; sweep < kOrderSweeps && crossings_ > 0; ++sweep) {
      const bool downwards = sweep % 2 == 0;
      for (std::size_t i = 1; i < layers_.size(); ++i) {
        sort_by_neighbours(layers_[downwards ? i : layers_.size() - 1 - i], downwards);
      }
      const std::uint64_t now = crossings();
      if (now >= crossings_) continue;
      crossings_ = now;
      best = layers_;
    }
    layers_ = std::move(best);
    for (const auto& layer : layers_) number(layer);
  }

  void sort_by_neighbours(std::vector<std::uint32_t>& layer, bool by_upper) {
    std::vector<std::pair<float, std::uint32_t>> keyed;
    for (const std::uint32_t item : layer) {
      const auto& neighbours = by_upper ? items_[item].up : items_[item].down;
      float sum = 0;
      for (const Item::Tie& tie : neighbours) sum += static_cast<float>(items_[tie.item].place);
      // An item without neighbours in the other layer keeps its place.
      const float key = neighbours.empty() ? static_cast<float>(items_[item].place)
                                           : sum / static_cast<float>(neighbours.size());
      keyed.emplace_back(key, item);
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = keyed[i].second;
    number(layer);
  }

  // Counts the pairs of edges between neighbouring layers that cross. Two edges cross if their upper ends and
  // their lower ends are in opposite orders (an inversion).
  [[nodiscard]] std::uint64_t crossings() const {
    std::uint64_t count = 0;
    for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
      std::vector<std::uint64_t> tree(layers_[l + 1].size() + 1,
                                      0);  // Fenwick tree over the places in the layer below
      std::uint64_t seen = 0;
      for (const std::uint32_t item : layers_[l]) {
        for (const Item::Tie& below : items_[item].down) {
          std::uint64_t not_right = 0;
          for (std::size_t i = items_[below.item].place + std::size_t{1}; i > 0; i -= i & -i)
            not_right += tree[i];
          count += seen - not_right;
        }
        for (const Item::Tie& below : items_[item].down) {
          ++seen;
          for (std::size_t i = items_[below.item].place + std::size_t{1}; i < tree.size(); i += i & -i)
            ++tree[i];
        }
      }
    }
    return count;
  }

  // ---- places ---------------------------------------------------------------------------------------------

  void place() {
    for (const auto& layer : layers_) {
      float x = 0;
      for (const std::uint32_t item : layer) {
        items_[item].x = x + items_[item].width / 2;
        x += items_[item].width;
      }
      for (const std::uint32_t item : layer) items_[item].x -= x / 2;
    }
    std::vector<float> best;
    float least = 0;
    for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
      const bool downwards = sweep % 2 == 0, by_both = sweep + kBothSweeps >= kPlaceSweeps;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        settle(layers_[downwards ? i : layers_.size() - 1 - i], downwards || by_both, !downwards || by_both);
      }
      const float cost = slant();
      if (!best.empty() && cost >= least) continue;
      least = cost;
      best.clear();
      for (const Item& item : items_) best.push_back(item.x);
    }
    for (std::size_t item = 0; item < items_.size(); ++item) items_[item].x = best[item];
  }

  // Returns the sum of the horizontal lengths of all edges, each multiplied by its weight. The sum says how
  // hard the graph is to follow.
  [[nodiscard]] float slant() const {
    float sum = 0;
    for (const Item& item : items_) {
      for (const Item::Tie& tie : item.down) sum += tie.weight * std::abs(items_[tie.item].x - item.x);
    }
    return sum;
  }

  // Moves each item of a layer as close to the median of its neighbours as possible: the items keep their
  // order and do not overlap. This is a least-squares problem. It is solved by merging items that would
  // overlap into a pool, which is then placed as one block. In the last sweeps, the neighbours in both layers
  // count (above and below).
  void settle(const std::vector<std::uint32_t>& layer, bool by_upper, bool by_lower) {
    struct Pool {
      float x = 0, weight = 0;  // an item of the pool gets the position x + the item's offset
      std::size_t items = 0;
    };
    std::vector<Pool> pools;
    std::vector<float> offsets;  // distance of each item from the first item when all items touch
    float offset = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const Item& item = items_[layer[i]];
      if (i > 0) offset += (items_[layer[i - 1]].width + item.width) / 2;
      offsets.push_back(offset);
      const Wish wish = wish_of(item, by_upper, by_lower);
      Pool pool{wish.x - offset, wish.weight, 1};
      while (!pools.empty() && pools.back().x > pool.x) {
        const Pool& before = pools.back();
        pool.x = (pool.x * pool.weight + before.x * before.weight) / (pool.weight + before.weight);
        pool.weight += before.weight;
        pool.items += before.items;
        pools.pop_back();
      }
      pools.push_back(pool);
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (std::size_t n = 0; n < pool.items; ++n, ++i) items_[layer[i]].x = pool.x + offsets[i];
    }
  }

  struct Wish {
    float x = 0, weight = 0;
  };
  // Returns the weighted median of the neighbours' positions. A node at this position is straight below or
  // above its most important neighbour.
  [[nodiscard]] Wish wish_of(const Item& item, bool by_upper, bool by_lower) {
    near_.clear();
    if (by_upper) near_.insert(near_.end(), item.up.begin(), item.up.end());
    if (by_lower) near_.insert(near_.end(), item.down.begin(), item.down.end());
    if (near_.empty()) return {item.x, kFreeWeight};
    std::stable_sort(near_.begin(), near_.end(), [&](const Item::Tie& a, const Item::Tie& b) {
      return items_[a.item].x < items_[b.item].x;
    });
    Wish wish;
    for (const Item::Tie& tie : near_) wish.weight += tie.weight;
    float passed = 0;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      passed += near_[i].weight;
      if (2 * passed < wish.weight) continue;
      wish.x = items_[near_[i].item].x;
      if (2 * passed == wish.weight) wish.x = (wish.x + items_[near_[i + 1].item].x) / 2;
      break;
    }
    return wish;
  }

  // ---- result ---------------------------------------------------------------------------------------------

  LayeredLayout result() {
    LayeredLayout out;
    out.crossings = crossings_;
    float least = 0, most = 0;
    bool any = false;
    for (const Item& item : items_) {
      const auto index = static_cast<std::size_t>(&item - items_.data());
      if (index < nodes_ && !tied_[index]) continue;
      least = any ? std::min(least, item.x - item.width / 2) : item.x - item.width / 2;
      most = any ? std::max(most, item.x + item.width / 2) : item.x + item.width / 2;
      any = true;
    }
    out.width = most - least;
    out.layers = static_cast<float>(layers_.size());
    for (Item& item : items_) item.x -= least;
    place_loose(out);
    out.nodes.resize(nodes_);
    const auto point = [&](std::uint32_t item) {
      return GridPoint{items_[item].x, static_cast<float>(items_[item].layer)};
    };
    for (std::uint32_t node = 0; node < nodes_; ++node) out.nodes[node] = point(node);
    for (const auto& way : ways_) {
      std::vector<GridPoint>& points = out.ways.emplace_back();
      for (const std::uint32_t item : way) points.push_back(point(item));
    }
    return out;
  }

  void place_loose(LayeredLayout& out) {
    const auto loose = static_cast<std::size_t>(std::count(tied_.begin(), tied_.end(), false));
    if (loose == 0) return;
    const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(loose))));
    const std::size_t columns =
        std::min(loose, std::max({kLeastLoose, static_cast<std::size_t>(out.width), square / 2}));
    std::size_t at = 0;
    for (std::size_t node = 0; node < nodes_; ++node) {
      if (tied_[node]) continue;
      items_[node].layer = static_cast<std::uint32_t>(layers_.size() + at / columns);
      items_[node].x = static_cast<float>(at % columns) + 0.5f;
      ++at;
    }
    const float wider = static_cast<float>(columns) - out.width;
    for (std::size_t item = 0; wider > 0 && item < items_.size(); ++item) {
      if (item >= nodes_ || tied_[item]) items_[item].x += wider / 2;
    }
    out.width = std::max(out.width, static_cast<float>(columns));
    out.layers += static_cast<float>((loose + columns - 1) / columns);
  }

  const std::size_t nodes_;
  const std::span<const Edge> edges_;
  const std::span<const float> weights_;
  std::vector<Item> items_;                       // the nodes, then the bends
  std::vector<bool> tied_;                        // by node: true if the node has an edge
  std::vector<std::vector<std::uint32_t>> ways_;  // by edge: its items from the upper node to the lower node
  std::vector<std::vector<std::uint32_t>> layers_;  // by layer: its items in order
  std::vector<Item::Tie> near_;                     // neighbours of one item; a member to reuse its memory
  std::uint64_t crossings_ = 0;
};

}  // namespace

LayeredLayout layered_layout(std::size_t nodes, std::span<const Edge> edges, std::span<const float> weights) {
  return Layout(nodes, edges, weights).run();
}

}  // namespace runahead::gui
