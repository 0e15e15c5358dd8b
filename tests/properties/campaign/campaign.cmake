# Hard models and the checker of accepted steps (tests/properties/campaign): shared by tests/properties/test_campaign.c,
# test_solver_independence.c and `make campaign`, which is not built by default. They see the public headers only.
file(GLOB hard_model_sources CONFIGURE_DEPENDS tests/properties/campaign/*.c)
list(FILTER hard_model_sources EXCLUDE REGEX "/campaign\\.c$")
add_library(genalpha_hard_models OBJECT EXCLUDE_FROM_ALL ${hard_model_sources})
target_include_directories(genalpha_hard_models PUBLIC include tests/properties)

add_executable(genalpha_campaign EXCLUDE_FROM_ALL
  tests/properties/campaign/campaign.c $<TARGET_OBJECTS:genalpha_hard_models>)
set_target_properties(genalpha_campaign PROPERTIES OUTPUT_NAME campaign)
target_link_libraries(genalpha_campaign PRIVATE genalpha_static)
