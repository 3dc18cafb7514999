#include "gui/graph/graph_scene.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/text/text.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::OpGraph;
using analysis::OpGraphNode;
using analysis::OpState;

// Sizes at scale 1. A line of text takes 15 px.
constexpr float kLinePx = 15;
constexpr float kReadableLayerPx = 21, kMostLayerPx = 84, kReadableColumnPx = 50, kMostColumnPx = 210;
// Columns may be narrower by this factor if all columns then fit, because slightly narrow columns are better
// than a scroll bar.
constexpr float kNearlyReadable = 0.85f;
constexpr float kLeastLayerPx = 3, kLeastColumnPx = 6, kLargestLayerPx = 160, kLargestColumnPx = 480;
constexpr float kMarginPx = 10;
constexpr float kMostBoxHeightPx = 40, kMostBoxWidthPx = 220;
constexpr float kHeightShare = 0.66f, kWidthShare = 0.88f;
constexpr float kPadPx = 4, kMarkPx = 13;

struct BoxSize {
  float width = 0, height = 0;
};

BoxSize box_size(const GraphCamera& camera, float scale) {
  const float height = std::min(camera.layer_px * kHeightShare, kMostBoxHeightPx * scale);
  return {std::max(2.0f, std::min(camera.column_px * kWidthShare, kMostBoxWidthPx * scale)),
          std::max(2.0f, std::floor(height))};
}

// Returns the previous scale if everything fits at that scale and little space is wasted. Otherwise returns
// the best scale.
float near_enough(float before_px, float best_px) {
  return before_px <= best_px && best_px < 1.5f * before_px ? before_px : best_px;
}

class SceneMaker {
 public:
  SceneMaker(const trace::Trace& trace, const OpGraph& graph, const LayeredLayout& layout,
             const GraphCamera& camera, const GraphFocus& focus, GraphScene& out)
      : trace_(trace),
        graph_(graph),
        layout_(layout),
        camera_(camera),
        focus_(focus),
        out_(out),
        scale_(out.size.scale),
        advance_(out.size.text.value_or(TextAdvance::average(scale_))),
        box_(box_size(camera, scale_)) {}

