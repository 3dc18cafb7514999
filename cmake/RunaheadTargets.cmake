# The functions that make all our targets: runahead_add_library, runahead_add_module, runahead_add_executable,
# runahead_add_test.

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(RUNAHEAD_CCACHE ccache)
if(RUNAHEAD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${RUNAHEAD_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${RUNAHEAD_CCACHE}")
endif()
find_package(Threads REQUIRED)
include(CheckCXXCompilerFlag)

# The compile options of all our targets. A unit is a file that includes several sources, which are compiled
# together (RUNAHEAD_UNITY).
# g++: -Wno-restrict, because g++ 12 at -O2 and -O3 gives a false warning for "literal" + std::string.
# Four more warnings depend on what g++ 12 inlines: it misjudges the sizes of objects and whether objects are
# initialised. A source that passes in a unit may be reported when it is compiled alone, and the reverse. Therefore
# these four are never errors: a release build must not fail after CI has passed. In units they are off.
# -Wno-subobject-linkage in units: g++ treats the sources of a unit as headers, and gives this warning only
# for headers.
# clang: -Wthread-safety checks the annotations of instrumentation/base/mutex.h. -Wshadow is off in
# units, because clang warns if two sources of a unit use the same name.
# scripts/lab/check-source compiles each source alone, with -Wshadow.
set(_runahead_inlining_warnings -Wno-error=array-bounds -Wno-error=stringop-overflow -Wno-error=stringop-overread
  -Wno-error=maybe-uninitialized)
if(RUNAHEAD_UNITY)
  set(_runahead_inlining_warnings -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-maybe-uninitialized -Wno-subobject-linkage)
endif()
add_library(runahead_build_options INTERFACE)
target_compile_features(runahead_build_options INTERFACE cxx_std_20)
target_compile_options(runahead_build_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${RUNAHEAD_WARNINGS_ARE_ERRORS}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-missing-field-initializers;-Wno-restrict;${_runahead_inlining_warnings}> $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers;$<$<COMPILE_LANGUAGE:CXX>:-fsized-deallocation;-Wthread-safety>$<$<BOOL:${RUNAHEAD_UNITY}>:;-Wno-shadow>>)
target_include_directories(runahead_build_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_link_libraries(runahead_build_options INTERFACE Threads::Threads)
# Adds an option if the compiler knows it.
function(_runahead_build_option known option)
  check_cxx_compiler_flag("${option}" ${known})
  if(${known})
    target_compile_options(runahead_build_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${option}>")
  endif()
endfunction()
# g++ 12 clears about 100 bytes with `rep stos`, for example at the start of a struct such as
# OpSpec. This instruction takes tens of cycles to start. If code reads this memory soon afterwards, the read
# waits until the instruction has ended. With the option below, g++ clears up to 256 bytes by a loop of vector
# stores, and calls memset for more bytes.
_runahead_build_option(RUNAHEAD_HAVE_MEMSET_STRATEGY "-mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign")
# No other library replaces our functions at load time (symbol interposition). Therefore the compiler may
# inline a function into other functions of the same source, even in position-independent code.
_runahead_build_option(RUNAHEAD_HAVE_NO_SEMANTIC_INTERPOSITION "-fno-semantic-interposition")
# With this option, __builtin_prefetch(.., 1) prefetches a cache line for writing, even if another core wrote
# the line last. The compiler then uses the instruction prefetchw. On x86-64 processors that do not support
# prefetchw, the instruction does nothing.
_runahead_build_option(RUNAHEAD_HAVE_PREFETCHW "-mprfchw")
if(RUNAHEAD_SANITIZE)
  # gcc 12's -Wmaybe-uninitialized and similar warnings report false positives in sanitized standard headers.
  target_compile_options(runahead_build_options INTERFACE -fsanitize=${RUNAHEAD_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(runahead_build_options INTERFACE -fsanitize=${RUNAHEAD_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # gcc defines __SANITIZE_ADDRESS__ or __SANITIZE_THREAD__, and our sources test these macros. clang has
    # only __has_feature(), which gcc 12 does not have. Therefore these lines define the macros for clang.
    foreach(kind address thread)
      string(TOUPPER "__SANITIZE_${kind}__" macro)
      if(RUNAHEAD_SANITIZE MATCHES "${kind}")
        target_compile_definitions(runahead_build_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${macro}=1>)
      endif()
    endforeach()
    # The test programs are large. lld links them in a quarter of the default linker's time.
    find_program(RUNAHEAD_LLD ld.lld)
    mark_as_advanced(RUNAHEAD_LLD)
    if(RUNAHEAD_LLD)
      target_link_options(runahead_build_options INTERFACE $<$<LINK_LANGUAGE:CXX>:-fuse-ld=lld>)
    endif()
  endif()
  if(RUNAHEAD_SANITIZE MATCHES "thread")
    # The thread sanitizer does not model fences. gcc warns about every fence, even in standard headers, so
    # this warning is off.
    target_compile_options(runahead_build_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  endif()
endif()

function(_runahead_setup target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:runahead_build_options>)
endfunction()

# Precompiled headers (RUNAHEAD_PCH, on in the presets ci, asan and tsan) shorten the build. They are not the default,
# since they hide a missing #include. The presets dev and release and scripts/lab/check-source compile without them, and
# find such a missing #include.
set(_runahead_standard_headers <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <deque> <filesystem>
  <functional> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <unordered_map> <utility>
  <variant> <vector>)
set(_runahead_trace_headers "${PROJECT_SOURCE_DIR}/instrumentation/base/format.h"
  "${PROJECT_SOURCE_DIR}/instrumentation/base/mutex.h" "${PROJECT_SOURCE_DIR}/instrumentation/base/result.h"
  "${PROJECT_SOURCE_DIR}/instrumentation/trace/trace.h")
# More headers to precompile: for each kind of target, the headers that most sources of such targets include.
# _runahead_kind_of() returns the kind of a target.
set(_runahead_headers_library ${_runahead_trace_headers})
set(_runahead_headers_engine "${PROJECT_SOURCE_DIR}/engine/array/operators.h"
  "${PROJECT_SOURCE_DIR}/instrumentation/record/hooks/hooks.h")
set(_runahead_headers_window ${_runahead_trace_headers} "${PROJECT_SOURCE_DIR}/gui/model/model.h")
set(_runahead_headers_paint ${_runahead_headers_window} "${PROJECT_SOURCE_DIR}/gui/widgets/ui.h")
set(_runahead_headers_test ${_runahead_trace_headers} <gmock/gmock.h> <gtest/gtest.h>)

# RUNAHEAD_UNITY (on in the presets ci, asan and tsan): 24 sources of a library or of a test program
# are compiled as one unit. This takes less than a third of the time that the sources take
# one by one. If two sources of a unit have local functions of the same name, the functions clash. In this
# case pass one of the two sources to runahead_compile_alone, which takes the source out of the unit.
function(runahead_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(_runahead_kind_of target out)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(folder MATCHES "^(engine|samples)(/|$)")
    set(kind engine)
  elseif(folder MATCHES "^gui/(app|core|model|panels|widgets)(/|$)")
    get_target_property(linked ${target} LINK_LIBRARIES)
    set(kind window)
    if("runahead_dep::IMGUI" IN_LIST linked)
      set(kind paint)  # only targets of the kind `paint` may include ImGui
    endif()
  else()
    set(kind library)
  endif()
  set(${out} ${kind} PARENT_SCOPE)
endfunction()

# There is one precompiled header for each kind of target and each set of OPTIONS (the compile
# options of a target). The first target that uses the header also builds it.
function(_runahead_precompile target kind)
  cmake_parse_arguments(ARG "" "" "OPTIONS" ${ARGN})
  if(NOT RUNAHEAD_PCH)
    return()
  endif()
  string(MAKE_C_IDENTIFIER "runahead_precompiled_${kind}${ARG_OPTIONS}" owner)
  if(NOT TARGET ${owner})
    set(source "${PROJECT_BINARY_DIR}/${owner}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "int main() {}\n")
    if(kind STREQUAL "test")
      add_executable(${owner} EXCLUDE_FROM_ALL "${source}")  # compiled like the tests: with -fPIE
      target_link_libraries(${owner} PRIVATE GTest::gmock)
    else()
      add_library(${owner} OBJECT EXCLUDE_FROM_ALL "${source}")
    endif()
    if(kind STREQUAL "paint")
      target_link_libraries(${owner} PRIVATE runahead_dep::IMGUI)
    endif()
    target_compile_options(${owner} PRIVATE ${ARG_OPTIONS})
    _runahead_setup(${owner})
    target_precompile_headers(${owner} PRIVATE ${_runahead_standard_headers} ${_runahead_headers_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# Test programs are compiled more often than they run, so a short build matters more than fast code.
# Therefore they are compiled without optimisation, and with line tables as the only debug
# information. This halves the build time.
set(_runahead_test_options -O0 -g1)

# runahead_add_library(NAME SOURCES a.cpp ... [PUBLIC deps] [PRIVATE deps]) -> target runahead_NAME, alias runahead::NAME
function(runahead_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(runahead_${name} STATIC ${ARG_SOURCES})
  add_library(runahead::${name} ALIAS runahead_${name})
  target_include_directories(runahead_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_features(runahead_${name} PUBLIC cxx_std_20)
  target_link_libraries(runahead_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  set_target_properties(runahead_${name} PROPERTIES UNITY_BUILD "${RUNAHEAD_UNITY}" UNITY_BUILD_BATCH_SIZE 24)
  _runahead_setup(runahead_${name})
  # RUNAHEAD_QUICK_BUILD: libraries whose code takes little time in tests are compiled with -O0. In a build with
  # sanitizers, clang spends most of its time on optimising the checks that the sanitizers insert: -O0 takes a third
  # of the time. There, more libraries are compiled with -O0.
  _runahead_kind_of(runahead_${name} kind)
  set(options)
  set(quick "gui/(app|background|cli|core|graph|model|panels|session|text|widgets)|samples|instrumentation/(api|cupti|import|query)")
  if(RUNAHEAD_SANITIZE)
    set(quick "gui/(app|background|cli|core|graph|model|panels|session|text|theme|timeline|widgets)|samples|instrumentation/(analysis|api|causes|cupti|import|query)")
  endif()
  if(RUNAHEAD_QUICK_BUILD AND CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(${quick})(/|$)")
    set(options -O0)
  endif()
  target_compile_options(runahead_${name} PRIVATE ${options})
  _runahead_precompile(runahead_${name} ${kind} OPTIONS ${options})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/tests(/|$)")
    set_target_properties(runahead_${name} PROPERTIES EXCLUDE_FROM_ALL ON)  # built with the test programs that use it
  endif()
endfunction()

# runahead_use_libraries(NAME ZSTD ...): if a named library is installed, links it and defines its macro for
# the sources, such as RUNAHEAD_HAVE_ZSTD.
function(runahead_use_libraries name)
  set(target ${name})
  if(NOT TARGET ${target})
    set(target runahead_${name})
  endif()
  foreach(library IN LISTS ARGN)
    if(RUNAHEAD_HAVE_${library})
      target_link_libraries(${target} PRIVATE runahead_dep::${library})
      target_compile_definitions(${target} PRIVATE RUNAHEAD_HAVE_${library})
    endif()
  endforeach()
endfunction()

# runahead_add_module(NAME ...): makes a shared library that is opened at run time: librunahead_NAME.so, in the folder of
# the program.
function(runahead_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PRIVATE" ${ARGN})
  add_library(runahead_${name} MODULE ${ARG_SOURCES})
  set_target_properties(runahead_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_link_libraries(runahead_${name} PRIVATE ${ARG_PRIVATE})
  _runahead_setup(runahead_${name})
endfunction()

function(runahead_add_executable name)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES;PRIVATE" ${ARGN})
  add_executable(runahead_${name} ${ARG_SOURCES})
  if(ARG_OUTPUT)
    set_target_properties(runahead_${name} PROPERTIES OUTPUT_NAME ${ARG_OUTPUT} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  endif()
  target_link_libraries(runahead_${name} PRIVATE ${ARG_PRIVATE})
  _runahead_setup(runahead_${name})
endfunction()

# runahead_add_test(NAME SOURCES ... LINK ... [LABELS ...] [TIMEOUT s]): makes one GoogleTest
# program, with one ctest entry for each case. RUNAHEAD_TEST_PROGRAMS (set in the presets ci and tsan) lists
# the programs to build; other programs are skipped, and those of RUNAHEAD_WITHOUT_TEST_PROGRAMS.
# RUNAHEAD_TEST_PARTS (set in the presets ci, asan, tsan and fuzz) is a number of parts: the cases are divided
# into these parts, with one ctest entry for each part. Fewer ctest entries save time, because each entry
# starts a process. The start of a process takes 20 ms, or 100 ms with a sanitizer.
function(runahead_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  _runahead_setup(${name})
  target_compile_options(${name} PRIVATE ${_runahead_test_options})
  set_target_properties(${name} PROPERTIES UNITY_BUILD "${RUNAHEAD_UNITY}" UNITY_BUILD_BATCH_SIZE 24)
  _runahead_precompile(${name} test OPTIONS ${_runahead_test_options})
  if((RUNAHEAD_TEST_PROGRAMS AND NOT name IN_LIST RUNAHEAD_TEST_PROGRAMS) OR name IN_LIST RUNAHEAD_WITHOUT_TEST_PROGRAMS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(NOT RUNAHEAD_TEST_PARTS)
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
    return()
  endif()
  set(parts ${RUNAHEAD_TEST_PARTS})
  math(EXPR timeout "3 * ${ARG_TIMEOUT}")
  foreach(part RANGE 1 ${parts})
    math(EXPR index "${part} - 1")
    add_test(NAME ${name}.${part}_of_${parts} COMMAND ${name})
    set_tests_properties(${name}.${part}_of_${parts} PROPERTIES TIMEOUT ${timeout} LABELS "${ARG_LABELS}"
      COST ${timeout}  # tests that may take long start first, so that no processor is idle at the end
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
