// Layered layout of a directed acyclic graph, after Sugiyama. The layer of a node is the length of the
// longest path to the node from a node without predecessors. Exception: a node without predecessors is in the
// layer directly above its topmost successor. To reduce crossings, the nodes of each layer are sorted by
// barycenter (the mean place of a node's neighbours), in several sweeps over all layers. Then the nodes get x
// positions that keep chains of nodes straight. Grid units: a layer is 1 high, a node is 1 wide; the painter
// chooses the pixels. Pure: the same graph gives the same layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace runahead::gui {

struct GridPoint {
  float x = 0, layer = 0;  // position of the centre
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
};

struct LayeredLayout {
  std::vector<GridPoint> nodes;  // two nodes of a layer are at least 1 apart
  // One entry for each edge: the points from node to node, with one point for each layer between the two
  // nodes.
  std::vector<std::vector<GridPoint>> ways;
  float width = 0, layers = 0;  // nodes are in [0.5, width - 0.5] and [0, layers - 1]
  std::uint64_t crossings = 0;  // crossings of edges between neighbouring layers
};

// REQUIRES: each edge leads from a lower to a higher node index, and no edge occurs twice. Nodes without
// edges are placed in rows below the other nodes.
//   weights   by edge, > 0: how important it is that the edge is straight; empty: all equal
// Time: O(s * n * log n) for s sweeps and n nodes and bends (an edge has a bend at each layer that it
// crosses). This is a few ms for a few hundred nodes.
[[nodiscard]] LayeredLayout layered_layout(std::size_t nodes,
                                           std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
                                           std::span<const float> weights = {});

}  // namespace runahead::gui
