// Tests graphs: a graph that is recorded, planned and compiled gives the same values as the op-by-op program.
// The graph needs fewer ops and less memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>

#include "engine/array/compiled_graph.h"
#include "engine/array/gradient_graph.h"
#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

// A network that can be applied to arrays and to symbols.
template <typename Value>
struct Network {
  Value weight1, bias1, weight2, bias2;
  [[nodiscard]] Value operator()(const Value& x) const {
    const Value hidden = relu(dense(x, weight1, bias1));
    return relu(dense(hidden + hidden, weight2, bias2)) + dense(hidden, weight2, bias2);
  }
};
constexpr std::int64_t kRows = 3, kIn = 5, kGraphHidden = 7, kOut = 2;

Graph recorded() {
  GraphRecorder recorder;
  const Symbol x = recorder.input({kRows, kIn});
  const Network<Symbol> network{
      recorder.parameter("weight1", {kGraphHidden, kIn}), recorder.parameter("bias1", {kGraphHidden}),
      recorder.parameter("weight2", {kOut, kGraphHidden}), recorder.parameter("bias2", {kOut})};
  return recorder.finish(network(x));
}
Network<Array> arrays(const Context& here) {
  return {uniform(here, {kGraphHidden, kIn}, {1, 1}, -1, 1), uniform(here, {kGraphHidden}, {1, 2}, -1, 1),
          uniform(here, {kOut, kGraphHidden}, {1, 3}, -1, 1), uniform(here, {kOut}, {1, 4}, -1, 1)};
}
CompiledGraph compiled(const Network<Array>& network) {
  const Result<CompiledGraph> made =
      CompiledGraph::compile(recorded(), {network.weight1, network.bias1, network.weight2, network.bias2});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? *made : CompiledGraph{};
}

class Compiled : public EveryEngine {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Compiled, ::testing::ValuesIn(every_place()), name_of_place);

TEST_P(Compiled, ComputesWhatItsOperatorsComputeBitForBit) {
  const Network<Array> network = arrays(here_);
  const CompiledGraph graph = compiled(network);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Array x = normal(here_, {kRows, kIn}, {9, i});
    EXPECT_EQ(read(graph.run(x)), read(network(x)));
  }
}

TEST_P(Compiled, ComputesWhatDoublePrecisionComputes) {
  const Network<Array> network = arrays(here_);
  const Array x = normal(here_, {kRows, kIn}, {9, 0});
  const auto wide = [](const std::vector<float>& v) { return std::vector<double>(v.begin(), v.end()); };
  const auto layer = [](const std::vector<double>& in, const std::vector<double>& weight,
                        const std::vector<double>& bias) {
    const std::size_t n = bias.size(), k = weight.size() / n, rows = in.size() / k;
    std::vector<double> out(rows * n);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        double total = bias[j];
        for (std::size_t l = 0; l < k; ++l) total += in[r * k + l] * weight[j * k + l];
        out[r * n + j] = total;
      }
    }
    return out;
  };
  std::vector<double> hidden = layer(wide(read(x)), wide(read(network.weight1)), wide(read(network.bias1)));
  for (double& h : hidden) h = std::max(h, 0.0);
  std::vector<double> twice = hidden;
  for (double& h : twice) h *= 2;
  const std::vector<double> weight2 = wide(read(network.weight2)), bias2 = wide(read(network.bias2));
  const std::vector<double> a = layer(twice, weight2, bias2), b = layer(hidden, weight2, bias2);
  const std::vector<float> got = read(compiled(network).run(x));
  ASSERT_EQ(got.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(got[i], std::max(a[i], 0.0) + b[i], 1e-5);
}

TEST_P(Compiled, APassIsOneOpAndAllocatesItsOutputAlone) {
  const CompiledGraph graph = compiled(arrays(here_));
  const Array x = normal(here_, {kRows, kIn}, {9, 0});
  ASSERT_TRUE(graph.run(x).wait_to_read().ok());
  const std::int64_t ops = open_.engine->stats().ops_enqueued;
  const std::uint64_t allocations = here_.device->pool().stats().allocations;
  const Array y = graph.run(x);
  EXPECT_EQ(open_.engine->stats().ops_enqueued, ops + 1);
  ASSERT_TRUE(y.wait_to_read().ok());
  EXPECT_EQ(here_.device->pool().stats().allocations, allocations + 1);
}

