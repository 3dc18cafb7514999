// An off-screen window that needs no display: it draws into a pbuffer (an EGL off-screen buffer) of EGL's
// surfaceless platform. libEGL is opened at run time, so that the program also starts without libEGL. This
// file defines the few EGL constants that it needs.
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "gui/platform/window.h"
#include "imgui.h"

namespace runahead::gui {

namespace {

// The values of these constants are from the EGL 1.5 specification and from EGL_MESA_platform_surfaceless.
constexpr int kPlatformSurfaceless = 0x31DD;
constexpr int kOpenGlApi = 0x30A2;
constexpr int kNone = 0x3038;
constexpr int kSurfaceType = 0x3033, kPbufferBit = 0x0001;
constexpr int kRenderableType = 0x3040, kOpenGlBit = 0x0008;
constexpr int kRedSize = 0x3024, kGreenSize = 0x3023, kBlueSize = 0x3022, kAlphaSize = 0x3021;
constexpr int kWidth = 0x3057, kHeight = 0x3056;
constexpr int kContextMajor = 0x3098, kContextMinor = 0x30FB;
constexpr int kProfileMask = 0x30FD, kCoreProfileBit = 0x1;

using Handle = void*;

// The functions of libEGL that this file uses. dlsym() finds them by name.
class EglLibrary {
 public:
  EglLibrary() : library_(dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    find("eglGetProcAddress", get_proc_address);
    find("eglInitialize", initialize);
    find("eglBindAPI", bind_api);
    find("eglChooseConfig", choose_config);
    find("eglCreatePbufferSurface", create_pbuffer);
    find("eglCreateContext", create_context);
    find("eglMakeCurrent", make_current);
    find("eglDestroyContext", destroy_context);
    find("eglDestroySurface", destroy_surface);
    find("eglTerminate", terminate);
  }
  [[nodiscard]] bool complete() const { return library_ != nullptr && missing_ == 0; }

  Handle (*get_proc_address)(const char*) = nullptr;
  unsigned (*initialize)(Handle, int*, int*) = nullptr;
  unsigned (*bind_api)(unsigned) = nullptr;
  unsigned (*choose_config)(Handle, const int*, Handle*, int, int*) = nullptr;
  Handle (*create_pbuffer)(Handle, Handle, const int*) = nullptr;
  Handle (*create_context)(Handle, Handle, Handle, const int*) = nullptr;
  unsigned (*make_current)(Handle, Handle, Handle, Handle) = nullptr;
  unsigned (*destroy_context)(Handle, Handle) = nullptr;
  unsigned (*destroy_surface)(Handle, Handle) = nullptr;
  unsigned (*terminate)(Handle) = nullptr;

 private:
  template <typename Function>
  void find(const char* name, Function& out) {
    out = reinterpret_cast<Function>(dlsym(library_, name));
    if (out == nullptr) ++missing_;
  }
  Handle library_;  // never closed: threads and exit handlers of the graphics driver may still use it
  int missing_ = 0;
};

class EglWindow final : public Window {
 public:
  explicit EglWindow(const WindowOptions& options) : size_(options) {}
  ~EglWindow() override;
  [[nodiscard]] Status start();

  bool wait_for_events(double timeout_s) override {
    if (timeout_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(timeout_s));
    return false;
  }
  [[nodiscard]] WindowOptions size() const override { return size_; }

 protected:
  void feed_input() override;
  void show() override {}

 private:
  [[nodiscard]] Status make_surface();

  EglLibrary egl_;
  WindowOptions size_;
  Handle display_ = nullptr, surface_ = nullptr, context_ = nullptr;
  std::chrono::steady_clock::time_point last_frame_ = std::chrono::steady_clock::now();
};

EglWindow::~EglWindow() {
  stop_renderer();
  if (display_ == nullptr) return;
  egl_.make_current(display_, nullptr, nullptr, nullptr);
  if (context_ != nullptr) egl_.destroy_context(display_, context_);
  if (surface_ != nullptr) egl_.destroy_surface(display_, surface_);
  egl_.terminate(display_);
}

Status EglWindow::start() {
  if (!egl_.complete()) return Error{"libEGL.so.1 not found (install libegl1)"};
  using GetPlatformDisplay = Handle (*)(unsigned, Handle, const int*);
  const auto get_display =
      reinterpret_cast<GetPlatformDisplay>(egl_.get_proc_address("eglGetPlatformDisplayEXT"));
  if (get_display == nullptr) return Error{"EGL has no platforms (install libegl-mesa0)"};
  display_ = get_display(kPlatformSurfaceless, nullptr, nullptr);
  if (display_ == nullptr || egl_.initialize(display_, nullptr, nullptr) == 0) {
    display_ = nullptr;
    return Error{"EGL cannot draw without a display here (install libegl-mesa0 and libgl1-mesa-dri)"};
  }
  const Status made = make_surface();
  if (!made.ok()) return made.error();
  if (!start_renderer()) return Error{"OpenGL 3.3 could not be set up on EGL"};
  return Ok{};
}

Status EglWindow::make_surface() {
  const int config_wanted[] = {kSurfaceType, kPbufferBit, kRenderableType, kOpenGlBit, kRedSize,   8,
                               kGreenSize,   8,           kBlueSize,       8,          kAlphaSize, 8,
                               kNone};
  Handle config = nullptr;
  int count = 0;
  egl_.bind_api(kOpenGlApi);
  if (egl_.choose_config(display_, config_wanted, &config, 1, &count) == 0 || count == 0) {
    return Error{"EGL has no OpenGL surface (install libgl1-mesa-dri)"};
  }
  const int surface_wanted[] = {kWidth, size_.width_px, kHeight, size_.height_px, kNone};
  surface_ = egl_.create_pbuffer(display_, config, surface_wanted);
  const int context_wanted[] = {kContextMajor, 3, kContextMinor, 3, kProfileMask, kCoreProfileBit, kNone};
  context_ = egl_.create_context(display_, config, nullptr, context_wanted);
  if (surface_ == nullptr || context_ == nullptr ||
      egl_.make_current(display_, surface_, surface_, context_) == 0) {
    return Error{"EGL has no OpenGL 3.3 (install libgl1-mesa-dri)"};
  }
  return Ok{};
}

void EglWindow::feed_input() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = ImVec2(static_cast<float>(size_.width_px), static_cast<float>(size_.height_px));
  const auto now = std::chrono::steady_clock::now();
  const float elapsed_s = std::chrono::duration<float>(now - last_frame_).count();
  last_frame_ = now;
  io.DeltaTime = elapsed_s > 0 ? elapsed_s : 1.0f / 60.0f;
  io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
}

}  // namespace

Result<std::unique_ptr<Window>> open_egl_window(const WindowOptions& options) {
  auto window = std::make_unique<EglWindow>(options);
  const Status started = window->start();
  if (!started.ok()) return started.error();
  return std::unique_ptr<Window>(std::move(window));
}

}  // namespace runahead::gui
