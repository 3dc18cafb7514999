// CompiledGraph: a graph that runs as one unit. One pass (one run of the whole graph) is one op. The op runs
// the graph's operators in order. The results of the operators go to buffers that were planned and allocated
// once. Therefore a pass costs one enqueue, one allocation (its output) and one launch, instead of one
// enqueue, allocation and launch per operator.
//
// Passes share the buffers, so they run one after the other, even if several workers are free.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/array/array.h"
#include "engine/array/gradient_graph.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

// A CompiledGraph is cheap to copy: copies share the buffers. The engine on which the graph runs must outlive
// the CompiledGraph.
class CompiledGraph {
 public:
  CompiledGraph() = default;  // empty
  // parameters: in the order of the graph's parameter nodes. All parameters must be in the same context; the
  // graph runs in this context. Error: the graph is malformed, or a parameter is missing or has the wrong
  // shape.
  [[nodiscard]] static Result<CompiledGraph> compile(Graph graph, std::vector<Array> parameters);

  // Enqueues one pass and returns its output immediately. inputs: in the order of the graph's input nodes. An
  // input whose shape or context differs from the graph's is a bug of the caller: RUNAHEAD_CHECK.
  [[nodiscard]] Array run(std::span<const Array> inputs) const;
  [[nodiscard]] Array run(const Array& input) const { return run(std::span(&input, 1)); }

  [[nodiscard]] const Graph& graph() const;
  [[nodiscard]] const BufferPlan& plan() const;
  [[nodiscard]] const std::vector<Array>& parameters() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace runahead::engine
