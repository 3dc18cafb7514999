#include "gui/platform/window.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "backends/imgui_impl_opengl3.h"
#include "imgui.h"

namespace runahead::gui {
namespace {

std::uint64_t bits_of(const Color& color) {
  const auto bits = [](float part) { return static_cast<std::uint64_t>(std::lround(part * 65535.0f)); };
  return bits(color.r) << 32 | bits(color.g) << 16 | bits(color.b);
}

void clear_and_draw(Color background, ImDrawData& data) {
  glClearColor(background.r, background.g, background.b, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

// Clips every command to `area`, draws, and restores the commands.
void draw_area(const Area& area, Color background, ImDrawData& data, int height_px) {
  std::vector<ImVec4> clips;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) {
      clips.push_back(command.ClipRect);
      const Area clip = intersection(area, clipped_area(command.ClipRect, data, height_px));
      const ImVec2 from = data.DisplayPos, scale = data.FramebufferScale;
      const auto x = [&](int px) { return static_cast<float>(px) / scale.x + from.x; };
      const auto y = [&](int px) { return static_cast<float>(px) / scale.y + from.y; };
      command.ClipRect = clip.empty() ? ImVec4() : ImVec4(x(clip.x0), y(clip.y0), x(clip.x1), y(clip.y1));
    }
  }
  glEnable(GL_SCISSOR_TEST);
  glScissor(area.x0, height_px - area.y1, area.x1 - area.x0, area.y1 - area.y0);
  clear_and_draw(background, data);
  glDisable(GL_SCISSOR_TEST);
  std::size_t next = 0;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) command.ClipRect = clips[next++];
  }
}

}  // namespace

// KeptPicture: a picture of the size of the window that keeps what was drawn, unlike the buffers of the
// window, which are undefined after they were shown. The OpenGL context must be current.
class Window::KeptPicture {
 public:
  KeptPicture(int width_px, int height_px) : width_px_(width_px), height_px_(height_px) {
    glGenFramebuffers(1, &framebuffer_);
    glGenRenderbuffers(1, &pixels_);
    glBindRenderbuffer(GL_RENDERBUFFER, pixels_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width_px, height_px);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels_);
    complete_ = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
  }
  ~KeptPicture() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &pixels_);
  }
  KeptPicture(const KeptPicture&) = delete;
  KeptPicture& operator=(const KeptPicture&) = delete;

  // False: there was no memory, for example.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] bool fits(const WindowOptions& size) const {
    return size.width_px == width_px_ && size.height_px == height_px_;
  }
  void draw(const std::vector<Area>& areas, Color background, ImDrawData& data) const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    for (const Area& area : areas) draw_area(area, background, data, height_px_);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, width_px_, height_px_, 0, 0, width_px_, height_px_, GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
  }

 private:
  const int width_px_, height_px_;
  GLuint framebuffer_ = 0, pixels_ = 0;
  bool complete_ = false;
};

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
  kept_.reset();
  if (renderer_started_) ImGui_ImplOpenGL3_Shutdown();
  renderer_started_ = false;
}

const Fonts& Window::load_fonts(const FontNeeds& needs) {
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  fonts_ = build_fonts(needs);
  ImGui_ImplOpenGL3_CreateFontsTexture();
  draw_all_next();
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
  ImDrawData& data = *ImGui::GetDrawData();
  const WindowOptions now = size();
  std::vector<Area> changed = changes_.next(data, now.width_px, now.height_px, bits_of(background));
  rendered_ = for_picture || !changed.empty();
  if (!rendered_) return;
  glViewport(0, 0, now.width_px, now.height_px);
  if (!software_) return clear_and_draw(background, data);
  if (!kept_ || !kept_->fits(now)) {
    kept_ = std::make_unique<KeptPicture>(now.width_px, now.height_px);
    changed = {Area{0, 0, now.width_px, now.height_px}};
  }
  if (kept_->complete()) {
    kept_->draw(changed, background, data);
  } else {
    clear_and_draw(background, data);
  }
  // Waits until the software renderer has finished the drawing. Otherwise present() would wait for the
  // drawing, and the measured cost of drawing would not include it.
  glFinish();
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