  void make() {
    find_devices();
    beside_.assign(graph_.nodes.size(), false);
    if (focus_.hovered && *focus_.hovered < beside_.size()) {
      beside_[*focus_.hovered] = true;
      for (const analysis::OpGraphEdge& edge : graph_.edges) {
        if (edge.from == *focus_.hovered || edge.to == *focus_.hovered)
          beside_[edge.from] = beside_[edge.to] = true;
      }
    }
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) add_line(i);
    const auto weight = [](const GraphLine& line) { return (line.beside ? 2 : 0) + (line.critical ? 1 : 0); };
    std::stable_sort(out_.lines.begin(), out_.lines.end(),
                     [&](const GraphLine& a, const GraphLine& b) { return weight(a) < weight(b); });
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) add_box(i);
  }

 private:
  [[nodiscard]] float x(float column) const { return column * camera_.column_px + camera_.x_px; }
  [[nodiscard]] float y(float layer) const { return (layer + 0.5f) * camera_.layer_px + camera_.y_px; }

  // Lists the devices that execute ops, sorted by name. A track without a device counts as a separate device.
  // If there are several devices, each box has the colour of its device.
  void find_devices() {
    for (const OpGraphNode& node : graph_.nodes) {
      const std::string device = device_of(node);
      if (!device.empty() && std::find(devices_.begin(), devices_.end(), device) == devices_.end()) {
        devices_.push_back(device);
      }
    }
    std::sort(devices_.begin(), devices_.end());
  }

  [[nodiscard]] std::string device_of(const OpGraphNode& node) const {
    if (raw(node.op.execute_track) >= trace_.tracks().size()) return {};
    const trace::TrackInfo& info = trace_.track(node.op.execute_track).info;
    return info.device.empty() ? info.name : info.device;
  }

  void add_line(std::size_t index) {
    const analysis::OpGraphEdge& edge = graph_.edges[index];
    GraphLine line{.kind = edge.kind, .critical = edge.critical};
    line.beside = focus_.hovered && (edge.from == *focus_.hovered || edge.to == *focus_.hovered);
    const std::vector<GridPoint>& way = layout_.ways[index];
    float left = 0, right = 0, top = 0, bottom = 0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      float at_y = y(way[i].layer);
      if (i == 0) at_y += box_.height / 2;
      if (i + 1 == way.size()) at_y -= box_.height / 2;
      const float at_x = x(way[i].x);
      left = i == 0 ? at_x : std::min(left, at_x);
      right = i == 0 ? at_x : std::max(right, at_x);
      top = i == 0 ? at_y : std::min(top, at_y);
      bottom = i == 0 ? at_y : std::max(bottom, at_y);
      line.points_px.emplace_back(at_x, at_y);
    }
    const bool seen = right >= 0 && left <= out_.size.width_px && bottom >= 0 && top <= out_.size.height_px;
    if (seen) out_.lines.push_back(std::move(line));
  }

  void add_box(std::uint32_t index) {
    const OpGraphNode& node = graph_.nodes[index];
    const GridPoint& at = layout_.nodes[index];
    GraphBox box{.node = index, .state = node.state, .critical = node.critical};
    box.x0_px = std::floor(x(at.x) - box_.width / 2);
    box.x1_px = std::floor(box.x0_px + box_.width);
    box.y0_px = std::floor(y(at.layer) - box_.height / 2);
    box.y1_px = box.y0_px + box_.height;
    if (box.x1_px < 0 || box.x0_px > out_.size.width_px || box.y1_px < 0 || box.y0_px > out_.size.height_px)
      return;
    box.failed = (node.op.flags & trace::kSliceFailed) != 0;
    box.selected = focus_.selected != kNoOp && node.op.id == focus_.selected;
    box.beside = beside_[index];
    box.from_elsewhere = node.elsewhere > 0;
    add_words(node, box);
    out_.boxes.push_back(std::move(box));
  }

  void add_words(const OpGraphNode& node, GraphBox& box) const {
    const std::string device = device_of(node);
    if (devices_.size() > 1 && !device.empty()) {
      box.category =
          static_cast<std::uint32_t>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
    }
    const float height = box.y1_px - box.y0_px;
    if (height < (kLinePx - 2) * scale_) return;
    const float room = box.x1_px - box.x0_px - (kMarkPx + 2 * kPadPx) * scale_;
    const std::string name(trace_.string(node.op.name));
    if (node.state == OpState::kFinished || node.state == OpState::kRunning) {
      const std::string duration = format_duration(node.executed);
      const float gap = 2 * kPadPx * scale_;
      if (advance_.width_px(duration) + gap + advance_.width_px(name) <= room) box.duration = duration;
    }
    box.name = fit_text(name, room, advance_);
    if (height < 2 * kLinePx * scale_) return;
    box.device = fit_text(device.empty() ? state_name(node.state) : device, room, advance_);
  }

  const trace::Trace& trace_;
  const OpGraph& graph_;
  const LayeredLayout& layout_;
  const GraphCamera& camera_;
  const GraphFocus& focus_;
  GraphScene& out_;
  const float scale_;
  const TextAdvance advance_;
  const BoxSize box_;
  std::vector<std::string> devices_;
  std::vector<bool> beside_;
};

}  // namespace

const char* state_name(OpState state) {
  switch (state) {
    case OpState::kWaiting:
      return text(Text::kOpWaiting);
    case OpState::kReady:
      return text(Text::kOpReady);
    case OpState::kRunning:
      return text(Text::kOpRunning);
    case OpState::kFinished:
      return text(Text::kOpFinished);
    case OpState::kSkipped:
      break;
  }
  return text(Text::kOpSkipped);
}

GraphCamera fit_camera(const LayeredLayout& layout, const SceneSize& size, GraphFit fit,
                       const GraphCamera* before) {
  const float columns = std::max(layout.width, 1.0f), layers = std::max(layout.layers, 1.0f);
  const float scale = size.scale, margin = kMarginPx * scale;
  const bool readable = fit == GraphFit::kReadable;
  GraphCamera camera;
  const float wanted = (size.width_px - 2 * margin) / columns, least = kReadableColumnPx * scale;
  const bool nearly = wanted < least && wanted >= kNearlyReadable * least;
  camera.column_px = std::clamp(wanted,
                                nearly     ? wanted
                                : readable ? least
                                           : kLeastColumnPx * scale,
                                kMostColumnPx * scale);
  camera.layer_px = std::clamp((size.height_px - 2 * margin) / layers,
                               (readable ? kReadableLayerPx : kLeastLayerPx) * scale, kMostLayerPx * scale);
  if (before != nullptr) {
    camera.column_px = near_enough(before->column_px, camera.column_px);
    camera.layer_px = near_enough(before->layer_px, camera.layer_px);
  }
  // If all columns fit, they are centred. Otherwise the first node is centred as far as possible.
  camera.x_px = std::max(margin, (size.width_px - columns * camera.column_px) / 2);
  if (columns * camera.column_px > size.width_px - 2 * margin && !layout.nodes.empty()) {
    camera.x_px = std::clamp(size.width_px / 2 - layout.nodes.front().x * camera.column_px,
                             size.width_px - margin - columns * camera.column_px, margin);
  }
  camera.y_px = std::max(margin, (size.height_px - layers * camera.layer_px) / 2);
  return camera;
}

