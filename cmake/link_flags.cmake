# ga_link_flags(RESULT LIBRARY...): libraries as linker flags without paths of this machine, for
# genalpha.pc and the CMake package. /usr/lib/libklu.so and klu both become -lklu; a directory the
# linker does not search by itself is added by -L; flags stay.
function(ga_link_flags result)
  set(flags)
  foreach(library IN LISTS ARGN)
    if(library MATCHES "^-")
      list(APPEND flags ${library})
      continue()
    endif()
    cmake_path(GET library PARENT_PATH directory)
    cmake_path(GET library STEM name)
    string(REGEX REPLACE "^lib" "" name ${name})
    if(directory AND NOT directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND flags -L${directory})
    endif()
    list(APPEND flags -l${name})
  endforeach()
  # of equal flags the last stays: a static library must come before what it needs
  list(REVERSE flags)
  list(REMOVE_DUPLICATES flags)
  list(REVERSE flags)
  set(${result} ${flags} PARENT_SCOPE)
endfunction()
