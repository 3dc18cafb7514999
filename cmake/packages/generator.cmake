# Read by cpack before it makes packages of one kind (CPACK_GENERATOR).
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX "/")  # bin/, lib/ and share/ are in the first folder
  set(CPACK_STRIP_FILES ON)                # for a .deb, the symbols are taken out into another package
endif()