TEST_P(Compiled, AFailedInputFailsThePassAndNotTheGraph) {
  const CompiledGraph graph = compiled(arrays(here_));
  static constexpr record::Site kFails{"fails", trace::SliceKind::kExecute, __FILE__, __LINE__};
  ArrayOp op{.site = &kFails, .shapes = {{kRows, kIn}}};
  const Array bad =
      apply(here_, std::move(op), [](const Values&) { throw std::runtime_error("no data"); }).front();
  const Status failed = graph.run(bad).wait_to_read();
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("no data"), std::string::npos);
}

TEST(CompiledGraph, RefusesParametersThatDoNotFitByName) {
  const OpenEngine open({});
  const Network<Array> n = arrays(open.here);
  const auto missing = CompiledGraph::compile(recorded(), {n.weight1, n.bias1, n.weight2});
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("4 parameters"), std::string::npos) << missing.error().message;
  const auto swapped = CompiledGraph::compile(recorded(), {n.bias1, n.weight1, n.weight2, n.bias2});
  ASSERT_FALSE(swapped.ok());
  EXPECT_NE(swapped.error().message.find("'weight1' is (7, 5)"), std::string::npos)
      << swapped.error().message;
}

// ---- the buffer plan --------------------------------------------------------------------------------------

TEST(BufferPlan, AChainNeedsTwoBuffersHoweverLongItIs) {
  GraphRecorder recorder;
  Symbol value = recorder.input({4, 8});
  const Symbol weight = recorder.parameter("w", {8, 8}), bias = recorder.parameter("b", {8});
  for (int i = 0; i < 10; ++i) value = relu(dense(value, weight, bias));
  const BufferPlan plan = plan_buffers(recorder.finish(value));
  // The graph has 20 ops. The last op's result is the output of the graph. The plan has no buffer for this
  // output. Therefore the plan has only 19 results.
  EXPECT_EQ(plan.results, 19);
  EXPECT_EQ(plan.result_elements, 19 * 32);
  EXPECT_EQ(plan.buffer_sizes, (std::vector<std::int64_t>{32, 32}));
}

TEST(BufferPlan, AResultThatIsNeededLaterKeepsItsBuffer) {
  GraphRecorder recorder;
  const Symbol x = recorder.input({4, 8});
  const Symbol kept = relu(x);
  const Symbol second = relu(kept);  // must not overwrite `kept`
  const Graph graph = recorder.finish(relu(kept + second));
  const BufferPlan plan = plan_buffers(graph);
  EXPECT_NE(plan.buffer_of[static_cast<std::size_t>(kept.node)],
            plan.buffer_of[static_cast<std::size_t>(second.node)]);
  EXPECT_EQ(plan.buffer_sizes.size(), 2u);
}

// Random graphs, run with planned buffers and also op by op. Equal values show that no op overwrote a result
// that was still needed.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed) {
    const auto extent = [this] { return static_cast<std::int64_t>(1 + random_() % 6); };
    values_.push_back(recorder_.input({3, extent()}));
    for (int i = 0; i < 30; ++i) values_.push_back(next(extent()));
    graph_ = recorder_.finish(values_.back());
  }
  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  Symbol any() { return values_[random_() % values_.size()]; }
  Symbol next(std::int64_t units) {
    const Symbol a = any();
    if (random_() % 3 == 0 && values_.size() > 1) return relu(a);
    for (int tries = 0; random_() % 2 == 0 && tries < 10; ++tries) {
      const Symbol b = any();
      if (a.shape() == b.shape()) return a + b;
    }
    const Symbol weight = recorder_.parameter("w", {units, a.shape()[1]});
    return dense(a, weight, recorder_.parameter("b", {units}));
  }
  std::mt19937_64 random_;
  GraphRecorder recorder_;
  std::vector<Symbol> values_;
  Graph graph_;
};

