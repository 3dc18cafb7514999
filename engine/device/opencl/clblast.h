// CLBlast's product of matrices, if CLBlast is installed. It is opened at run time. Internal to the OpenCL
// module.
#pragma once

#include <cstddef>

#include "engine/device/opencl/handles.h"

namespace runahead::engine::opencl {

// A matrix in a buffer, row-major: the index of its first element, and the elements from row to row.
struct BlasMatrix {
  cl_mem buffer = nullptr;
  std::size_t at = 0, stride = 0;
  bool transpose = false;
};

// False: CLBlast is not installed, or the environment has RUNAHEAD_OPENCL_NO_CLBLAST.
[[nodiscard]] bool has_clblast();
// Puts c = op(a) x op(b) + beta * c on the queue, with op(a) (m, k) and op(b) (k, n). Several commands;
// `last` is the last of them. REQUIRES: has_clblast(); m, n, k > 0.
[[nodiscard]] std::int32_t clblast_product(cl_command_queue queue, std::size_t m, std::size_t n,
                                           std::size_t k, const BlasMatrix& a, const BlasMatrix& b,
                                           float beta, const BlasMatrix& c, cl_event& last);

}  // namespace runahead::engine::opencl
