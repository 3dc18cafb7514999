# Packages (docs/packages.md): .deb files for Debian 12, one for each component, and a relocatable .tar.gz. Included if
# RUNAHEAD_PACKAGES is on. `cmake --workflow --preset packages` builds the program and makes them.
include(GNUInstallDirs)
set(RUNAHEAD_PACKAGE_CONTACT "The Runahead authors <authors@runahead.invalid>" CACHE STRING
  "The maintainer whom the packages name")
set(_parts "${PROJECT_SOURCE_DIR}/cmake/packages")
set(_revision 0runahead1)  # less than a revision of Debian's own
set(_made "${PROJECT_BINARY_DIR}/package_files")

# ---- where programs of the .tar.gz find its libraries -----------------------------------------------------------------
# The .tar.gz has libraries of its own in lib/.../runahead. DT_RPATH (and not DT_RUNPATH, the default) also applies to the
# libraries that these libraries need. contents.cmake removes the path in a .deb.
set(_private "${CMAKE_INSTALL_LIBDIR}/runahead")
function(_runahead_package_path target folder)
  if(TARGET ${target})
    file(RELATIVE_PATH there "/${folder}" "/${_private}")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${there}${ARGN}")
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags LINKER:-z,relro,-z,now)
  endif()
endfunction()
_runahead_package_path(runahead_program "${CMAKE_INSTALL_BINDIR}")
_runahead_package_path(runahead_api "${CMAKE_INSTALL_LIBDIR}")
_runahead_package_path(runahead_injection "${_private}" ":$ORIGIN/..")
_runahead_package_path(runahead_opencl "${_private}")
# It calls nothing of libc itself, but Debian asks of each library that it says that it needs libc.
target_link_options(runahead_injection PRIVATE LINKER:--no-as-needed)
_runahead_package_path(runahead_python "${RUNAHEAD_PYTHON_DIR}/runahead")

# ---- files that only packages have ------------------------------------------------------------------------------------
# runahead_package(COMPONENT NAME SECTION TEXT): describes the .deb of a component. TEXT: the first line is the synopsis.
set(CPACK_COMPONENTS_ALL)
macro(_runahead_package component name section text)
  string(TOUPPER ${component} _upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${_upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${_upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${_upper}_DESCRIPTION "${text}")
  set(_name ${name})
  file(CONFIGURE OUTPUT "${_made}/${name}/changelog.Debian" @ONLY CONTENT [[@_name@ (@PROJECT_VERSION@-@_revision@) unstable; urgency=medium

  * Built from the sources of Runahead @PROJECT_VERSION@. CHANGELOG.md has the changes.

 -- @RUNAHEAD_PACKAGE_CONTACT@  @_date@
]])
  execute_process(COMMAND gzip -9nf "${_made}/${name}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
  install(FILES "${_made}/${name}/changelog.Debian.gz" "${_parts}/copyright" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}"
    COMPONENT ${component})
endmacro()

# The date of the commit, so that the same commit makes the same files. Without git: that of CHANGELOG.md.
set(_date)
execute_process(COMMAND git log -1 --format=%aD WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  OUTPUT_VARIABLE _date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT _date)
  execute_process(COMMAND date -R -r "${PROJECT_SOURCE_DIR}/CHANGELOG.md" OUTPUT_VARIABLE _date OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

set(_about "Runahead draws what every thread, worker and GPU stream does, while a
program runs or from a file. It shows how far a frontend runs ahead of the
workers that execute its operations, and which calls wait.")
_runahead_package(program runahead devel "profiler for asynchronous execution
${_about}

This package has the window, the command line, and the library that is
loaded into CUDA programs to record them. With a driver of OpenCL, its
workloads also run on OpenCL devices.")
_runahead_package(library librunahead0.1 libs "recording library of the Runahead profiler
${_about}

This package has the shared library with which a program records itself.")
_runahead_package(api librunahead-dev libdevel "recording library of the Runahead profiler (development files)
${_about}

This package has the header and the CMake package of the library with
which a program records itself.")
if(RUNAHEAD_HAVE_PYTHON)
  _runahead_package(python python3-runahead python "asynchronous engine of Runahead for Python
${_about}

This package has the Python package: the engine under the names of MXNet
and PyTorch, and the observer of PyTorch.")
endif()

# The upstream changelog and the documents.
file(MAKE_DIRECTORY "${_made}/runahead")
execute_process(COMMAND gzip -9nc "${PROJECT_SOURCE_DIR}/CHANGELOG.md" OUTPUT_FILE "${_made}/runahead/changelog.gz" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB _documents CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
install(FILES "${_made}/runahead/changelog.gz" ${_documents} DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/runahead" COMPONENT program)

# ---- what all packages have in common ---------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME runahead)
set(CPACK_PACKAGE_VENDOR "The Runahead authors")
set(CPACK_PACKAGE_CONTACT "${RUNAHEAD_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_FILE_NAME "runahead-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE "${_parts}/generator.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${_parts}/contents.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${_parts}/finish.cmake")
set(CPACK_RUNAHEAD_PRIVATE_FOLDER "${_private}")
set(CPACK_VERBATIM_VARIABLES ON)

# ---- .deb -------------------------------------------------------------------------------------------------------------
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${_revision})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# dpkg-shlibdeps finds the packages of the libraries. librunahead is in no package yet: it is named below.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/instrumentation/api")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${_parts}/library/triggers")
# The debug symbols: NAME-dbgsym_VERSION_amd64.ddeb. They are found by the build id of a program, so they also belong to
# the programs of the .tar.gz.
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(_same "(= ${PROJECT_VERSION}-${_revision})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "librunahead0.1 ${_same}, fonts-noto-core | fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-runahead ${_same}, fonts-noto-cjk, libegl1")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "pocl-opencl-icd | opencl-icd, libclblast1")
set(CPACK_DEBIAN_API_PACKAGE_DEPENDS "librunahead0.1 ${_same}")
if(RUNAHEAD_HAVE_PYTHON)
  math(EXPR _next "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python3_VERSION_MINOR}~), python3 (<< 3.${_next}~)")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "runahead ${_same}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-torch, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${_parts}/python/postinst;${_parts}/python/prerm")
endif()
include(CPack)
