# Tests of libgenalpha_petsc, each on several numbers of processes.
if(NOT TARGET genalpha_petsc)
  return()
endif()

set(petsc_environment ${GA_TEST_ENVIRONMENT} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1)

# ga_add_petsc_test(NAME LIBRARY...): a program, run on 1 to 4 processes
function(ga_add_petsc_test name)
  add_executable(test_${name} tests/parallel/petsc/test_${name}.c)
  target_include_directories(test_${name} PRIVATE tests/support)
  target_link_libraries(test_${name} PRIVATE ${ARGN} genalpha_petsc PkgConfig::CMOCKA)
  foreach(processes 1 2 3 4)
    ga_add_test(${name}_${processes} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${processes}
      ${MPIEXEC_PREFLAGS} $<TARGET_FILE:test_${name}>)
    set_tests_properties(${name}_${processes} PROPERTIES LABELS "short;mpi" PROCESSORS ${processes}
      ENVIRONMENT "${petsc_environment}")
  endforeach()
endfunction()

ga_add_petsc_test(petsc genalpha_objects genalpha_problems)
target_include_directories(test_petsc PRIVATE src)
if(TARGET genalpha_mpi)
  ga_add_petsc_test(petsc_team genalpha_mpi m)
endif()

# the suite of all linear solvers, with this one, on one process
add_executable(linsol_solvers_petsc tests/linsol/test_solvers.c)
target_compile_definitions(linsol_solvers_petsc PRIVATE GA_SUITE_PETSC)
target_include_directories(linsol_solvers_petsc PRIVATE src tests/support)
target_link_libraries(linsol_solvers_petsc PRIVATE genalpha_objects genalpha_problems genalpha_petsc PkgConfig::CMOCKA)
ga_add_test(linsol_solvers_petsc linsol_solvers_petsc)
