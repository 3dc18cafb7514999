#include "engine/array/gradient_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "instrumentation/base/check.h"

namespace runahead::engine {

namespace {

constexpr std::size_t kMostDimensions = 8;
// The maximum number of elements of a shape. It is far above the number of elements that fit into memory, but
// low enough that a product of extents cannot overflow 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

std::size_t index_of(std::int32_t node) { return static_cast<std::size_t>(node); }

std::size_t operand_count(GraphOp op) {
  switch (op) {
    case GraphOp::kInput:
    case GraphOp::kParameter:
      return 0;
    case GraphOp::kRelu:
      return 1;
    case GraphOp::kAdd:
      return 2;
    case GraphOp::kDense:
      return 3;
  }
  return 0;
}
bool is_operator(GraphOp op) { return operand_count(op) > 0; }
bool is_known(GraphOp op) { return op <= GraphOp::kAdd; }
// True: the operator computes element i of its result only from element i of each operand. Therefore the
// result may overwrite an operand.
bool may_write_over_operand(GraphOp op) { return op == GraphOp::kRelu || op == GraphOp::kAdd; }

bool is_shape(const Shape& shape) {
  if (shape.empty() || shape.size() > kMostDimensions) return false;
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1 || extent > kMostElements / elements) return false;
    elements *= extent;
  }
  return true;
}

std::string node_text(std::size_t index) { return "node " + std::to_string(index); }

Status check_operands(const Graph& graph, std::size_t index) {
  const GraphNode& node = graph.nodes[index];
  if (!is_known(node.op)) return Error{node_text(index) + " is of an unknown kind"};
  if (node.operands.size() != operand_count(node.op))
    return Error{node_text(index) + " has " + std::to_string(node.operands.size()) + " operands"};
  for (const std::int32_t operand : node.operands) {
    if (operand < 0 || index_of(operand) >= index)
      return Error{node_text(index) + " uses node " + std::to_string(operand) +
                   ", which does not precede it"};
  }
  return Ok{};
}

// Computes the shape of an operator's result from the shapes of its operands. REQUIRES: check_operands().
Result<Shape> infer_shape(const Graph& graph, std::size_t index) {
  const GraphNode& node = graph.nodes[index];
  const auto shape = [&](std::size_t i) -> const Shape& {
    return graph.nodes[index_of(node.operands[i])].shape;
  };
  const auto misfit = [&](const std::string& why) { return Error{node_text(index) + ": " + why}; };
  if (node.op == GraphOp::kRelu) return shape(0);
  if (node.op == GraphOp::kAdd) {
    if (shape(0) != shape(1)) return misfit("adds " + to_string(shape(0)) + " and " + to_string(shape(1)));
    return shape(0);
  }
  RUNAHEAD_CHECK(node.op == GraphOp::kDense);
  const Shape &x = shape(0), &weight = shape(1), &bias = shape(2);
  if (x.size() != 2 || weight.size() != 2 || x[1] != weight[1] || bias != Shape{weight[0]}) {
    return misfit("dense of " + to_string(x) + " with weight " + to_string(weight) + " and bias " +
                  to_string(bias));
  }
  return Shape{x[0], weight[0]};
}

}  // namespace

std::vector<std::int32_t> Graph::nodes_of(GraphOp op) const {
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].op == op) found.push_back(static_cast<std::int32_t>(i));
  }
  return found;
}

std::int64_t Graph::op_count() const {
  std::int64_t count = 0;
  for (const GraphNode& node : nodes) count += is_operator(node.op) ? 1 : 0;
  return count;
}

Status check_graph(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (Status fits = check_operands(graph, i); !fits.ok()) return fits;
    const GraphNode& node = graph.nodes[i];
    if (is_operator(node.op)) {
      const Result<Shape> shape = infer_shape(graph, i);
      if (!shape.ok()) return shape.error();
      if (*shape != node.shape)
        return Error{node_text(i) + " has a shape that does not follow from its operands"};
    }
    if (!is_shape(node.shape)) return Error{node_text(i) + " has no usable shape"};
  }
  if (graph.output < 0 || index_of(graph.output) >= graph.nodes.size() ||
      !is_operator(graph.nodes[index_of(graph.output)].op)) {
    return Error{"the output is not the result of an operator"};
  }
  return Ok{};
}

Status infer_shapes(Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (Status fits = check_operands(graph, i); !fits.ok()) return fits;
    if (!is_operator(graph.nodes[i].op)) continue;
    Result<Shape> shape = infer_shape(graph, i);
    if (!shape.ok()) return shape.error();
    graph.nodes[i].shape = std::move(shape).value();
  }
  return check_graph(graph);
}

// ---- the buffer plan --------------------------------------------------------------------------------------

