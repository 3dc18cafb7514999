// The source of the kernels of the OpenCL module: the text of kernels.cl. Internal to the module.
#pragma once

namespace runahead::engine {

extern const char* const kOpenClKernels;

}  // namespace runahead::engine
