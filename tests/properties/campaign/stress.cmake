# Hard models and the checker of accepted steps (tests/stress): shared by tests/test_stress.c and by
# `make campaign`, which is not built by default. They see the public headers only.
file(GLOB stress_sources CONFIGURE_DEPENDS tests/stress/*.c)
list(FILTER stress_sources EXCLUDE REGEX "/campaign\\.c$")
add_library(genalpha_stress OBJECT EXCLUDE_FROM_ALL ${stress_sources})
target_include_directories(genalpha_stress PUBLIC include tests)

add_executable(genalpha_campaign EXCLUDE_FROM_ALL
  tests/stress/campaign.c $<TARGET_OBJECTS:genalpha_stress>)
set_target_properties(genalpha_campaign PROPERTIES OUTPUT_NAME campaign)
target_link_libraries(genalpha_campaign PRIVATE genalpha_static)
