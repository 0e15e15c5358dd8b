# Every test_*.c below tests/ is one cmocka program, every tests/tool/commands/test_*.sh one test of the
# tool, every tests/install/test_*.sh one of an installed tree, every example one test that runs it.
# The name of a test is its path: tests/run/test_events.c is run_events.
# Labels: short, slow (the list below), valgrind (made for `make check`).

set(GA_SLOW_TESTS)
# not lie_series: valgrind computes long double with double's precision
set(GA_VALGRIND_TESTS lie_groups linsol_rank_null_space base_arena run_start linsol_block_matrix step_matrix
  step_newton problems_problems lie_space file_file mechanism_build_build)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_package(Threads REQUIRED)
find_program(GA_VALGRIND valgrind)

# A test is compiled and linked more often than it runs: not -O3, and a quick linker where one is there. (gold warns
# about symbols of the address sanitizer.)
set(GA_TEST_COMPILE_OPTIONS)
set(linkers lld)
if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
  set(GA_TEST_COMPILE_OPTIONS -O1)
  list(APPEND linkers gold)
endif()
include(CheckLinkerFlag)
set(GA_TEST_LINK_OPTIONS)
foreach(linker IN LISTS linkers)
  check_linker_flag(C -fuse-ld=${linker} GA_HAVE_${linker})
  if(GA_HAVE_${linker} AND NOT GA_TEST_LINK_OPTIONS)
    set(GA_TEST_LINK_OPTIONS -fuse-ld=${linker})
  endif()
endforeach()

# the linear algebra library must not start threads of its own beside ctest's
set(GA_TEST_ENVIRONMENT OPENBLAS_NUM_THREADS=1)

function(ga_add_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set(label short)
  if(name IN_LIST GA_SLOW_TESTS)
    set(label slow)
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS ${label} TIMEOUT 300 ENVIRONMENT "${GA_TEST_ENVIRONMENT}")
endfunction()

# ga_test_name(PATH OUT): tests/run/test_events.c -> run_events
function(ga_test_name path out)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE name)
  string(REGEX REPLACE "\\.[a-z]+$" "" name ${name})
  string(REPLACE / _ name ${name})
  string(REPLACE _test_ _ name ${name})
  string(REPLACE tool_commands_ tool_ name ${name})
  set(${out} ${name} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/test_*.c)
list(FILTER test_sources EXCLUDE REGEX "tests/(parallel/(mpi|petsc)|install)/")
foreach(source IN LISTS test_sources)
  ga_test_name(${source} name)
  add_executable(${name} ${source})
  target_compile_options(${name} PRIVATE ${GA_TEST_COMPILE_OPTIONS})
  target_link_options(${name} PRIVATE ${GA_TEST_LINK_OPTIONS})
  target_include_directories(${name} PRIVATE src tests/support tests/properties)
  target_compile_definitions(${name} PRIVATE GA_DOCS="${PROJECT_SOURCE_DIR}/docs"
    GA_MODELS="${PROJECT_SOURCE_DIR}/models")
  target_link_libraries(${name} PRIVATE genalpha_objects genalpha_problems PkgConfig::CMOCKA
    Threads::Threads)
  ga_add_test(${name} ${name})
endforeach()
foreach(name results_impacts results_results results_texts results_torn_files)
  target_link_libraries(${name} PRIVATE genalpha_results_static)
endforeach()
foreach(name parallel_team parallel_team_faults)
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:genalpha_whole>)
endforeach()
target_sources(parallel_launcher PRIVATE parallel/launcher.c)
target_include_directories(parallel_launcher PRIVATE ${PROJECT_SOURCE_DIR})
target_sources(tool_sweep_random PRIVATE tool/sweep/random.c tool/message.c)
target_include_directories(tool_sweep_random PRIVATE tool)
target_sources(tool_picture_mesh PRIVATE tool/picture/mesh.c)
target_include_directories(tool_picture_mesh PRIVATE tool)
foreach(name properties_campaign properties_solver_independence properties_both_coordinates)
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:genalpha_hard_models>)
endforeach()
# it pretends to have MPI
set_target_properties(linsol_module PROPERTIES ENABLE_EXPORTS ON)

foreach(source IN LISTS example_sources)
  cmake_path(GET source STEM name)
  ga_add_test(example_${name} example_${name})
endforeach()

file(GLOB tool_tests CONFIGURE_DEPENDS tests/tool/commands/test_*.sh)
foreach(script IN LISTS tool_tests)
  ga_test_name(${script} name)
  ga_add_test(${name} sh ${script} $<TARGET_FILE:genalpha_tool>)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(tool_mpi PROPERTIES TIMEOUT 900 PROCESSORS 4) # many short runs over several processes

include(tests/parallel/petsc/petsc_tests.cmake)

