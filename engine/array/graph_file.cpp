#include "engine/array/graph_file.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/array/operators.h"
#include "instrumentation/base/check.h"
#include "instrumentation/base/posix_file.h"

namespace runahead::engine {

namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 8 + 4 + 8 + 8;

// The checksum is a 64-bit FNV-1a hash. If the same byte is hashed into two different states, the new states
// differ too. Therefore a change of one byte always changes the result.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

class ByteWriter {
 public:
  template <typename T>
  void number(T value) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(bits) >> (8 * i)) & 0xff));
  }
  void text(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void values(const std::vector<float>& values) {
    for (const float value : values) number(std::bit_cast<std::uint32_t>(value));
  }
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads numbers from bytes. A read past the end returns zero, and failed() is true from then on.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <typename T>
  T number() {
    if (!take(sizeof(T))) return T{};
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) bits |= std::to_integer<std::uint64_t>(taken_[i]) << (8 * i);
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(bits));
  }
  // Reads the number of items in a list. Each item has at least `each_bytes` bytes. Fails if the remaining
  // bytes cannot contain that many items. Therefore a wrong number in a file cannot cause a huge allocation.
  std::size_t count(std::size_t each_bytes) {
    const std::size_t count = number<std::uint32_t>();
    if (count > rest_.size() / each_bytes) failed_ = true;
    return failed_ ? 0 : count;
  }
  std::string text(std::size_t length) {
    if (!take(length)) return {};
    std::string text(length, '\0');
    std::memcpy(text.data(), taken_.data(), length);
    return text;
  }
  std::vector<float> values(std::size_t count) {
    if (count > rest_.size() / sizeof(float)) failed_ = true;
    if (failed_) return {};
    std::vector<float> values(count);
    for (float& value : values) value = std::bit_cast<float>(number<std::uint32_t>());
    return values;
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  bool take(std::size_t count) {
    if (failed_ || count > rest_.size()) {
      failed_ = true;
      return false;
    }
    taken_ = rest_.first(count);
    rest_ = rest_.subspan(count);
    return true;
  }
  std::span<const std::byte> rest_, taken_;
  bool failed_ = false;
};

void write_node(const GraphNode& node, ByteWriter& out) {
  out.number(static_cast<std::uint8_t>(node.op));
  out.number(static_cast<std::uint32_t>(node.operands.size()));
  for (const std::int32_t operand : node.operands) out.number(operand);
  if (!node.operands.empty()) return;  // an operator: its shape is not stored; the reader infers it
  out.number(static_cast<std::uint32_t>(node.shape.size()));
  for (const std::int64_t extent : node.shape) out.number(extent);
  out.number(static_cast<std::uint32_t>(node.name.size()));
  out.text(node.name);
}

GraphNode read_node(ByteReader& in) {
  GraphNode node{.op = static_cast<GraphOp>(in.number<std::uint8_t>())};
  node.operands.resize(in.count(sizeof(std::int32_t)));
  for (std::int32_t& operand : node.operands) operand = in.number<std::int32_t>();
  if (!node.operands.empty()) return node;
  node.shape.resize(in.count(sizeof(std::int64_t)));
  for (std::int64_t& extent : node.shape) extent = in.number<std::int64_t>();
  node.name = in.text(in.count(1));
  return node;
}

constexpr const char* kMalformed = "its content is not a graph";

Result<Graph> read_graph(ByteReader& in) {
  Graph graph;
  const std::size_t count = in.count(1 + 4);  // a node has at least its kind and its number of operands
  graph.nodes.reserve(count);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) graph.nodes.push_back(read_node(in));
  graph.output = in.number<std::int32_t>();
  if (in.failed()) return Error{kMalformed};
  if (Status sound = infer_shapes(graph); !sound.ok()) return sound.error();
  return graph;
}

Error at_path(const std::string& path, const std::string& why) {
  return Error{"graph file '" + path + "': " + why};
}

}  // namespace

