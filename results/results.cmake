# libgenalpha_results: results in HDF5 files. A library of its own, as HDF5 brings much along. Without
# HDF5 it is built, too, and says what is missing when a file is to be written or read.

find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5)
option(GA_HDF5 "results in HDF5 files, if the library is there" ON)

file(GLOB results_sources CONFIGURE_DEPENDS results/h5_*.c)
set(GA_RESULTS_LIBS m)
if(GA_HDF5 AND HDF5_INCLUDE_DIR AND HDF5_LIBRARY)
  list(PREPEND GA_RESULTS_LIBS ${HDF5_LIBRARY})
  message(STATUS "HDF5: ${HDF5_LIBRARY}")
else()
  set(results_sources results/none.c)
  message(STATUS "HDF5: no (Debian: libhdf5-dev)")
endif()
ga_link_flags(GA_RESULTS_FLAGS ${GA_RESULTS_LIBS})

add_library(genalpha_results_objects OBJECT results/writer.c results/reader.c ${results_sources})
set_target_properties(genalpha_results_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(genalpha_results_objects PUBLIC include PRIVATE results)
if(NOT results_sources STREQUAL results/none.c)
  target_include_directories(genalpha_results_objects SYSTEM PRIVATE ${HDF5_INCLUDE_DIR})
endif()

foreach(kind STATIC SHARED)
  string(TOLOWER genalpha_results_${kind} library)
  add_library(${library} ${kind} $<TARGET_OBJECTS:genalpha_results_objects>)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME genalpha_results LINKER_LANGUAGE C)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endforeach()
add_library(genalpha::results ALIAS genalpha_results_shared)
add_library(genalpha::results_static ALIAS genalpha_results_static)
target_link_libraries(genalpha_results_static INTERFACE
  "$<BUILD_INTERFACE:${GA_RESULTS_LIBS}>" "$<INSTALL_INTERFACE:${GA_RESULTS_FLAGS}>")
target_link_libraries(genalpha_results_shared PRIVATE ${GA_RESULTS_LIBS})
set_target_properties(genalpha_results_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
if(NOT APPLE)
  target_link_options(genalpha_results_shared PRIVATE LINKER:--version-script=${exports})
  set_target_properties(genalpha_results_shared PROPERTIES LINK_DEPENDS ${exports})
endif()
