// A graph and its parameters' values as bytes, and as a file: to run elsewhere without the code that recorded
// it.
//
// Layout, little-endian: "RUNAGRPH", u32 version, u64 bytes of the body, u64 FNV-1a of the body; the body:
// the nodes (u8 kind, u32 count and i32 each operand; of inputs and parameters u32 count and i64 each extent,
// u32 length and the name), i32 output; then each parameter's float32 values. Results' shapes are inferred
// again.
//
// Reading trusts nothing: a file that is cut off, changed or made by hand to mislead is one line of error.
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

// Waits for the parameters and copies them to the host. The error: of an op, or of a device without values.
[[nodiscard]] Result<SavedGraph> saved_from(const CompiledGraph& compiled);
// Copies the parameters to `context` and compiles.
[[nodiscard]] Result<CompiledGraph> compile(const Context& context, const SavedGraph& saved);

// REQUIRES: check_graph() and parameters of the nodes' sizes.
[[nodiscard]] std::vector<std::byte> encode_graph(const SavedGraph& saved);
[[nodiscard]] Result<SavedGraph> decode_graph(std::span<const std::byte> bytes);

// Written whole or not at all. The errors name the path.
[[nodiscard]] Status save_graph(const std::string& path, const SavedGraph& saved);
[[nodiscard]] Result<SavedGraph> load_graph(const std::string& path);

}  // namespace runahead::engine
