#include "gui/platform/window.h"

#include <GL/gl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "backends/imgui_impl_opengl3.h"
#include "imgui.h"

namespace runahead::gui {
namespace {

// Hashes 8 bytes at a time. The multiplication carries each bit to the higher ones, the shift back to the
// lower ones.
class FrameHash {
 public:
  void add(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    for (; bytes >= sizeof(std::uint64_t); bytes -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      add(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, at, bytes);
    add(rest ^ bytes << 56);
  }
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15U;
    hash_ ^= hash_ >> 29;
  }
  [[nodiscard]] std::uint64_t result() const { return hash_ == 0 ? 1 : hash_; }

 private:
  std::uint64_t hash_ = 0;
};

// Of all that the renderer reads, except for textures. Not 0.
std::uint64_t frame_hash(const ImDrawData& data, const WindowOptions& size, Color background) {
  FrameHash hash;
  hash.add(&background, sizeof background);
  for (const int number : {size.width_px, size.height_px, data.CmdListsCount})
    hash.add(static_cast<std::uint64_t>(number));
  for (const ImVec2& place : {data.DisplayPos, data.DisplaySize, data.FramebufferScale})
    hash.add(&place, sizeof place);
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    hash.add(list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.size_in_bytes()));
    hash.add(list.IdxBuffer.Data, static_cast<std::size_t>(list.IdxBuffer.size_in_bytes()));
    for (const ImDrawCmd& command : list.CmdBuffer) {
      hash.add(&command.ClipRect, sizeof command.ClipRect);
      hash.add(&command.TextureId, sizeof command.TextureId);
      for (const unsigned number : {command.VtxOffset, command.IdxOffset, command.ElemCount})
        hash.add(number);
    }
  }
  return hash.result();
}

}  // namespace

Window::Window() {
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  // ImGui writes no settings file, because the program stores all settings in its own file.
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

Window::~Window() { ImGui::DestroyContext(context_); }

Result<std::unique_ptr<Window>> Window::open(const WindowOptions& options) {
  return open_glfw_window(options, true);
}

Result<std::unique_ptr<Window>> Window::open_off_screen(const WindowOptions& options) {
  Result<std::unique_ptr<Window>> egl = open_egl_window(options);
  if (egl.ok()) return egl;
  Result<std::unique_ptr<Window>> hidden = open_glfw_window(options, false);
  if (hidden.ok()) return hidden;
  return Error{"picture: cannot draw: " + egl.error().message + "; and " + hidden.error().message};
}

void Window::wake() { wake_glfw(); }

bool Window::start_renderer() {
  renderer_started_ = ImGui_ImplOpenGL3_Init("#version 330 core");
  const GLubyte* const name = glGetString(GL_RENDERER);
  const std::string_view renderer = name != nullptr ? reinterpret_cast<const char*>(name) : "";
  for (const std::string_view software : {"llvmpipe", "softpipe", "swrast"}) {
    software_ = software_ || renderer.find(software) != std::string_view::npos;
  }
  return renderer_started_;
}

void Window::stop_renderer() {
  if (renderer_started_) ImGui_ImplOpenGL3_Shutdown();
  renderer_started_ = false;
}

const Fonts& Window::load_fonts(const FontNeeds& needs) {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  fonts_ = build_fonts(needs);
  ImGui_ImplOpenGL3_CreateFontsTexture();
  render_next_frame();
  return fonts_;
}

void Window::begin_frame() {
  ImGui::SetCurrentContext(context_);
  ImGui_ImplOpenGL3_NewFrame();
  feed_input();
  ImGui::NewFrame();
}

void Window::end_frame(Color background, bool for_picture) {
  ImGui::Render();
  const WindowOptions now = size();
  const std::uint64_t frame = frame_hash(*ImGui::GetDrawData(), now, background);
  rendered_ = for_picture || frame != shown_;
  shown_ = frame;
  if (!rendered_) return;
  glViewport(0, 0, now.width_px, now.height_px);
  glClearColor(background.r, background.g, background.b, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  // Waits until the software renderer has finished the drawing. Otherwise present() would wait for the
  // drawing, and the measured cost of drawing would not include it.
  if (software_) glFinish();
}

Picture Window::picture() const {
  const WindowOptions now = size();
  Picture picture{now.width_px, now.height_px, {}};
  const std::size_t row_bytes = static_cast<std::size_t>(now.width_px) * 4;
  const std::size_t rows = static_cast<std::size_t>(now.height_px);
  std::vector<std::uint8_t> from_bottom(row_bytes * rows);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, now.width_px, now.height_px, GL_RGBA, GL_UNSIGNED_BYTE, from_bottom.data());
  picture.rgba.resize(from_bottom.size());
  for (std::size_t row = 0; row < rows; ++row) {
    std::memcpy(&picture.rgba[row * row_bytes], &from_bottom[(rows - 1 - row) * row_bytes], row_bytes);
  }
  // Makes the picture opaque, because blending leaves alpha values below 255.
  for (std::size_t i = 3; i < picture.rgba.size(); i += 4) picture.rgba[i] = 255;
  return picture;
}

}  // namespace runahead::gui
