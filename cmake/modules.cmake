# Modules: shared objects the library opens at run time, each with a library that must not be linked
# to it (their sources in parallel/ say why). They are installed in a directory of their own; the library looks
# there, relative to itself, to the tool, and at the place it was configured for (linsol/module.c).

include(GNUInstallDirs)
set(GA_MODULE_SUBDIR ${CMAKE_INSTALL_LIBDIR}/genalpha)
cmake_path(ABSOLUTE_PATH GA_MODULE_SUBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
  OUTPUT_VARIABLE GA_MODULE_DIR)
foreach(place LIB BIN)
  cmake_path(RELATIVE_PATH GA_MODULE_DIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_${place}DIR}
    OUTPUT_VARIABLE GA_MODULE_FROM_${place})
endforeach()
set_property(SOURCE src/linsol/module.c APPEND PROPERTY COMPILE_DEFINITIONS
  GA_MODULE_DIR="${GA_MODULE_DIR}" GA_MODULE_FROM_LIB="${GA_MODULE_FROM_LIB}"
  GA_MODULE_FROM_BIN="${GA_MODULE_FROM_BIN}")

# sequential MUMPS
set(GA_HAVE_MUMPS OFF)
if(GA_MUMPS)
  find_path(MUMPS_INCLUDE_DIR dmumps_c.h)
  find_library(MUMPS_LIBRARY dmumps_seq)
  if(MUMPS_INCLUDE_DIR AND MUMPS_LIBRARY)
    set(GA_HAVE_MUMPS ON)
  endif()
endif()
if(GA_HAVE_MUMPS)
  message(STATUS "MUMPS: yes (${MUMPS_LIBRARY})")
  add_library(genalpha_mumps MODULE parallel/mumps_module.c)
  target_include_directories(genalpha_mumps PRIVATE src)
  target_include_directories(genalpha_mumps SYSTEM PRIVATE ${MUMPS_INCLUDE_DIR})
  target_link_libraries(genalpha_mumps PRIVATE ${MUMPS_LIBRARY} Threads::Threads)
  add_dependencies(genalpha_objects genalpha_mumps) # who runs the library finds it in the build tree
  if(PROJECT_IS_TOP_LEVEL)
    install(TARGETS genalpha_mumps LIBRARY DESTINATION ${GA_MODULE_SUBDIR})
  endif()
  set_property(SOURCE src/linsol/registry.c src/linsol/mumps.c APPEND PROPERTY COMPILE_DEFINITIONS GA_HAVE_MUMPS)
else()
  message(STATUS "MUMPS: no (Debian: libmumps-seq-dev): there will be no linear solver mumps")
endif()
