# The page of `genalpha view`: our scripts are compiled into the tool, those of three.js and dygraphs
# are read where they are installed (Debian: libjs-three, libjs-dygraphs) when a page is made.
find_path(GA_JS_DIR three/three.min.js PATHS /usr/share/javascript
  DOC "directory with three/ and dygraphs/")
if(NOT GA_JS_DIR OR NOT EXISTS ${GA_JS_DIR}/dygraphs/dygraph.min.js)
  message(STATUS "three.js or dygraphs not found (Debian: libjs-three, libjs-dygraphs): "
    "`genalpha view` will say so until they are installed")
endif()
set(js_dir ${GA_JS_DIR})
if(NOT js_dir)
  set(js_dir /usr/share/javascript)
endif()

set(view_dir ${PROJECT_SOURCE_DIR}/tool/picture/page)
set(view_scripts data.js meshes.js looks.js batch.js lines.js arrows.js scene.js camera.js triad.js plots.js state.js main.js buttons.js)
list(JOIN view_scripts "+" joined)
set(view_files page.html style.css notice.txt ${view_scripts})
list(TRANSFORM view_files PREPEND ${view_dir}/)
add_custom_command(OUTPUT view_assets.c
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/view_assets.c -DDIRECTORY=${view_dir}
    "-DTEXTS=view_page=page.html;view_style=style.css;view_notice=notice.txt;view_script=${joined}"
    -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${view_files} cmake/embed.cmake VERBATIM)
target_sources(genalpha_tool PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/view_assets.c)
set_source_files_properties(tool/picture/page.c PROPERTIES COMPILE_DEFINITIONS "VIEW_JS_DIR=\"${js_dir}\"")
