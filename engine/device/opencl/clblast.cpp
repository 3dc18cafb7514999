#include "engine/device/opencl/clblast.h"

#include <dlfcn.h>

#include <cstdlib>

#include "instrumentation/base/mutex.h"

namespace runahead::engine::opencl {
namespace {

// The values of CLBlast's C interface (clblast_c.h).
constexpr int kRowMajor = 101, kAsIs = 111, kTransposed = 112;
using Sgemm = int (*)(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n,
                      std::size_t k, float alpha, cl_mem a, std::size_t a_at, std::size_t a_stride, cl_mem b,
                      std::size_t b_at, std::size_t b_stride, float beta, cl_mem c, std::size_t c_at,
                      std::size_t c_stride, cl_command_queue* queue, cl_event* event);

Sgemm find_sgemm() {
  if (std::getenv("RUNAHEAD_OPENCL_NO_CLBLAST") != nullptr) return nullptr;
  void* const library = ::dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? reinterpret_cast<Sgemm>(::dlsym(library, "CLBlastSgemm")) : nullptr;
}

Sgemm sgemm() {
  static const Sgemm function = find_sgemm();
  return function;
}

// Held during each call. In its first call CLBlast 1.5.3 makes a table of all devices, without a lock.
// Without this lock, two first calls at the same time, for two devices, crashed 5 of 36 processes (PoCL 3.1,
// a busy machine with two cores).
Mutex& calls() {
  static Mutex only;  // never nests
  return only;
}

}  // namespace

bool has_clblast() { return sgemm() != nullptr; }

std::int32_t clblast_product(cl_command_queue queue, std::size_t m, std::size_t n, std::size_t k,
                             const BlasMatrix& a, const BlasMatrix& b, float beta, const BlasMatrix& c,
                             cl_event& last) {
  const auto how = [](const BlasMatrix& matrix) { return matrix.transpose ? kTransposed : kAsIs; };
  const MutexLock lock(calls());
  const int status = sgemm()(kRowMajor, how(a), how(b), m, n, k, 1.0f, a.buffer, a.at, a.stride, b.buffer,
                             b.at, b.stride, beta, c.buffer, c.at, c.stride, &queue, &last);
  return status_of(status);  // CLBlast keeps OpenCL's numbers, and adds its own below them
}

}  // namespace runahead::engine::opencl
