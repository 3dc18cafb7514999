# A script that makes a C++ source for the host from a CUDA source (.cu). It changes only what is no C++:
#   kernel<<<configuration>>>(arguments)    becomes   RUNAHEAD_LAUNCH(kernel, configuration)(arguments)
#   __shared__ type name[size];             becomes   SharedArray<type[size]> name(__LINE__);
# Every line keeps its number. tests/host_cuda/grid.h defines the words of CUDA. The script fails if CUDA's syntax is
# left.
#   cmake -DSOURCE=x.cu -DOUTPUT=x.cpp [-DFAULTS=faults.cmake] -P host_source.cmake
# FAULTS: a file that plants faults by runahead_plant(). One copy has all faults; planted_fault (grid.h) chooses one.
cmake_minimum_required(VERSION 3.25)
# CMake's lists would take brackets and semicolons apart, so the text is used only in quotes.
file(READ "${SOURCE}" text)
set(names "")
set(count 0)

# runahead_plant(NAME OLD NEW): replaces OLD by NEW, in which @ is the condition "this fault is chosen". Fails unless OLD
# is exactly once in the source.
function(runahead_plant name old new)
  math(EXPR number "${count} + 1")
  string(FIND "${text}" "${old}" first)
  string(FIND "${text}" "${old}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "fault '${name}': not exactly once in ${SOURCE}: ${old}")
  endif()
  string(REPLACE "@" "::runahead::host_cuda::planted(${number})" new "${new}")
  string(REPLACE "${old}" "${new}" changed "${text}")
  set(text "${changed}" PARENT_SCOPE)
  set(count "${number}" PARENT_SCOPE)
  set(names "${names}    \"${name}\",\n" PARENT_SCOPE)
endfunction()

if(FAULTS)
  include("${FAULTS}")
endif()

string(REGEX REPLACE "([A-Za-z_]+)<<<(([^>]|>[^>])*)>>>\\(" "RUNAHEAD_LAUNCH(\\1, \\2)(" text "${text}")
string(REGEX REPLACE "__shared__ ([a-z_]+) ([a-z_]+)([^;]+);"
  "const ::runahead::host_cuda::SharedArray<\\1\\3> \\2(__LINE__);" text "${text}")
if(text MATCHES "<<<|__shared__")
  message(FATAL_ERROR "${SOURCE}: a launch or a shared array that this script does not understand")
endif()
set(head "#define RUNAHEAD_HOST_CUDA_SOURCE\n#include \"tests/host_cuda/grid.h\"\n")
set(tail "")
if(FAULTS)
  set(tail "
namespace runahead::host_cuda {
const char* const* planted_faults() {
  static const char* const names[] = {
${names}    nullptr};
  return names;
}
}  // namespace runahead::host_cuda
")
endif()
file(WRITE "${OUTPUT}" "${head}#line 1 \"${SOURCE}\"\n${text}${tail}")
