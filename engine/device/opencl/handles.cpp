#include "engine/device/opencl/handles.h"

#include <algorithm>
#include <array>
#include <string>

namespace runahead::engine::opencl {
namespace {

struct NamedError {
  cl_int error;
  const char* text;
};
// The errors that a user may meet, each with what OpenCL's name means.
constexpr std::array kErrors{
    NamedError{CL_DEVICE_NOT_AVAILABLE, "the device is not available (CL_DEVICE_NOT_AVAILABLE)"},
    NamedError{CL_COMPILER_NOT_AVAILABLE, "the driver has no compiler (CL_COMPILER_NOT_AVAILABLE)"},
    NamedError{CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of memory (CL_MEM_OBJECT_ALLOCATION_FAILURE)"},
    NamedError{CL_OUT_OF_RESOURCES, "out of resources, or the device was lost (CL_OUT_OF_RESOURCES)"},
    NamedError{CL_OUT_OF_HOST_MEMORY, "the host has no memory left (CL_OUT_OF_HOST_MEMORY)"},
    NamedError{CL_BUILD_PROGRAM_FAILURE, "the kernels do not compile (CL_BUILD_PROGRAM_FAILURE)"},
    NamedError{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an earlier command failed"},
    NamedError{CL_PROFILING_INFO_NOT_AVAILABLE,
               "the driver gives no times (CL_PROFILING_INFO_NOT_AVAILABLE)"},
    NamedError{CL_INVALID_BUFFER_SIZE, "more than the device gives in one piece (CL_INVALID_BUFFER_SIZE)"},
    NamedError{CL_INVALID_CONTEXT, "the device was lost (CL_INVALID_CONTEXT)"},
};

thread_local std::string text_of_thread;

}  // namespace

void set_build_log(const char* log) {
  std::string line(log);
  line.erase(0, line.find_first_not_of(" \n\r\t"));
  line.erase(std::min(line.find('\n'), line.size()));
  text_of_thread = "the kernels do not compile" + (line.empty() ? "" : ": " + line);
}

const char* error_text(std::int32_t status) {
  switch (status) {
    case kNoHostMemory:
      return "the host has no memory left";
    case kNoProgram:
      return text_of_thread.c_str();
    case kNotOurMemory:
      return "an address that is not on this device";
    case kSmallGroups:
      return "its work groups are too small: at least 256 items are needed";
    default:
      break;
  }
  const cl_int error = status - kFirstOpenCl;
  for (const NamedError& known : kErrors) {
    if (known.error == error) return known.text;
  }
  text_of_thread = "OpenCL error " + std::to_string(error);
  return text_of_thread.c_str();
}

}  // namespace runahead::engine::opencl
