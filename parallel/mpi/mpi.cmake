# libgenalpha_mpi: teams over MPI. A library of its own, found or left out; the core never sees MPI.
#   GA_MPI = AUTO (where MPI is found; inside another project as OFF), ON (required), OFF

# adds the contributions of all processes to a matrix, without MPI: also for the tests
add_library(genalpha_whole OBJECT parallel/mpi/whole.c parallel/mpi/condense.c)
set_target_properties(genalpha_whole PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(genalpha_whole PUBLIC include)

set(GA_MPI AUTO CACHE STRING "teams over MPI: AUTO, ON or OFF (Debian: libopenmpi-dev)")
set_property(CACHE GA_MPI PROPERTY STRINGS AUTO ON OFF)
set(GA_HAVE_MPI OFF)
if(GA_MPI)
  if(NOT GA_MPI STREQUAL AUTO)
    find_package(MPI REQUIRED COMPONENTS C)
  elseif(PROJECT_IS_TOP_LEVEL)
    find_package(MPI QUIET COMPONENTS C)
  endif()
  if(PROJECT_IS_TOP_LEVEL OR NOT GA_MPI STREQUAL AUTO)
    set(GA_HAVE_MPI ${MPI_C_FOUND})
  endif()
endif()
if(NOT GA_HAVE_MPI)
  message(STATUS "MPI: no (Debian: libopenmpi-dev openmpi-bin): there will be no libgenalpha_mpi")
  return()
endif()
message(STATUS "MPI: yes (${MPI_C_LIBRARIES})")

add_library(genalpha_mpi SHARED parallel/mpi/team.c parallel/mpi/neighbours.c parallel/mpi/gather.c $<TARGET_OBJECTS:genalpha_whole>)
target_include_directories(genalpha_mpi PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(genalpha_mpi PUBLIC genalpha_shared PRIVATE MPI::MPI_C)
set_target_properties(genalpha_mpi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(NOT APPLE)
  target_link_options(genalpha_mpi PRIVATE LINKER:--version-script=${exports})
  set_target_properties(genalpha_mpi PROPERTIES LINK_DEPENDS ${exports})
endif()
add_library(genalpha::mpi ALIAS genalpha_mpi)

# the table of functions that the tool uses under mpirun (launch.h); parallel/launcher.c finds the library beside
# the tool or where it is installed
target_sources(genalpha_mpi PRIVATE parallel/mpi/launch.c parallel/mpi/messages.c parallel/mpi/petsc.c)
target_include_directories(genalpha_mpi PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(genalpha_mpi PROPERTIES INSTALL_RPATH "$ORIGIN") # libgenalpha is there, too
