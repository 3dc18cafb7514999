// Graph: the operators of one pass through a network. It is recorded once, with symbols instead of arrays. It
// can run as one unit (compiled_graph.h) and be written to a file (graph_file.h). The recorder infers shapes.
// The memory of intermediate results is planned: results that are not needed at the same time share a buffer.
//
// A network can be written as a template of its value type: with Array the network runs op by op, with Symbol
// it is recorded.
//
//   GraphRecorder recorder;
//   const Symbol x = recorder.input({1, 512});
//   const Symbol weight = recorder.parameter("w", {256, 512}), bias = recorder.parameter("b", {256});
//   const Symbol y = relu(dense(x, weight, bias));
//   const Graph graph = recorder.finish(y);
//
// Plain data and pure functions. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/array/array.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

enum class GraphOp : std::uint8_t { kInput, kParameter, kDense, kRelu, kAdd };

struct GraphNode {
  GraphOp op = GraphOp::kInput;
  std::vector<std::int32_t> operands;  // indices of earlier nodes; dense: x, weight, bias; relu: a; add: a, b
  Shape shape;                         // shape of the result
  std::string name;                    // only for a parameter: its name
};

// The operands of a node come before the node in the list. Input number i is the i-th input node in the list;
// the same holds for parameters.
struct Graph {
  std::vector<GraphNode> nodes;
  std::int32_t output = -1;  // index of the output node; it must be an operator

  [[nodiscard]] std::vector<std::int32_t> nodes_of(GraphOp op) const;
  [[nodiscard]] std::int64_t op_count() const;  // number of operators, without inputs and parameters
};

// Checks operands, shapes and output. Ok: `graph` is one that a GraphRecorder could have made. The error
// names the node and the reason.
[[nodiscard]] Status check_graph(const Graph& graph);
// Computes the shapes of all operators from the shapes of inputs and parameters, then calls check_graph().
[[nodiscard]] Status infer_shapes(Graph& graph);

// BufferPlan says in which buffer each intermediate result is stored.
struct BufferPlan {
  std::vector<std::int32_t>
      // the buffer of each node; -1: the node is an input, a parameter or the output and has its own memory
      buffer_of;
  std::vector<std::int64_t> buffer_sizes;  // size of each buffer in elements
  // number of results that share the buffers; if the graph ran op by op, each result would have its own
  // memory
  std::int64_t results = 0;
  std::int64_t result_elements = 0;  // total size of these results, in elements

  [[nodiscard]] std::int64_t elements() const;  // total size of all buffers, in elements
};
// Gives each intermediate result the best fitting free buffer. A buffer is free if no later node needs the
// result that is stored in it. relu and add write their result over an operand that no later node needs.
// O(nodes * buffers). REQUIRES: check_graph().
[[nodiscard]] BufferPlan plan_buffers(const Graph& graph);

class GraphRecorder;
// A Symbol is used in place of an array while a graph is recorded. The graph's recorder must outlive the
// Symbol.
struct Symbol {
  GraphRecorder* recorder = nullptr;
  std::int32_t node = -1;

  [[nodiscard]] const Shape& shape() const;
};

class GraphRecorder {
 public:
  [[nodiscard]] Symbol input(Shape shape);
  [[nodiscard]] Symbol parameter(std::string name, Shape shape);
  // Shapes that do not fit, or a symbol of another recorder, are a bug of the caller: RUNAHEAD_CHECK.
  [[nodiscard]] Symbol add_operator(GraphOp op, const std::vector<Symbol>& operands);
  [[nodiscard]] Graph finish(const Symbol& output) const;

 private:
  friend struct Symbol;
  Symbol append(GraphNode node);
  Graph graph_;
};

// These functions have the same names and meaning as the operators on arrays (operators.h).
[[nodiscard]] Symbol dense(const Symbol& x, const Symbol& weight, const Symbol& bias);
[[nodiscard]] Symbol relu(const Symbol& a);
[[nodiscard]] Symbol operator+(const Symbol& a, const Symbol& b);

}  // namespace runahead::engine
