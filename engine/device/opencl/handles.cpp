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
    NamedError{CL_DEVICE_NOT_AVAILABLE,
               "the device was lost or is not available (CL_DEVICE_NOT_AVAILABLE); start again"},
    NamedError{CL_COMPILER_NOT_AVAILABLE,
               "the driver has no compiler (CL_COMPILER_NOT_AVAILABLE); install another driver"},
    NamedError{CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of memory (CL_MEM_OBJECT_ALLOCATION_FAILURE)"},
    NamedError{
        CL_OUT_OF_RESOURCES,
        "out of resources, or the device was lost (CL_OUT_OF_RESOURCES); use smaller arrays, or start again"},
    NamedError{CL_OUT_OF_HOST_MEMORY, "the host has no memory left (CL_OUT_OF_HOST_MEMORY)"},
    NamedError{CL_BUILD_PROGRAM_FAILURE, "the kernels do not compile (CL_BUILD_PROGRAM_FAILURE)"},
    NamedError{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an earlier command failed"},
    NamedError{CL_PROFILING_INFO_NOT_AVAILABLE,
               "the driver gives no times (CL_PROFILING_INFO_NOT_AVAILABLE)"},
    NamedError{CL_INVALID_BUFFER_SIZE, "more than the device gives in one piece (CL_INVALID_BUFFER_SIZE)"},
    NamedError{CL_INVALID_CONTEXT, "the device was lost (CL_INVALID_CONTEXT); start again"},
};

thread_local std::string text_of_thread;

}  // namespace

// The line of the first error; else the first line that is not empty.
void set_build_log(const char* log) {
  const std::string all(log);
  const std::size_t error = all.find("error");
  const std::size_t in_line = error != std::string::npos ? error : all.find_first_not_of(" \n\r\t");
  std::string line;
  if (in_line != std::string::npos) {
    const std::size_t before = all.rfind('\n', in_line);
    line = all.substr(before == std::string::npos ? 0 : before + 1);
    line.erase(std::min(line.find('\n'), line.size()));
  }
  text_of_thread = "the driver does not compile the kernels" + (line.empty() ? "" : " (" + line + ")") +
                   "; install another driver, or use another device";
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
