# Finds the libraries. If pkg-config is installed, pkg-config finds the libraries. Otherwise CMake searches
# its folders (CMAKE_PREFIX_PATH first) for a header and a library file. If a library is missing, the feature
# that needs this library is off. At the end of the configuration, CMake prints the list of features.
set(RUNAHEAD_WITHOUT "" CACHE STRING
  "Features to leave out although their libraries are installed, by the names that the configuration prints; or ALL")
find_package(PkgConfig QUIET)
set(RUNAHEAD_FEATURES "" CACHE INTERNAL "")

# The tools and the Python package are for the system's Python, whose packages (such as numpy) the tests use. A Python
# of the user that comes first in PATH has other packages. -DPython3_EXECUTABLE=... chooses another one.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()

function(_runahead_feature name found sentence)
  if(found)
    set(RUNAHEAD_FEATURES "${RUNAHEAD_FEATURES};  on   ${name}" CACHE INTERNAL "")
  else()
    set(RUNAHEAD_FEATURES "${RUNAHEAD_FEATURES};  OFF  ${name}: ${sentence}" CACHE INTERNAL "")
  endif()
endfunction()

function(runahead_print_features)
  message(STATUS "Runahead features:")
  foreach(line IN LISTS RUNAHEAD_FEATURES)
    if(line)
      message(STATUS "${line}")
    endif()
  endforeach()
endfunction()

