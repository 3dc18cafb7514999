// Layered layout of a directed graph without circles, after Sugiyama: layers by the longest way from a
// source, few crossings by sweeps of barycenters, and places that keep chains straight. In grid units: a
// layer is 1 high, a node 1 wide; whoever draws says how many pixels that is. Pure, and the same for the same
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace runahead::gui {

struct GridPoint {
  float x = 0, layer = 0;  // of the middle
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

struct LayeredLayout {
  std::vector<GridPoint> nodes;  // none closer than 1 to another of its layer
  // By edge: from node to node, by way of each layer between.
  std::vector<std::vector<GridPoint>> ways;
  float width = 0, layers = 0;  // nodes lie in [0.5, width - 0.5] and [0, layers - 1]
  std::uint64_t crossings = 0;  // of edges between neighbouring layers
};

// Edges lead from a lower to a higher index, without repeats. Nodes without edges stand below the others, in
// rows.
//   weights   by edge, > 0: how much it matters that it is straight; empty: all the same
// O(sweeps * (nodes + edges * layers between) * log): a few ms for some hundred nodes.
[[nodiscard]] LayeredLayout layered_layout(std::size_t nodes,
                                           std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
                                           std::span<const float> weights = {});

}  // namespace runahead::gui