std::vector<float> run_op_by_op(const Graph& graph, const Array& x, const std::vector<Array>& parameters) {
  std::vector<Array> at;
  std::size_t parameter = 0;
  for (const GraphNode& node : graph.nodes) {
    const auto operand = [&](std::size_t i) { return at[static_cast<std::size_t>(node.operands[i])]; };
    if (node.op == GraphOp::kInput) at.push_back(x);
    if (node.op == GraphOp::kParameter) at.push_back(parameters[parameter++]);
    if (node.op == GraphOp::kDense) at.push_back(dense(operand(0), operand(1), operand(2)));
    if (node.op == GraphOp::kRelu) at.push_back(relu(operand(0)));
    if (node.op == GraphOp::kAdd) at.push_back(operand(0) + operand(1));
  }
  return at[static_cast<std::size_t>(graph.output)].asnumpy().value();
}

TEST(BufferPlan, RandomGraphsGiveTheSameValuesWithSharedBuffers) {
  const char* asked = std::getenv("RUNAHEAD_TEST_SEED");
  const std::uint64_t first = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
  const OpenEngine open({});
  std::int64_t shared = 0;
  for (std::uint64_t seed = first; seed < first + (asked != nullptr ? 1 : 60); ++seed) {
    SCOPED_TRACE("RUNAHEAD_TEST_SEED=" + std::to_string(seed));
    const RandomGraph random(seed);
    const Graph& graph = random.graph();
    if (graph.nodes_of(GraphOp::kParameter).empty()) continue;
    std::vector<Array> parameters;
    for (const std::int32_t node : graph.nodes_of(GraphOp::kParameter)) {
      const Shape& shape = graph.nodes[static_cast<std::size_t>(node)].shape;
      parameters.push_back(uniform(open.here, shape, {seed, parameters.size()}, -0.5f, 0.5f));
    }
    const Array x = uniform(open.here, graph.nodes[0].shape, {seed, 1000}, -1, 1);
    const Result<CompiledGraph> made = CompiledGraph::compile(graph, parameters);
    ASSERT_TRUE(made.ok());
    const std::vector<float> expected = run_op_by_op(graph, x, parameters);
    const std::vector<float> got = made->run(x).asnumpy().value();
    // The comparison is bit for bit, so that equal infinities and NaNs count as equal.
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0);
    const BufferPlan& plan = made->plan();
    EXPECT_LE(plan.elements(), plan.result_elements);
    shared += plan.results - static_cast<std::int64_t>(plan.buffer_sizes.size());
  }
  EXPECT_GT(shared, 0);
}

// ---- malformed graphs -------------------------------------------------------------------------------------

std::string refusal(Graph graph) {
  const Status sound = infer_shapes(graph);
  EXPECT_FALSE(sound.ok());
  return sound.ok() ? "" : sound.error().message;
}

TEST(GraphCheck, NamesTheNodeThatIsWrong) {
  Graph graph = recorded();
  ASSERT_TRUE(check_graph(graph).ok());
  const std::size_t last = graph.nodes.size() - 1;
  const std::string last_text = "node " + std::to_string(last);

  Graph wrong = graph;
  wrong.nodes[last].operands[0] = static_cast<std::int32_t>(last);  // the node itself
  EXPECT_NE(refusal(wrong).find(last_text), std::string::npos);
  wrong = graph;
  wrong.nodes[last].operands[0] = -1;
  EXPECT_NE(refusal(wrong).find(last_text), std::string::npos);
  wrong = graph;
  wrong.nodes[last].operands.pop_back();
  EXPECT_NE(refusal(wrong).find(last_text), std::string::npos);
  wrong = graph;
  wrong.nodes[last].operands[0] = 0;  // the op adds shapes (3, 5) and (3, 2)
  EXPECT_NE(refusal(wrong).find("(3, 5)"), std::string::npos);
  wrong = graph;
  wrong.nodes[0].shape = {3, -5};
  EXPECT_FALSE(refusal(wrong).empty());
  wrong = graph;
  wrong.nodes[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_FALSE(refusal(wrong).empty());
  wrong = graph;
  wrong.nodes[1].op = static_cast<GraphOp>(77);
  EXPECT_NE(refusal(wrong).find("unknown kind"), std::string::npos);
  wrong = graph;
  wrong.output = 0;
  EXPECT_NE(refusal(wrong).find("output"), std::string::npos);
  EXPECT_FALSE(refusal(Graph{}).empty());
  wrong = graph;
  wrong.nodes[last].shape = {1, 1};
  EXPECT_FALSE(check_graph(wrong).ok());
}

}  // namespace
}  // namespace runahead::engine
