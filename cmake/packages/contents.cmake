# Run by cpack when the files of the packages of one kind (CPACK_GENERATOR) lie in CPACK_TEMPORARY_INSTALL_DIRECTORY.
# Compresses the man pages. For a .deb: removes the search path of the .tar.gz. For a .tar.gz: adds the libraries that are
# not on every system, the fonts, and their licences.
cmake_policy(VERSION 3.25)
set(folder "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")

file(GLOB_RECURSE pages "${folder}/*.1")
list(FILTER pages INCLUDE REGEX "/share/man/man1/")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9nf "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Programs and libraries. Others end the same way by chance, so the first bytes decide.
set(binaries)
file(GLOB_RECURSE candidates LIST_DIRECTORIES OFF "${folder}/*")
foreach(file IN LISTS candidates)
  if(NOT IS_SYMLINK "${file}")
    file(READ "${file}" begin LIMIT 4 HEX)
    if(begin STREQUAL "7f454c46")
      list(APPEND binaries "${file}")
    endif()
  endif()
endforeach()

if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(binary IN LISTS binaries)
    file(RPATH_REMOVE FILE "${binary}")
  endforeach()
  return()
endif()

# ---- .tar.gz ----------------------------------------------------------------------------------------------------------
# These belong to the system. glibc, libstdc++ and libgcc must be the ones that the graphics driver uses too: a driver
# fails if an older libstdc++ was loaded before it. GL is the driver's. X11 has to fit to GL. The loader of OpenCL drivers knows
# where the system has its drivers.
set(of_system "^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libutil|libstdc\\+\\+|libgcc_s|libGL|libGLX|libGLdispatch|libOpenGL|libEGL|libX11|libxcb|libXau|libXdmcp|libbsd|libmd|libOpenCL|librunahead)\\.so")

# The package of a file. dpkg knows a library by /lib or by /usr/lib, which are the same folder.
function(package_of file out)
  file(REAL_PATH "${file}" file)
  string(REGEX REPLACE "^/usr/lib/" "/lib/" short "${file}")
  foreach(name "${file}" "${short}")
    execute_process(COMMAND dpkg-query -S "${name}" OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      string(REGEX REPLACE "[:,].*" "" found "${found}")
      set(${out} "${found}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${file} is in no Debian package, so its licence is not known")
endfunction()

set(packages libimgui-dev libcli11-dev nlohmann-json3-dev libprotozero-dev)  # compiled into the program
foreach(binary IN LISTS binaries)
  execute_process(COMMAND ldd "${binary}" OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^ \t\n]+ => /[^ ]+" lines "${needed}")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([^ ]+) => (.+)$" line "${line}")
    set(name "${CMAKE_MATCH_1}")
    set(file "${CMAKE_MATCH_2}")
    set(copy "${folder}/${CPACK_RUNAHEAD_PRIVATE_FOLDER}/${name}")
    if(NOT name MATCHES "${of_system}" AND NOT EXISTS "${copy}")
      package_of("${file}" package)
      list(APPEND packages ${package})
      file(REAL_PATH "${file}" file)
      configure_file("${file}" "${copy}" COPYONLY)
    endif()
  endforeach()
endforeach()

set(fonts /usr/share/fonts/truetype/noto/NotoSans-Regular.ttf /usr/share/fonts/truetype/noto/NotoSans-Bold.ttf
  /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc)
foreach(font IN LISTS fonts)
  package_of("${font}" package)
  list(APPEND packages ${package})
  file(COPY "${font}" DESTINATION "${folder}/share/runahead/fonts")
endforeach()

set(licences "${folder}/share/doc/runahead/licenses")
file(MAKE_DIRECTORY "${licences}")
list(REMOVE_DUPLICATES packages)
foreach(package IN LISTS packages)
  file(READ "/usr/share/doc/${package}/copyright" text)
  file(WRITE "${licences}/${package}" "${text}")
endforeach()
