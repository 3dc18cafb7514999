// A graph: the operators of one pass through a network, recorded once with symbols in place of arrays, to be
// run as one unit (compiled_graph.h) and to be written to a file (graph_file.h). Shapes are inferred while it
// is recorded, and the memory of what lies between is planned: results that are not needed at the same time
// share a buffer.
//
// A network that is a template of its value type is both: with Array it runs op by op, with Symbol it is
// recorded.
//
//   GraphRecorder recorder;
//   const Symbol x = recorder.input({1, 512});
//   const Symbol weight = recorder.parameter("w", {256, 512}), bias = recorder.parameter("b", {256});
//   const Symbol y = relu(dense(x, weight, bias));
//   const Graph graph = recorder.finish(y);
//
// Plain data and pure functions; one thread at a time.
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
  std::vector<std::int32_t> operands;  // earlier nodes: dense (x, weight, bias), relu (a), add (a, b)
  Shape shape;                         // of the result
  std::string name;                    // of a parameter
};

// Operands come before what uses them. Inputs and parameters are counted in the order of their nodes.
struct Graph {
  std::vector<GraphNode> nodes;
  std::int32_t output = -1;  // an operator's node

  [[nodiscard]] std::vector<std::int32_t> nodes_of(GraphOp op) const;
  [[nodiscard]] std::int64_t op_count() const;  // operators, without inputs and parameters
};

// Whether `graph` is one that a recorder could have made: operands, shapes, output. The error says which node
// and why.
[[nodiscard]] Status check_graph(const Graph& graph);
// Gives the operators' nodes the shapes that follow from the inputs' and parameters', then check_graph().
[[nodiscard]] Status infer_shapes(Graph& graph);

// Where the results between inputs and output are kept.
struct BufferPlan {
  std::vector<std::int32_t>
      buffer_of;  // by node; -1: input, parameter or output, which have memory of their own
  std::vector<std::int64_t> buffer_sizes;  // in elements
  std::int64_t results = 0;                // how many share the buffers: op by op each has memory of its own
  std::int64_t result_elements = 0;        // ... of this size together

  [[nodiscard]] std::int64_t elements() const;  // of all buffers
};
// Gives each result the best fitting buffer that no living result holds; relu and add write over an operand
// that ends with them. O(nodes * buffers). REQUIRES: check_graph().
[[nodiscard]] BufferPlan plan_buffers(const Graph& graph);

class GraphRecorder;
// Stands for an array while its graph is recorded. The recorder must outlive it.
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

// As the operators of the same names on arrays (operators.h).
[[nodiscard]] Symbol dense(const Symbol& x, const Symbol& weight, const Symbol& bias);
[[nodiscard]] Symbol relu(const Symbol& a);
[[nodiscard]] Symbol operator+(const Symbol& a, const Symbol& b);

}  // namespace runahead::engine