std::vector<std::byte> encode_graph(const SavedGraph& saved) {
  RUNAHEAD_CHECK(check_graph(saved.graph).ok());
  const std::vector<std::int32_t> nodes = saved.graph.nodes_of(GraphOp::kParameter);
  RUNAHEAD_CHECK_OP(nodes.size(), ==, saved.parameters.size());
  ByteWriter body;
  body.number(static_cast<std::uint32_t>(saved.graph.nodes.size()));
  for (const GraphNode& node : saved.graph.nodes) write_node(node, body);
  body.number(saved.graph.output);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Shape& shape = saved.graph.nodes[static_cast<std::size_t>(nodes[i])].shape;
    RUNAHEAD_CHECK_OP(static_cast<std::int64_t>(saved.parameters[i].size()), ==, element_count(shape));
    body.values(saved.parameters[i]);
  }
  const std::vector<std::byte> content = body.take();
  ByteWriter whole;
  whole.text(kGraphMagic);
  whole.number(kVersion);
  whole.number(static_cast<std::uint64_t>(content.size()));
  whole.number(checksum(content));
  whole.append(content);
  return whole.take();
}

Result<SavedGraph> decode_graph(std::span<const std::byte> bytes) {
  ByteReader header(bytes.first(std::min(bytes.size(), kHeaderBytes)));
  if (header.text(kGraphMagic.size()) != kGraphMagic) return Error{"is not a saved graph"};
  const std::uint32_t version = header.number<std::uint32_t>();
  const std::uint64_t size = header.number<std::uint64_t>(), sum = header.number<std::uint64_t>();
  if (header.failed()) return Error{"ends within its header"};
  if (version != kVersion)
    return Error{"is of version " + std::to_string(version) + "; this program reads " +
                 std::to_string(kVersion)};
  const std::span<const std::byte> content = bytes.subspan(kHeaderBytes);
  if (content.size() != size) {
    return Error{"has " + std::to_string(content.size()) + " bytes after its header instead of " +
                 std::to_string(size) + ": it was cut off or changed"};
  }
  if (checksum(content) != sum) return Error{"was changed: its checksum is wrong"};
  ByteReader in(content);
  Result<Graph> graph = read_graph(in);
  if (!graph.ok()) return graph.error();
  SavedGraph saved{std::move(graph).value(), {}};
  for (const std::int32_t node : saved.graph.nodes_of(GraphOp::kParameter)) {
    const Shape& shape = saved.graph.nodes[static_cast<std::size_t>(node)].shape;
    saved.parameters.push_back(in.values(static_cast<std::size_t>(element_count(shape))));
  }
  if (in.failed() || !in.at_end()) return Error{"its parameter values do not match its graph"};
  return saved;
}

Result<SavedGraph> saved_from(const CompiledGraph& compiled) {
  SavedGraph saved{compiled.graph(), {}};
  for (const Array& parameter : compiled.parameters()) {
    Result<std::vector<float>> values = parameter.asnumpy();
    if (!values.ok()) return values.error();
    saved.parameters.push_back(std::move(values).value());
  }
  return saved;
}

Result<CompiledGraph> compile(const Context& context, const SavedGraph& saved) {
  const std::vector<std::int32_t> nodes = saved.graph.nodes_of(GraphOp::kParameter);
  RUNAHEAD_CHECK_OP(nodes.size(), ==, saved.parameters.size());
  std::vector<Array> parameters;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Shape& shape = saved.graph.nodes[static_cast<std::size_t>(nodes[i])].shape;
    parameters.push_back(from_host(context, shape, saved.parameters[i]));
  }
  return CompiledGraph::compile(saved.graph, std::move(parameters));
}

Status save_graph(const std::string& path, const SavedGraph& saved) {
  const std::vector<std::byte> bytes = encode_graph(saved);
  return write_file(Destination::kGraph, path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<SavedGraph> load_graph(const std::string& path) {
  std::error_code code;
  const bool is_file = std::filesystem::is_regular_file(path, code);
  if (code || !is_file) return at_path(path, code ? "cannot be opened: " + code.message() : "is not a file");
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  if (code) return at_path(path, "cannot be read: " + code.message());
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) return at_path(path, "cannot be read");
  Result<SavedGraph> saved = decode_graph(bytes);
  if (!saved.ok()) return at_path(path, saved.error().message);
  return saved;
}

}  // namespace runahead::engine
