# Run by cpack when it has made the packages of one kind. cpack lets the package of a shared library call ldconfig when it
# is installed. Debian's way is the trigger that library/triggers asks for, so these calls are removed.
cmake_policy(VERSION 3.25)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(package MATCHES "/librunahead[0-9.]+_[^/]*\\.deb$")
    set(folder "${CPACK_TEMPORARY_DIRECTORY}/again")
    file(REMOVE_RECURSE "${folder}")
    execute_process(COMMAND dpkg-deb -R "${package}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${folder}/DEBIAN/postinst" "${folder}/DEBIAN/postrm")
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b "${folder}" "${package}" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
    file(REMOVE_RECURSE "${folder}")
  endif()
endforeach()