namespace {

// Returns the scroll bar along an edge of `length` px. [low, high) px is the extent of the layout along this
// edge. nullopt: the layout fits, so no bar is needed.
std::optional<GraphBar> bar(float low, float high, float length) {
  if (low >= -0.5f && high <= length + 0.5f) return std::nullopt;
  low = std::min(low, 0.0f);
  high = std::max(high, length);
  const float px_per_px = (high - low) / length;
  return GraphBar{-low / px_per_px, (length - low) / px_per_px, px_per_px};
}

}  // namespace

GraphBars graph_bars(const LayeredLayout& layout, const GraphCamera& camera, const SceneSize& size) {
  if (layout.nodes.empty()) return {};
  return {bar(camera.x_px, camera.x_px + layout.width * camera.column_px, size.width_px),
          bar(camera.y_px, camera.y_px + layout.layers * camera.layer_px, size.height_px)};
}

GraphCamera zoom_camera(const GraphCamera& camera, float factor, float x_px, float y_px, float scale) {
  GraphCamera zoomed = camera;
  zoomed.column_px = std::clamp(camera.column_px * factor, kLeastColumnPx * scale, kLargestColumnPx * scale);
  zoomed.layer_px = std::clamp(camera.layer_px * factor, kLeastLayerPx * scale, kLargestLayerPx * scale);
  zoomed.x_px = x_px - (x_px - camera.x_px) * zoomed.column_px / std::max(camera.column_px, 1e-3f);
  zoomed.y_px = y_px - (y_px - camera.y_px) * zoomed.layer_px / std::max(camera.layer_px, 1e-3f);
  return zoomed;
}

void build_graph_scene(const trace::Trace& trace, const OpGraph& graph, const LayeredLayout& layout,
                       const GraphCamera& camera, const SceneSize& size, const GraphFocus& focus,
                       GraphScene& out) {
  out.size = size;
  out.bars = graph_bars(layout, camera, size);
  out.boxes.clear();
  out.lines.clear();
  SceneMaker(trace, graph, layout, camera, focus, out).make();
}

std::optional<std::uint32_t> node_at(const GraphScene& scene, float x_px, float y_px) {
  for (const GraphBox& box : scene.boxes) {
    if (x_px >= box.x0_px && x_px < box.x1_px && y_px >= box.y0_px && y_px < box.y1_px) return box.node;
  }
  return std::nullopt;
}

std::string graph_scene_text(const GraphScene& scene) {
  std::string text;
  const auto px = [](float value) { return std::to_string(static_cast<int>(std::lround(value))); };
  for (const GraphBox& box : scene.boxes) {
    text += "box " + std::to_string(box.node) + " " + px(box.x0_px) + "," + px(box.y0_px) + ".." +
            px(box.x1_px) + "," + px(box.y1_px) + " '" + box.name + "' '" + box.duration + "' '" +
            box.device + "' " + state_name(box.state);
    if (box.category) text += " category " + std::to_string(*box.category);
    if (box.failed) text += " failed";
    if (box.critical) text += " critical";
    if (box.selected) text += " selected";
    if (box.beside) text += " beside";
    if (box.from_elsewhere) text += " from elsewhere";
    text += "\n";
  }
  static constexpr std::array kKinds = {"read after write", "write after read", "write after write"};
  for (const GraphLine& line : scene.lines) {
    text += std::string("line ") + kKinds[static_cast<std::size_t>(line.kind)];
    for (const auto& [x, y] : line.points_px) text += " " + px(x) + "," + px(y);
    text += std::string(line.critical ? " critical" : "") + (line.beside ? " beside" : "") + "\n";
  }
  return text;
}

}  // namespace runahead::gui