# runahead_feature_names(WITH WITHOUT): the names of the features of the program that are on and off, as text.
function(runahead_feature_names with without)
  set(names_on)
  set(names_off)
  foreach(line IN LISTS RUNAHEAD_FEATURES)
    if(line MATCHES "^  (on|OFF) +([A-Z0-9]+)")
      string(TOLOWER "names_${CMAKE_MATCH_1}" names)
      list(APPEND ${names} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  list(REMOVE_ITEM names_on GTEST BENCHMARK)
  list(REMOVE_ITEM names_off GTEST BENCHMARK)
  list(JOIN names_on ", " names_on)
  list(JOIN names_off ", " names_off)
  set(${with} "${names_on}" PARENT_SCOPE)
  set(${without} "${names_off}" PARENT_SCOPE)
endfunction()

# _runahead_wanted(NAME OUT): sets the variable OUT to OFF if RUNAHEAD_WITHOUT contains the feature NAME or
# ALL, otherwise to ON.
function(_runahead_wanted name out)
  set(${out} ON PARENT_SCOPE)
  if("ALL" IN_LIST RUNAHEAD_WITHOUT OR name IN_LIST RUNAHEAD_WITHOUT)
    set(${out} OFF PARENT_SCOPE)
  endif()
endfunction()

# Makes the interface target runahead_dep::NAME from a header and a library file, without pkg-config. If
# one of the two files is missing, the function makes no target (exception: INLINE, see _runahead_library).
function(_runahead_find_files name)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY" "DEFINES;INLINE" ${ARGN})
  find_path(RUNAHEAD_${name}_INCLUDE "${ARG_HEADER}")
  mark_as_advanced(RUNAHEAD_${name}_INCLUDE)
  if(ARG_LIBRARY)
    find_library(RUNAHEAD_${name}_LIBRARY "${ARG_LIBRARY}")
    mark_as_advanced(RUNAHEAD_${name}_LIBRARY)
  endif()
  set(library "${RUNAHEAD_${name}_LIBRARY}")
  if(NOT RUNAHEAD_${name}_INCLUDE OR (ARG_LIBRARY AND NOT library AND NOT ARG_INLINE))
    return()
  endif()
  add_library(runahead_dep::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(runahead_dep::${name} INTERFACE "${RUNAHEAD_${name}_INCLUDE}")
  target_compile_definitions(runahead_dep::${name} INTERFACE ${ARG_DEFINES})
  if(library)
    target_link_libraries(runahead_dep::${name} INTERFACE "${library}" Threads::Threads ${CMAKE_DL_LIBS} m)
  elseif(ARG_LIBRARY)
    target_compile_definitions(runahead_dep::${name} INTERFACE ${ARG_INLINE})
  endif()
endfunction()

# Checks that a program can be built with the library. The link fails, for example, if the library
# was made for a newer system.
function(_runahead_check name header uses)
  if(NOT DEFINED RUNAHEAD_${name}_LINKS)
    try_compile(RUNAHEAD_${name}_LINKS
      SOURCE_FROM_CONTENT "use_${name}.cpp" "#include <${header}>\nint main() { ${uses}; return 0; }\n"
      LINK_LIBRARIES runahead_dep::${name}
      CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
      OUTPUT_VARIABLE said)
    if(NOT RUNAHEAD_${name}_LINKS)
      file(WRITE "${PROJECT_BINARY_DIR}/use_${name}.log" "${said}")
      unset(RUNAHEAD_${name}_LINKS CACHE)  # so that the next configuration repeats the check
    endif()
  endif()
endfunction()

# _runahead_library(NAME sentence HEADER h USES code [LIBRARY lib] [PKG module] [DEFINES ...] [INLINE ...])
# If a program with `#include <h>` and `code` can be built, makes the target runahead_dep::NAME and sets
# RUNAHEAD_HAVE_NAME.
#   DEFINES   macros for code that uses the library; only used if pkg-config does not find the library
#   INLINE    macros with which the header alone is enough; used if the header is installed without the library file
function(_runahead_library name sentence)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "HEADER;USES;LIBRARY;PKG" "DEFINES;INLINE")
  set(RUNAHEAD_HAVE_${name} OFF PARENT_SCOPE)
  _runahead_wanted(${name} wanted)
  if(NOT wanted)
    _runahead_feature(${name} OFF "${sentence}, left out by RUNAHEAD_WITHOUT")
    return()
  endif()
  if(PkgConfig_FOUND AND ARG_PKG)
    pkg_check_modules(DEP_${name} QUIET IMPORTED_TARGET GLOBAL ${ARG_PKG})
    if(DEP_${name}_FOUND)
      add_library(runahead_dep::${name} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(runahead_dep::${name} INTERFACE PkgConfig::DEP_${name})
    endif()
  endif()
  if(NOT TARGET runahead_dep::${name})
    _runahead_find_files(${name} HEADER "${ARG_HEADER}" LIBRARY "${ARG_LIBRARY}" DEFINES ${ARG_DEFINES} INLINE ${ARG_INLINE})
  endif()
  if(NOT TARGET runahead_dep::${name})
    _runahead_feature(${name} OFF "${sentence}")
    return()
  endif()
  _runahead_check(${name} "${ARG_HEADER}" "${ARG_USES}")
  if(NOT RUNAHEAD_${name}_LINKS)
    _runahead_feature(${name} OFF
      "${sentence}: it is installed, but no program can be built with it (${PROJECT_BINARY_DIR}/use_${name}.log)")
    return()
  endif()
  set(RUNAHEAD_HAVE_${name} ON PARENT_SCOPE)
  _runahead_feature(${name} ON "")
endfunction()

_runahead_library(OPENBLAS "matrix products use a plain loop (libopenblas-dev)"
  PKG openblas HEADER cblas.h LIBRARY openblas USES "(void)cblas_sdot(0, nullptr, 1, nullptr, 1)")
_runahead_library(ZSTD "recordings are written uncompressed, and compressed ones cannot be opened (libzstd-dev)"
  PKG libzstd HEADER zstd.h LIBRARY zstd USES "ZSTD_freeCCtx(ZSTD_createCCtx())")
_runahead_library(XXHASH "recordings cannot be written or read (libxxhash-dev)"
  PKG libxxhash HEADER xxhash.h LIBRARY xxhash INLINE XXH_INLINE_ALL USES "XXH64_freeState(XXH64_createState())")
_runahead_library(SQLITE "no questions in SQL (libsqlite3-dev)"
  PKG sqlite3 HEADER sqlite3.h LIBRARY sqlite3 USES "sqlite3* db = nullptr; (void)sqlite3_open(\":memory:\", &db)")
_runahead_library(ZLIB ".json.gz cannot be read or written (zlib1g-dev)"
  PKG zlib HEADER zlib.h LIBRARY z USES "(void)deflateEnd(nullptr); (void)gzopen(\"\", \"\")")
_runahead_library(SIMDJSON "Chrome trace JSON cannot be opened (libsimdjson-dev)"
  PKG simdjson HEADER simdjson.h LIBRARY simdjson DEFINES SIMDJSON_THREADS_ENABLED=1
  USES "simdjson::dom::parser parser; (void)parser.load(\"\")")
_runahead_library(PROTOZERO "Perfetto traces cannot be written or read (libprotozero-dev)"
  HEADER protozero/pbf_writer.hpp USES "std::string text; protozero::pbf_writer writer(text)")
_runahead_library(MICROHTTPD "pages are not served (libmicrohttpd-dev)"
  PKG libmicrohttpd HEADER microhttpd.h LIBRARY microhttpd USES "MHD_stop_daemon(nullptr)")
_runahead_library(JSON "no command line (nlohmann-json3-dev)"
  HEADER nlohmann/json.hpp USES "(void)nlohmann::json::parse(\"{}\")")
_runahead_library(CLI11 "no command line (libcli11-dev)" HEADER CLI/CLI.hpp USES "CLI::App app(\"\")")

set(RUNAHEAD_HAVE_WINDOW OFF)
if(RUNAHEAD_WINDOW)
  _runahead_library(IMGUI "no window (libimgui-dev)" PKG imgui HEADER imgui.h LIBRARY imgui
    USES "ImGui::DestroyContext(ImGui::CreateContext())")
  _runahead_library(GLFW "no window (libglfw3-dev)" PKG glfw3 HEADER GLFW/glfw3.h LIBRARY glfw USES "glfwTerminate()")
  # libGL is on every machine with a graphics driver. The newer libOpenGL is often a package of its own.
  if(NOT DEFINED OpenGL_GL_PREFERENCE)
    set(OpenGL_GL_PREFERENCE LEGACY)
  endif()
  _runahead_wanted(OPENGL wanted)
  if(wanted)
    find_package(OpenGL QUIET COMPONENTS OpenGL)
  endif()
  _runahead_feature(OPENGL "${OpenGL_FOUND}" "no window (libgl-dev)")
  if(RUNAHEAD_HAVE_IMGUI AND RUNAHEAD_HAVE_GLFW AND OpenGL_FOUND)
    set(RUNAHEAD_HAVE_WINDOW ON)
  endif()
endif()

# The Python package needs Python's headers. Python itself is not built with a sanitizer. It can load an extension with
# the address sanitizer if LD_PRELOAD names the sanitizer's library (RUNAHEAD_ASAN_LIBRARY).
set(RUNAHEAD_HAVE_PYTHON OFF)
set(RUNAHEAD_ASAN_LIBRARY "")
if(RUNAHEAD_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" "-print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so"
    OUTPUT_VARIABLE RUNAHEAD_ASAN_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT EXISTS "${RUNAHEAD_ASAN_LIBRARY}")
    set(RUNAHEAD_ASAN_LIBRARY "")
  endif()
endif()
_runahead_wanted(PYTHON wanted)
if(wanted AND (NOT RUNAHEAD_SANITIZE OR RUNAHEAD_ASAN_LIBRARY))
  find_package(Python3 3.11 QUIET COMPONENTS Interpreter Development.Module)
  if(Python3_Development.Module_FOUND)
    set(RUNAHEAD_HAVE_PYTHON ON)
  endif()
endif()
# The Python that loads the extension: in a build with the address sanitizer, a script that sets LD_PRELOAD.
set(RUNAHEAD_PYTHON_PROGRAM "${Python3_EXECUTABLE}")
if(RUNAHEAD_PACKAGES AND RUNAHEAD_HAVE_PYTHON)
  # On another system, /usr/bin/python3 may be another version.
  set(RUNAHEAD_PYTHON_PROGRAM "/usr/bin/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}")
endif()
if(RUNAHEAD_HAVE_PYTHON AND RUNAHEAD_ASAN_LIBRARY)
  set(RUNAHEAD_PYTHON_PROGRAM "${PROJECT_BINARY_DIR}/python3-with-asan")
  # Python's own allocator would hide from the sanitizer where an object ends. Python never frees some of its memory, so
  # leaks are not reported.
  file(CONFIGURE OUTPUT "${RUNAHEAD_PYTHON_PROGRAM}" @ONLY CONTENT [[#!/bin/sh
export LD_PRELOAD="@RUNAHEAD_ASAN_LIBRARY@" PYTHONMALLOC=malloc ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
exec "@Python3_EXECUTABLE@" "$@"
]])
  file(CHMOD "${RUNAHEAD_PYTHON_PROGRAM}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
_runahead_feature(PYTHON "${RUNAHEAD_HAVE_PYTHON}" "no Python package (python3-dev of Python 3.11 or later; no sanitizer except clang's for addresses)")

# An example program needs MPI. Its C interface is enough: without MPI_CXX_SKIP_MPICXX, mpi.h also has an old C++
# interface, which needs another library.
set(RUNAHEAD_HAVE_MPI OFF)
_runahead_wanted(MPI wanted)
if(wanted)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    add_library(runahead_dep::MPI INTERFACE IMPORTED GLOBAL)
    target_link_libraries(runahead_dep::MPI INTERFACE MPI::MPI_CXX)
    _runahead_check(MPI mpi.h "(void)MPI_Finalize()")
    set(RUNAHEAD_HAVE_MPI "${RUNAHEAD_MPI_LINKS}")
  endif()
endif()
_runahead_feature(MPI "${RUNAHEAD_HAVE_MPI}" "no mpi_ring, an example of several processes (libopenmpi-dev, openmpi-bin)")

_runahead_library(OPENCL "no OpenCL devices (ocl-icd-opencl-dev)" PKG OpenCL HEADER CL/cl.h LIBRARY OpenCL
  DEFINES CL_TARGET_OPENCL_VERSION=120 USES "(void)clGetPlatformIDs(0, nullptr, nullptr)")

set(RUNAHEAD_HAVE_CUDA OFF)
set(RUNAHEAD_HAVE_CUPTI OFF)
_runahead_wanted(CUDA wanted)
if(RUNAHEAD_CUDA AND wanted)
  find_package(CUDAToolkit QUIET)
  # CMAKE_CUDA_ARCHITECTURES must be set before enable_language(), which otherwise takes only the
  # oldest architecture. With this list nvcc makes machine code for data-centre and desktop GPUs since 2020.
  # It also makes PTX (portable code), which the driver compiles for all other GPUs since 2018.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 86-real 89-real 90-real 100-real 120-real)
  endif()
  include(CheckLanguage)
  if(CUDAToolkit_FOUND AND TARGET CUDA::cublas)
    # nvcc is in the toolkit's folder, which may not be on the PATH.
    if(NOT CMAKE_CUDA_COMPILER AND CUDAToolkit_NVCC_EXECUTABLE)
      set(CMAKE_CUDA_COMPILER "${CUDAToolkit_NVCC_EXECUTABLE}")
    endif()
    check_language(CUDA)
    add_library(runahead_dep::CUDA INTERFACE IMPORTED GLOBAL)
    target_link_libraries(runahead_dep::CUDA INTERFACE CUDA::cudart CUDA::cublas)
    _runahead_check(CUDA cublas_v2.h "cublasHandle_t handle = nullptr; (void)cublasDestroy(handle)")
    if(CMAKE_CUDA_COMPILER AND RUNAHEAD_CUDA_LINKS)
      enable_language(CUDA)
      set(RUNAHEAD_HAVE_CUDA ON)
    endif()
  endif()
endif()
_runahead_feature(CUDA ${RUNAHEAD_HAVE_CUDA} "no CUDA devices (CUDA Toolkit with nvcc and cuBLAS)")

# The layouts of CUPTI's records depend on the version of CUPTI. Our module reads the layouts of version 13.
_runahead_wanted(CUPTI wanted)
if(RUNAHEAD_CUDA AND wanted AND TARGET CUDA::cupti AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
  add_library(runahead_dep::CUPTI INTERFACE IMPORTED GLOBAL)
  target_link_libraries(runahead_dep::CUPTI INTERFACE CUDA::cupti)
  target_include_directories(runahead_dep::CUPTI INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  _runahead_check(CUPTI cupti.h "uint32_t version = 0; (void)cuptiGetVersion(&version)")
  if(RUNAHEAD_CUPTI_LINKS)
    set(RUNAHEAD_HAVE_CUPTI ON)
  endif()
endif()
_runahead_feature(CUPTI ${RUNAHEAD_HAVE_CUPTI} "CUDA programs are recorded without their GPU's activity (CUPTI of the CUDA Toolkit 13)")

# The program opens every module (librunahead_cuda.so, librunahead_cupti.so) whose file exists. An earlier configuration
# may have built a module that this configuration does not build. The program would then open the outdated
# file of this module. Therefore the file is removed.
foreach(module CUDA CUPTI)
  if(NOT RUNAHEAD_HAVE_${module})
    string(TOLOWER "librunahead_${module}.so" file)
    file(REMOVE "${PROJECT_BINARY_DIR}/${file}")
  endif()
endforeach()

# The viewer of HTML pages is compiled to WebAssembly by clang, with the C and C++ libraries that Debian has for it.
_runahead_wanted(VIEWER wanted)
find_program(RUNAHEAD_WASM_CLANG NAMES clang++-16)
mark_as_advanced(RUNAHEAD_WASM_CLANG)
set(RUNAHEAD_WASM_FLAGS --target=wasm32-wasi --sysroot=/usr -nostdinc++ -isystem /usr/include/wasm32-wasi/c++/v1
  -std=c++20 -fno-exceptions -fno-rtti)
if(wanted AND RUNAHEAD_VIEWER AND RUNAHEAD_WASM_CLANG AND RUNAHEAD_HAVE_ZLIB)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/use_VIEWER.cpp" CONTENT "#include <vector>\nint main() { return std::vector<int>(3).at(2); }\n")
  execute_process(COMMAND "${RUNAHEAD_WASM_CLANG}" ${RUNAHEAD_WASM_FLAGS} use_VIEWER.cpp -o use_VIEWER.wasm
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(RUNAHEAD_HAVE_VIEWER ON)
  endif()
endif()
_runahead_feature(VIEWER "${RUNAHEAD_HAVE_VIEWER}"
  "no HTML pages (zlib1g-dev, clang-16, lld-16, wasi-libc, libc++-16-dev-wasm32, libclang-rt-16-dev-wasm32)")

if(RUNAHEAD_TESTS)
  _runahead_wanted(GTEST wanted)
  if(wanted)
    find_package(GTest QUIET)
    # If no built GoogleTest is installed, its sources are built here. Debian's package googletest and the
    # folder that scripts/lab/gpu-carry makes have these sources.
    find_path(RUNAHEAD_GOOGLETEST_SOURCES googlemock/CMakeLists.txt
      HINTS ${CMAKE_PREFIX_PATH} PATHS /usr PATH_SUFFIXES src/googletest)
    mark_as_advanced(RUNAHEAD_GOOGLETEST_SOURCES)
    if(NOT GTest_FOUND AND RUNAHEAD_GOOGLETEST_SOURCES)
      set(INSTALL_GTEST OFF CACHE INTERNAL "")
      add_subdirectory("${RUNAHEAD_GOOGLETEST_SOURCES}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
      set(GTest_FOUND ON)
    endif()
  endif()
  _runahead_feature(GTEST "${GTest_FOUND}" "no unit tests (libgtest-dev, libgmock-dev)")
endif()
if(RUNAHEAD_BENCH)
  _runahead_wanted(BENCHMARK wanted)
  if(wanted)
    find_package(benchmark QUIET)
  endif()
  _runahead_feature(BENCHMARK "${benchmark_FOUND}" "no benchmarks (libbenchmark-dev)")
endif()
