# Tests that are no cmocka programs: the public headers alone, and the program as its users run it.

# Each public header compiles alone, as strict C17 and as C++: this is checked by building.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/pleat/*.h)
set(alone)
foreach(header ${public_headers})
    string(REPLACE "/" "_" name ${header})
    foreach(language c cc)
        set(file ${CMAKE_CURRENT_BINARY_DIR}/alone/${name}.${language})
        file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n")
        list(APPEND alone ${file})
    endforeach()
endforeach()
add_library(pleat_headers_alone OBJECT ${alone})
target_link_libraries(pleat_headers_alone PRIVATE pleat_flags)
target_compile_options(pleat_headers_alone PRIVATE -pedantic-errors)
set_target_properties(pleat_headers_alone PROPERTIES C_EXTENSIONS OFF CXX_EXTENSIONS OFF CXX_STANDARD 11)

# The core's kernels give the same bits here and as WebAssembly with SIMD. Not in the sanitizers' builds: they say nothing
# more about it.
if(NOT PLEAT_SANITIZE)
    add_executable(wasm_hash wasm/hash.c)
    target_link_libraries(wasm_hash PRIVATE pleat_core)
    add_test(NAME wasm COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/wasm/run ${CMAKE_CURRENT_BINARY_DIR}/wasm $<TARGET_FILE:wasm_hash>)
endif()

# The command line.
find_program(BASH_PROGRAM bash REQUIRED)
add_test(NAME cli COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/cli.sh $<TARGET_FILE:pleat>
    ${PROJECT_BINARY_DIR}/test-output/cli)

add_test(NAME demo COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/demo.sh $<TARGET_FILE:pleat>
    ${PROJECT_BINARY_DIR}/test-output/demo quick)
add_test(NAME demo_long COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/demo.sh $<TARGET_FILE:pleat>
    ${PROJECT_BINARY_DIR}/test-output/demo_long long)
set_property(TEST demo_long APPEND PROPERTY LABELS long)

# The C example of the README is compiled and run; a README without one fails.
set(readme ${PROJECT_SOURCE_DIR}/README.md)
if(EXISTS ${readme})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${readme})
    file(READ ${readme} readme_text)
    if(readme_text MATCHES "```c\n([^`]*)```")
        file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c CONTENT "${CMAKE_MATCH_1}" @ONLY)
        add_executable(readme_example ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c)
        target_link_libraries(readme_example PRIVATE pleat_io)
        add_test(NAME readme COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/readme.sh $<TARGET_FILE:pleat>
            $<TARGET_FILE:readme_example> ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c
            ${PROJECT_BINARY_DIR}/test-output/readme)
    else()
        add_test(NAME readme COMMAND ${CMAKE_COMMAND} -E cat ${readme}/has-no-example-in-C)
    endif()
endif()
