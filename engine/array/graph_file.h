// Writes a graph and the values of its parameters as bytes or as a file, and reads them again. A program can
// run a saved graph without the code that recorded the graph.
//
// Layout, little-endian.
//   header  "RUNAGRPH", u32 version, u64 size of the body in bytes, u64 FNV-1a of the body
//   body    u32 count of nodes, the nodes; i32 index of the output node; for each parameter its float32
//           values
//   node    u8 kind; u32 count of operands, i32 each. Inputs and parameters have also: u32 count of extents,
//           i64 each; u32 length of the name, the name
// The shapes of results are not stored; the reader infers them.
//
// The reader checks everything: a file that was cut off, changed or forged gives an error message of one
// line.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/array/compiled_graph.h"
#include "engine/array/gradient_graph.h"
#include "instrumentation/base/result.h"

namespace runahead::engine {

struct SavedGraph {
  Graph graph;
  std::vector<std::vector<float>> parameters;  // in the order of the parameter nodes
};

// Waits for the parameters and copies their values to the host. Error: an op that computes a parameter
// failed, or the device is timing-only and has no values.
[[nodiscard]] Result<SavedGraph> saved_from(const CompiledGraph& compiled);
// Copies the parameters to `context` and compiles the graph.
[[nodiscard]] Result<CompiledGraph> compile(const Context& context, const SavedGraph& saved);

// REQUIRES: check_graph() is ok, and each parameter has the size of its node.
[[nodiscard]] std::vector<std::byte> encode_graph(const SavedGraph& saved);
[[nodiscard]] Result<SavedGraph> decode_graph(std::span<const std::byte> bytes);

// save_graph() writes either the complete file or no file. Errors name the path.
[[nodiscard]] Status save_graph(const std::string& path, const SavedGraph& saved);
[[nodiscard]] Result<SavedGraph> load_graph(const std::string& path);

}  // namespace runahead::engine