# Pages in a real browser, `make check-browser`: a configuration of its own, as it takes a minute.
find_program(GA_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(GA_PYTHON)
  add_test(NAME browser_view CONFIGURATIONS browser COMMAND ${GA_PYTHON}
    ${PROJECT_SOURCE_DIR}/tests/browser/test_view.py $<TARGET_FILE:genalpha_tool>
    ${CMAKE_CURRENT_BINARY_DIR}/browser)
  set_tests_properties(browser_view PROPERTIES LABELS browser TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

function(ga_add_valgrind name target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "GA_VALGRIND_TESTS names ${target}, which is not a test program")
  endif()
  if(GA_VALGRIND)
    add_test(NAME valgrind_${name} COMMAND ${GA_VALGRIND} --quiet --error-exitcode=1
      --leak-check=full $<TARGET_FILE:${target}> ${ARGN})
    set_tests_properties(valgrind_${name} PROPERTIES
      LABELS valgrind TIMEOUT 600 ENVIRONMENT "${GA_TEST_ENVIRONMENT}")
  endif()
endfunction()

foreach(name IN LISTS GA_VALGRIND_TESTS)
  ga_add_valgrind(${name} ${name})
endforeach()
ga_add_valgrind(tool_run genalpha_tool run heavy-top --t-end 0.02 --project-at 0.01 --out /dev/null)
ga_add_valgrind(tool_extrapolate genalpha_tool run heavy-top --t-end 0.02 --extrapolate 1 --threads 3)
ga_add_valgrind(tool_params genalpha_tool params --alpha -0.1)

# The C program in README.md: at most 40 lines, compiled and run as it stands there.
file(READ README.md readme)
string(FIND "${readme}" "```c\n" start)
string(SUBSTRING "${readme}" ${start} -1 readme)
string(SUBSTRING "${readme}" 5 -1 readme)
string(FIND "${readme}" "```" end)
string(SUBSTRING "${readme}" 0 ${end} readme)
string(REGEX MATCHALL "\n" lines "${readme}")
list(LENGTH lines line_count)
if(line_count GREATER 40)
  message(FATAL_ERROR "the C program in README.md has ${line_count} lines, 40 are allowed")
endif()
file(CONFIGURE OUTPUT readme_program.c CONTENT "${readme}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS README.md)
add_executable(readme_program ${CMAKE_CURRENT_BINARY_DIR}/readme_program.c)
target_link_libraries(readme_program PRIVATE genalpha_static)
ga_add_test(readme_program readme_program)
set_tests_properties(readme_program PROPERTIES
  PASS_REGULAR_EXPRESSION "q = \\(-0.986291, -0.165016\\), lam = 4.856")

# `make install` into the build directory, and what a user outside does with it.
set(tree ${CMAKE_CURRENT_BINARY_DIR}/install_tree)
string(TOUPPER CMAKE_C_FLAGS_${CMAKE_BUILD_TYPE} flags)
set(cxx_names g++ c++)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
  set(cxx_names clang++ c++)
endif()
find_program(GA_CXX NAMES ${cxx_names})

ga_add_test(install_tree sh ${PROJECT_SOURCE_DIR}/tests/install/make_tree.sh
  ${CMAKE_COMMAND} ${CMAKE_CURRENT_BINARY_DIR} ${tree})
set_tests_properties(install_tree PROPERTIES FIXTURES_SETUP install_tree)

file(GLOB install_tests CONFIGURE_DEPENDS tests/install/test_*.sh)
foreach(script IN LISTS install_tests)
  ga_test_name(${script} name)
  ga_add_test(${name} sh ${script} ${tree}/${CMAKE_INSTALL_BINDIR}/genalpha)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
    CC=${CMAKE_C_COMPILER} "CFLAGS=${CMAKE_C_FLAGS} ${${flags}}" CXX=$<$<BOOL:${GA_CXX}>:${GA_CXX}>
    LIBDIR=${tree}/${CMAKE_INSTALL_LIBDIR} PKG_CONFIG=${PKG_CONFIG_EXECUTABLE})
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED install_tree SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(install_subdirectory PROPERTIES LABELS long) # it compiles the library

# The Python package against that tree, where its packages are installed. A library with sanitizers
# cannot be loaded by a Python without them.
string(FIND "${CMAKE_C_FLAGS} ${${flags}}" "-fsanitize" sanitized)
if(sanitized EQUAL -1)
  ga_add_test(python_package sh ${PROJECT_SOURCE_DIR}/tests/python/run.sh
    ${tree}/${CMAKE_INSTALL_BINDIR}/genalpha ${tree}/${CMAKE_INSTALL_LIBDIR})
  set_tests_properties(python_package PROPERTIES LABELS python TIMEOUT 900 FIXTURES_REQUIRED install_tree
    SKIP_RETURN_CODE 77)
endif()

include(tests/parallel/mpi/mpi.cmake)
