# A script, run in every build: writes OUTPUT, a header that defines RUNAHEAD_COMMIT as the git commit of SOURCE_FOLDER.
# "-dirty" behind it: a file of the commit was changed. Empty: SOURCE_FOLDER is no git repository, or there is no git. The
# header is written only if it changes, so that only a new commit compiles gui/main.cpp again.
#   cmake -DSOURCE_FOLDER=... -DOUTPUT=... -P RunaheadCommit.cmake
cmake_minimum_required(VERSION 3.25)  # run by -P, it does not have the policies of CMakeLists.txt
find_program(git git)
set(commit)
get_filename_component(above "${SOURCE_FOLDER}" DIRECTORY)
if(git)
  # A source folder without a repository may be in a folder of another repository. Git does not look there.
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "GIT_CEILING_DIRECTORIES=${above}" "${git}" describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY "${SOURCE_FOLDER}" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#pragma once\n#define RUNAHEAD_COMMIT \"@commit@\"\n" @ONLY)
