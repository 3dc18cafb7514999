// Tests the layers, order and places of a graph's nodes. Some tests check rules that hold for any graph,
// others check a few graphs with known layouts.
#include "gui/graph/layered_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/random.h"

namespace runahead::gui {
namespace {

using testing::Random;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Edges random_edges(Random& random, std::size_t nodes, double chance) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t to = 1; to < nodes; ++to) {
    for (std::uint32_t from = to > 8 ? to - 8 : 0; from < to; ++from) {
      if (random.chance(chance)) edges.emplace(from, to);
    }
  }
  return {edges.begin(), edges.end()};
}

TEST(LayeredLayout, AChainIsOneStraightColumn) {
  const LayeredLayout layout = layered_layout(4, Edges{{0, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(layout.nodes, (std::vector<GridPoint>{{0.5f, 0}, {0.5f, 1}, {0.5f, 2}, {0.5f, 3}}));
  EXPECT_EQ(layout.layers, 4);
  EXPECT_EQ(layout.width, 1);
  EXPECT_EQ(layout.ways[2], (std::vector<GridPoint>{{0.5f, 2}, {0.5f, 3}}));
}

TEST(LayeredLayout, ADiamondIsSymmetric) {
  const LayeredLayout layout = layered_layout(4, Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  EXPECT_EQ(layout.width, 2);
  EXPECT_FLOAT_EQ(layout.nodes[0].x, 1);
  EXPECT_FLOAT_EQ(layout.nodes[1].x, 0.5f);
  EXPECT_FLOAT_EQ(layout.nodes[2].x, 1.5f);
  EXPECT_FLOAT_EQ(layout.nodes[3].x, 1);
  EXPECT_EQ(layout.crossings, 0u);
}

TEST(LayeredLayout, EdgesThatNeedNotCrossDoNot) {
  // Edges 0 -> 3 and 1 -> 2 would cross if the nodes kept their order.
  EXPECT_EQ(layered_layout(4, Edges{{0, 3}, {1, 2}}).crossings, 0u);
  // Two trees: node 0 has the even leaves, and node 1 has the odd leaves.
  Edges trees;
  for (std::uint32_t leaf = 2; leaf < 12; ++leaf) trees.emplace_back(leaf % 2, leaf);
  EXPECT_EQ(layered_layout(12, trees).crossings, 0u);
  // The layout counts the crossings that no order of the nodes can avoid. The complete bipartite graph with 3
  // + 3 nodes has such crossings.
  Edges full;
  for (std::uint32_t from = 0; from < 3; ++from) {
    for (std::uint32_t to = 3; to < 6; ++to) full.emplace_back(from, to);
  }
  EXPECT_EQ(layered_layout(6, full).crossings, 9u);
}

TEST(LayeredLayout, ASourceStandsRightAboveWhatNeedsIt) {
  const LayeredLayout layout = layered_layout(5, Edges{{0, 1}, {1, 2}, {2, 4}, {3, 4}});
  EXPECT_EQ(layout.nodes[3].layer, 2);
  EXPECT_EQ(layout.nodes[4].layer, 3);
}

TEST(LayeredLayout, NodesWithoutEdgesStandBelowInRows) {
  const LayeredLayout layout = layered_layout(12, Edges{{0, 1}});
  std::map<float, int> rows;
  for (std::size_t node = 2; node < 12; ++node) {
    EXPECT_GE(layout.nodes[node].layer, 2);
    ++rows[layout.nodes[node].layer];
  }
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows.begin()->second, 4);
  EXPECT_EQ(layout.layers, 5);
  EXPECT_EQ(layout.width, 4);
}

TEST(LayeredLayout, OfNothingIsNothing) {
  const LayeredLayout layout = layered_layout(0, {});
  EXPECT_TRUE(layout.nodes.empty());
  EXPECT_EQ(layout.width, 0);
}

// No edge leads up. No two nodes overlap. An edge has a point on each layer between its two nodes. The same
// graph gets the same layout again.
TEST(LayeredLayout, OfRandomGraphsKeepsItsRules) {
  Random random;
  for (int round = 0; round < 30; ++round) {
    const auto nodes = static_cast<std::size_t>(random.integer(1, 120));
    const Edges edges = random_edges(random, nodes, random.real(0.02, 0.4));
    const LayeredLayout layout = layered_layout(nodes, edges);
    ASSERT_EQ(layout.nodes.size(), nodes);
    std::vector<std::uint32_t> depth(nodes, 0);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const auto [from, to] = edges[i];
      ASSERT_LT(layout.nodes[from].layer, layout.nodes[to].layer);
      ASSERT_EQ(layout.ways[i].front(), layout.nodes[from]);
      ASSERT_EQ(layout.ways[i].back(), layout.nodes[to]);
      for (std::size_t p = 1; p < layout.ways[i].size(); ++p) {
        ASSERT_EQ(layout.ways[i][p].layer, layout.ways[i][p - 1].layer + 1);
      }
    }
    std::map<float, std::vector<float>> rows;
    for (const GridPoint& node : layout.nodes) {
      rows[node.layer].push_back(node.x);
      ASSERT_GE(node.x, 0.499f);
      ASSERT_LE(node.x, layout.width - 0.499f);
      ASSERT_LT(node.layer, layout.layers);
    }
    for (auto& [layer, xs] : rows) {
      std::sort(xs.begin(), xs.end());
      for (std::size_t i = 1; i < xs.size(); ++i) ASSERT_GE(xs[i] - xs[i - 1], 0.999f);
    }
    const LayeredLayout again = layered_layout(nodes, edges);
    ASSERT_EQ(again.nodes, layout.nodes);
    ASSERT_EQ(again.ways, layout.ways);
  }
}

// Counts the crossings by comparing all pairs of edges.
TEST(LayeredLayout, CrossingsAreThoseOfThePicture) {
  Random random;
  for (int round = 0; round < 20; ++round) {
    const Edges edges = random_edges(random, 40, 0.2);
    const LayeredLayout layout = layered_layout(40, edges);
    std::vector<std::pair<GridPoint, GridPoint>> parts;
    for (const auto& way : layout.ways) {
      for (std::size_t p = 1; p < way.size(); ++p) parts.emplace_back(way[p - 1], way[p]);
    }
    std::uint64_t naive = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (parts[i].first.layer != parts[j].first.layer) continue;
        const float above = parts[i].first.x - parts[j].first.x,
                    below = parts[i].second.x - parts[j].second.x;
        if ((above > 0 && below < 0) || (above < 0 && below > 0)) ++naive;
      }
    }
    ASSERT_EQ(layout.crossings, naive);
  }
}

}  // namespace
}  // namespace runahead::gui
