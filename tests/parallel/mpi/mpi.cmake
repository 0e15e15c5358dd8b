# Teams over MPI: mpiexec starts 1 to 4 processes of one program, more than there may be processors.
if(NOT TARGET genalpha_mpi)
  return()
endif()
add_executable(test_mpi tests/parallel/mpi/test_mpi.c)
target_include_directories(test_mpi PRIVATE tests/support)
target_link_libraries(test_mpi PRIVATE genalpha_mpi MPI::MPI_C m)
set(GA_MPI_ENVIRONMENT ${GA_TEST_ENVIRONMENT} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
  ASAN_OPTIONS=detect_leaks=0) # MPI does not give back all of its memory

# ga_add_mpi_test(NAME PROCESSES COMMAND...)
function(ga_add_mpi_test name processes)
  add_test(NAME ${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${processes}
    ${MPIEXEC_PREFLAGS} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "short;mpi" TIMEOUT 300 PROCESSORS ${processes}
    ENVIRONMENT "${GA_MPI_ENVIRONMENT}")
endfunction()

foreach(processes 1 2 3 4)
  ga_add_mpi_test(mpi_compare_${processes} ${processes} $<TARGET_FILE:test_mpi> compare)
  ga_add_mpi_test(mpi_counts_${processes} ${processes} $<TARGET_FILE:test_mpi> counts)
endforeach()
foreach(processes 2 3 4)
  ga_add_mpi_test(mpi_faults_${processes} ${processes} $<TARGET_FILE:test_mpi> faults 40)
endforeach()
ga_add_mpi_test(mpi_example 3 $<TARGET_FILE:example_team_rope>)
ga_add_mpi_test(mpi_messages 3 $<TARGET_FILE:test_mpi> messages)
