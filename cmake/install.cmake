# `make install`: tool, libraries, headers, genalpha.pc, CMake package, man page, completion, models.
# Everything installed finds the rest relative to itself, so that the tree may be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(genalpha_shared PROPERTIES EXPORT_NAME genalpha)
set_target_properties(genalpha_headers PROPERTIES EXPORT_NAME headers)
set_target_properties(genalpha_results_shared PROPERTIES EXPORT_NAME results)
set_target_properties(genalpha_results_static PROPERTIES EXPORT_NAME results_static)
install(TARGETS genalpha_tool)
install(TARGETS genalpha_static genalpha_shared genalpha_headers genalpha_results_static
  genalpha_results_shared EXPORT genalphaTargets
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/genalpha DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

# CMake package
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/genalpha)
configure_package_config_file(cmake/genalphaConfig.cmake.in genalphaConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(genalphaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/genalphaConfig.cmake ${PROJECT_BINARY_DIR}/genalphaConfigVersion.cmake
  DESTINATION ${package_dir})
install(EXPORT genalphaTargets NAMESPACE genalpha:: DESTINATION ${package_dir})

# pkg-config files
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(IS_ABSOLUTE pc_dir pc_dir_is_absolute)
if(pc_dir_is_absolute)
  set(GA_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pc_dir}
    OUTPUT_VARIABLE up)
  set(GA_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(kind LIBDIR INCLUDEDIR)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${kind} BASE_DIRECTORY "\${prefix}"
    OUTPUT_VARIABLE GA_PC_${kind})
endforeach()
# ga_pc_file(NAME LIBRARY DESCRIPTION FLAG...)
function(ga_pc_file name library description)
  set(GA_PC_NAME ${name})
  set(GA_PC_LIBRARY ${library})
  set(GA_PC_DESCRIPTION ${description})
  list(JOIN ARGN " " GA_PC_PRIVATE)
  configure_file(cmake/genalpha.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endfunction()
ga_pc_file(genalpha genalpha "${PROJECT_DESCRIPTION}" ${GA_PRIVATE_FLAGS})
ga_pc_file(genalpha-results genalpha_results "results of genalpha in HDF5 files"
  ${GA_RESULTS_FLAGS})

if(TARGET genalpha_mpi)
  install(TARGETS genalpha_mpi)
  set(GA_PC_REQUIRES genalpha)
  ga_pc_file(genalpha-mpi genalpha_mpi "teams of genalpha over MPI")
  set(GA_PC_REQUIRES)
endif()
if(TARGET genalpha_petsc)
  install(TARGETS genalpha_petsc)
  ga_pc_file(genalpha-petsc genalpha_petsc "linear systems of teams of genalpha by PETSc")
endif()

# man page, made of what the tool itself says
add_custom_command(OUTPUT genalpha.1
  COMMAND sh ${PROJECT_SOURCE_DIR}/tools/man_page.sh $<TARGET_FILE:genalpha_tool>
    ${PROJECT_SOURCE_DIR}/docs/reference/genalpha.1.in genalpha.1
  DEPENDS genalpha_tool tools/man_page.sh docs/reference/genalpha.1.in VERBATIM)
add_custom_target(genalpha_man ALL DEPENDS genalpha.1)
install(FILES ${PROJECT_BINARY_DIR}/genalpha.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# the HTML reference, where `make docs` has made it
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL
  PATTERN "*.md5" EXCLUDE PATTERN "*.map" EXCLUDE)

install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/genalpha FILES_MATCHING PATTERN "*.yaml"
  PATTERN "*.urdf" PATTERN "*.stl" PATTERN "*.obj")

# what headers and messages refer to
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/genalpha
  FILES_MATCHING PATTERN "*.c" PATTERN "CMakeLists.txt")

install(FILES tool/completion.bash RENAME genalpha
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