namespace {

// Planner: assigns a buffer to each intermediate result, in the order of the nodes. After the last node that
// uses the result, the buffer is free for another result.
class Planner {
 public:
  explicit Planner(const Graph& graph) : graph_(graph), last_use_(graph.nodes.size()) {
    std::iota(last_use_.begin(), last_use_.end(), std::size_t{0});
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::int32_t operand : graph.nodes[i].operands) last_use_[index_of(operand)] = i;
    }
    plan_.buffer_of.assign(graph.nodes.size(), -1);
  }

  BufferPlan plan() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (!is_operator(node.op)) continue;
      if (i != index_of(graph_.output)) place(i);
      for (const std::int32_t operand : node.operands) release(index_of(operand), i);
      release(i, i);  // frees the buffer of a result that no node uses
    }
    return std::move(plan_);
  }

 private:
  void place(std::size_t i) {
    const std::int64_t elements = element_count(graph_.nodes[i].shape);
    ++plan_.results;
    plan_.result_elements += elements;
    std::int32_t buffer = overwritten_by(i);
    if (buffer < 0) buffer = best_fit(elements);
    if (buffer < 0) {
      buffer = static_cast<std::int32_t>(plan_.buffer_sizes.size());
      plan_.buffer_sizes.push_back(0);
      free_.push_back(false);
    }
    const std::size_t at = index_of(buffer);
    plan_.buffer_sizes[at] = std::max(plan_.buffer_sizes[at], elements);
    free_[at] = false;
    plan_.buffer_of[i] = buffer;
  }

  // Returns the buffer of an operand that node i may overwrite, because no later node needs it. Node i then
  // stores its own result in this buffer. -1: there is no such buffer.
  std::int32_t overwritten_by(std::size_t i) {
    if (!may_write_over_operand(graph_.nodes[i].op)) return -1;
    for (const std::int32_t operand : graph_.nodes[i].operands) {
      const std::int32_t buffer = plan_.buffer_of[index_of(operand)];
      if (buffer >= 0 && last_use_[index_of(operand)] == i) return buffer;
    }
    return -1;
  }

  // Returns the smallest free buffer that is large enough. If no free buffer is large enough, returns the
  // largest one, which then grows. -1: no buffer is free.
  [[nodiscard]] std::int32_t best_fit(std::int64_t elements) const {
    std::int32_t best = -1;
    for (std::size_t b = 0; b < plan_.buffer_sizes.size(); ++b) {
      if (!free_[b]) continue;
      const std::int64_t size = plan_.buffer_sizes[b];
      const std::int64_t so_far = best < 0 ? -1 : plan_.buffer_sizes[index_of(best)];
      const bool better = so_far < elements ? size > so_far : size >= elements && size < so_far;
      if (better) best = static_cast<std::int32_t>(b);
    }
    return best;
  }

  void release(std::size_t node, std::size_t now) {
    const std::int32_t buffer = plan_.buffer_of[node];
    if (buffer < 0 || last_use_[node] != now) return;
    if (node != now && plan_.buffer_of[now] == buffer) return;  // node `now` stores its result in this buffer
    free_[index_of(buffer)] = true;
  }

  const Graph& graph_;
  // For each node: the last node that uses its result. If no node uses the result: the node itself.
  std::vector<std::size_t> last_use_;
  std::vector<bool> free_;  // for each buffer: true if it contains no result that is still needed
  BufferPlan plan_;
};

}  // namespace

std::int64_t BufferPlan::elements() const {
  return std::accumulate(buffer_sizes.begin(), buffer_sizes.end(), std::int64_t{0});
}

BufferPlan plan_buffers(const Graph& graph) { return Planner(graph).plan(); }

// ---- recording --------------------------------------------------------------------------------------------

const Shape& Symbol::shape() const {
  RUNAHEAD_CHECK(recorder != nullptr);
  return recorder->graph_.nodes[index_of(node)].shape;
}

Symbol GraphRecorder::append(GraphNode node) {
  graph_.nodes.push_back(std::move(node));
  return {this, static_cast<std::int32_t>(graph_.nodes.size() - 1)};
}

Symbol GraphRecorder::input(Shape shape) {
  RUNAHEAD_CHECK(is_shape(shape));
  return append({.op = GraphOp::kInput, .shape = std::move(shape)});
}

Symbol GraphRecorder::parameter(std::string name, Shape shape) {
  RUNAHEAD_CHECK(is_shape(shape));
  return append({.op = GraphOp::kParameter, .shape = std::move(shape), .name = std::move(name)});
}

Symbol GraphRecorder::add_operator(GraphOp op, const std::vector<Symbol>& operands) {
  RUNAHEAD_CHECK(is_operator(op) && operands.size() == operand_count(op));
  GraphNode node{.op = op};
  for (const Symbol& operand : operands) {
    RUNAHEAD_CHECK(operand.recorder == this);
    node.operands.push_back(operand.node);
  }
  const Symbol added = append(std::move(node));
  Result<Shape> shape = infer_shape(graph_, index_of(added.node));
  RUNAHEAD_CHECK(shape.ok());
  graph_.nodes.back().shape = std::move(shape).value();
  return added;
}

Graph GraphRecorder::finish(const Symbol& output) const {
  RUNAHEAD_CHECK(output.recorder == this);
  Graph graph = graph_;
  graph.output = output.node;
  RUNAHEAD_CHECK(check_graph(graph).ok());
  return graph;
}

Symbol dense(const Symbol& x, const Symbol& weight, const Symbol& bias) {
  RUNAHEAD_CHECK(x.recorder != nullptr);
  return x.recorder->add_operator(GraphOp::kDense, {x, weight, bias});
}
Symbol relu(const Symbol& a) {
  RUNAHEAD_CHECK(a.recorder != nullptr);
  return a.recorder->add_operator(GraphOp::kRelu, {a});
}
Symbol operator+(const Symbol& a, const Symbol& b) {
  RUNAHEAD_CHECK(a.recorder != nullptr);
  return a.recorder->add_operator(GraphOp::kAdd, {a, b});
}

}  // namespace runahead::engine
