#include "engine/array/compiled_graph.h"

#include <string>
#include <utility>

#include "engine/array/array_state.h"
#include "engine/array/operators.h"
#include "instrumentation/base/check.h"

namespace runahead::engine {

namespace {

constexpr record::Site kPass{"compiled pass", trace::SliceKind::kExecute, __FILE__, __LINE__};

// Everything that the op of a pass (one run of the graph) needs. All passes share one Program; it never
// changes.
struct Program {
  Graph graph;
  BufferPlan plan;
  std::vector<std::int64_t> buffer_offsets;  // offset of each buffer in the workspace, in elements
  std::vector<std::int32_t> arguments;  // input nodes, then parameter nodes: the order of the op's inputs
  Cost cost;
};

// Each buffer begins at a multiple of 16 elements. 16 elements are 64 bytes, which is also the alignment of
// the blocks of a MemoryPool.
constexpr std::int64_t kAlignElements = 16;

std::int64_t lay_out(Program& program) {
  std::int64_t end = 0;
  for (const std::int64_t size : program.plan.buffer_sizes) {
    program.buffer_offsets.push_back(end);
    end += (size + kAlignElements - 1) / kAlignElements * kAlignElements;
  }
  return end;
}

const Shape& shape_of(const Graph& graph, std::int32_t node) {
  return graph.nodes[static_cast<std::size_t>(node)].shape;
}

MatrixProduct dense_product(const Graph& graph, const GraphNode& node) {
  const Shape &x = shape_of(graph, node.operands[0]), &weight = shape_of(graph, node.operands[1]);
  return {.m = x[0], .n = weight[0], .k = x[1], .transpose_b = true, .beta = 1.0f};
}

// The sum of the operators' costs. The launch latency counts once, because a pass is one launch.
Cost total_cost(const Graph& graph) {
  Cost cost;
  for (const GraphNode& node : graph.nodes) {
    if (node.operands.empty()) continue;
    double elements = static_cast<double>(element_count(node.shape)), flops = elements;
    if (node.op == GraphOp::kDense) {
      const MatrixProduct p = dense_product(graph, node);
      flops = 2 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
      elements += static_cast<double>(p.m * p.k + p.k * p.n);
    } else {
      elements *= static_cast<double>(1 + node.operands.size());
    }
    const Cost own = cost_of(flops, elements);
    cost.flops += own.flops;
    cost.memory_bytes += own.memory_bytes;
  }
  return cost;
}

// Computes one node of the graph. The result has the same bits as the result of the same operator outside a
// graph. For relu and add, `out` may be the memory of an operand.
void compute(Arithmetic& math, const Graph& graph, const GraphNode& node, const float* const* in,
             float* out) {
  const std::int64_t count = element_count(node.shape);
  switch (node.op) {
    case GraphOp::kDense: {
      const MatrixProduct product = dense_product(graph, node);
      math.add_row(nullptr, in[2], out, {product.m, product.n});
      return math.multiply(product, in[0], in[1], out);
    }
    case GraphOp::kRelu:
      return math.map(WithScalar::kRelu, in[0], 0.0f, out, count);
    case GraphOp::kAdd:
      return math.map(OfTwo::kAdd, in[0], in[1], out, count);
    case GraphOp::kInput:
    case GraphOp::kParameter:
      return;
  }
}

void run_pass(const Program& program, const Values& values) {
  const Graph& graph = program.graph;
  // at[i] points to the values of node i. The values of inputs and parameters are only read.
  std::vector<const float*> at(graph.nodes.size(), nullptr);
  for (std::size_t i = 0; i < program.arguments.size(); ++i)
    at[static_cast<std::size_t>(program.arguments[i])] = values.in[i];
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    if (node.operands.empty()) continue;
    const std::int32_t buffer = program.plan.buffer_of[i];
    float* const out =
        buffer < 0 ? values.out[0] : values.out[1] + program.buffer_offsets[static_cast<std::size_t>(buffer)];
    const float* in[3] = {};
    for (std::size_t k = 0; k < node.operands.size(); ++k)
      in[k] = at[static_cast<std::size_t>(node.operands[k])];
    compute(values.math, graph, node, in, out);
    at[i] = out;
  }
}

Status check_parameters(const Graph& graph, const std::vector<Array>& parameters) {
  const std::vector<std::int32_t> nodes = graph.nodes_of(GraphOp::kParameter);
  if (parameters.empty()) return Error{"a graph without parameters has no device to run on"};
  if (nodes.size() != parameters.size()) {
    return Error{"a graph of " + std::to_string(nodes.size()) + " parameters was given " +
                 std::to_string(parameters.size())};
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[static_cast<std::size_t>(nodes[i])];
    if (parameters[i].shape() != node.shape) {
      return Error{"parameter '" + node.name + "' is " + to_string(node.shape) + " and was given " +
                   to_string(parameters[i].shape())};
    }
    RUNAHEAD_CHECK(parameters[i].context() == parameters.front().context());
  }
  return Ok{};
}

}  // namespace

struct CompiledGraph::State {
  std::shared_ptr<const Program> program;
  std::vector<Array> parameters;
  std::vector<Array> workspace;  // one array that contains all buffers; empty if there are no intermediate
                                 // results
};

Result<CompiledGraph> CompiledGraph::compile(Graph graph, std::vector<Array> parameters) {
  if (Status sound = check_graph(graph); !sound.ok()) return sound.error();
  if (Status fit = check_parameters(graph, parameters); !fit.ok()) return fit.error();
  auto program = std::make_shared<Program>();
  program->plan = plan_buffers(graph);
  program->arguments = graph.nodes_of(GraphOp::kInput);
  for (const std::int32_t node : graph.nodes_of(GraphOp::kParameter)) program->arguments.push_back(node);
  program->cost = total_cost(graph);
  program->graph = std::move(graph);
  const std::int64_t workspace_elements = lay_out(*program);
  auto state = std::make_shared<State>();
  if (workspace_elements > 0) state->workspace = {zeros(parameters.front().context(), {workspace_elements})};
  state->program = std::move(program);
  state->parameters = std::move(parameters);
  CompiledGraph compiled;
  compiled.state_ = std::move(state);
  return compiled;
}

Array CompiledGraph::run(std::span<const Array> inputs) const {
  RUNAHEAD_CHECK(state_ != nullptr);
  const Graph& graph = state_->program->graph;
  const std::vector<std::int32_t> nodes = graph.nodes_of(GraphOp::kInput);
  RUNAHEAD_CHECK_OP(nodes.size(), ==, inputs.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    RUNAHEAD_CHECK_OP(to_string(inputs[i].shape()), ==, to_string(shape_of(graph, nodes[i])));
  ArrayOp op{.site = &kPass,
             .inputs = {inputs.begin(), inputs.end()},
             .in_place = state_->workspace,
             .shapes = {shape_of(graph, graph.output)},
             .cost = state_->program->cost};
  op.inputs.insert(op.inputs.end(), state_->parameters.begin(), state_->parameters.end());
  return apply(state_->parameters.front().context(), std::move(op),
               [program = state_->program](const Values& values) { run_pass(*program, values); })
      .front();
}

const Graph& CompiledGraph::graph() const {
  RUNAHEAD_CHECK(state_ != nullptr);
  return state_->program->graph;
}
const BufferPlan& CompiledGraph::plan() const {
  RUNAHEAD_CHECK(state_ != nullptr);
  return state_->program->plan;
}
const std::vector<Array>& CompiledGraph::parameters() const {
  RUNAHEAD_CHECK(state_ != nullptr);
  return state_->parameters;
}

}  // namespace runahead::engine
