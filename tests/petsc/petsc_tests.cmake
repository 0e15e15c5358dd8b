# Tests of libgenalpha_petsc, each on several numbers of ranks.
if(NOT TARGET genalpha_petsc)
  return()
endif()
add_executable(test_petsc tests/petsc/test_petsc.c)
target_include_directories(test_petsc PRIVATE src tests)
target_link_libraries(test_petsc PRIVATE genalpha_objects genalpha_petsc PkgConfig::CMOCKA)
foreach(ranks 1 2 3 4)
  ga_add_test(petsc_${ranks} ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe
    ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:test_petsc>)
  set_tests_properties(petsc_${ranks} PROPERTIES PROCESSORS ${ranks})
endforeach()
