# libgenalpha_petsc: linear systems of a team by PETSc (ga_petsc.h). A library of its own, and off by
# default: Debian's PETSc is linked with parts under the GPL (docs/reference/licences.md).

option(GA_PETSC "linear solver for teams by PETSc (Debian: libpetsc-real-dev)" OFF)
if(NOT GA_PETSC)
  message(STATUS "PETSc: off (-DGA_PETSC=ON)")
  return()
endif()
find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS C)
pkg_search_module(PETSC REQUIRED petsc PETSc)
message(STATUS "PETSc: yes (${PETSC_VERSION})")
# full path, so that no search path of PETSc's own libraries is left in the flags of others
find_library(PETSC_LIBRARY NAMES ${PETSC_LIBRARIES} HINTS ${PETSC_LIBRARY_DIRS} NO_CACHE REQUIRED)

file(GLOB petsc_sources CONFIGURE_DEPENDS parallel/petsc/*.c)
add_library(genalpha_petsc SHARED ${petsc_sources})
target_include_directories(genalpha_petsc PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_include_directories(genalpha_petsc SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS} ${KLU_INCLUDE_DIR})
target_link_libraries(genalpha_petsc PUBLIC MPI::MPI_C
  PRIVATE ${PETSC_LIBRARY} ${KLU_LIBRARY} ${BTF_LIBRARY} ${AMD_LIBRARY} m)
set_target_properties(genalpha_petsc PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(NOT APPLE)
  target_link_options(genalpha_petsc PRIVATE LINKER:--version-script=${exports})
  set_target_properties(genalpha_petsc PROPERTIES LINK_DEPENDS ${exports})
endif()
add_library(genalpha::petsc ALIAS genalpha_petsc)
