# Tests that are no cmocka programs: the public headers alone, and the program as its users run it.

find_program(BASH_PROGRAM bash REQUIRED)

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
    include(wasm/rules.cmake)
    add_executable(wasm_hash wasm/hash.c)
    target_link_libraries(wasm_hash PRIVATE pleat_core)
    get_target_property(wasm_sources pleat_core SOURCES)
    get_target_property(wasm_wide pleat_wide_base SOURCES)
    list(FILTER wasm_sources INCLUDE REGEX "\\.c$")
    set(wasm_program ${CMAKE_CURRENT_BINARY_DIR}/wasm/hash.wasm)
    pleat_wasm(${wasm_program} ${wasm_sources} ${wasm_wide} ${CMAKE_CURRENT_SOURCE_DIR}/wasm/hash.c)
    add_custom_target(pleat_wasm_hash ALL DEPENDS ${wasm_program})
    add_test(NAME wasm COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/wasm/compare.sh $<TARGET_FILE:wasm_hash>
        ${wasm_program} ${CMAKE_CURRENT_BINARY_DIR}/wasm)
endif()

# The command line.
set(parts 4)
foreach(part RANGE 1 ${parts})
    add_test(NAME cli_${part} COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/cli.sh $<TARGET_FILE:pleat>
        ${PROJECT_BINARY_DIR}/test-output/cli_${part} ${part}/${parts})
endforeach()
add_test(NAME cli_long COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/cli.sh $<TARGET_FILE:pleat>
    ${PROJECT_BINARY_DIR}/test-output/cli_long long)
set_property(TEST cli_long APPEND PROPERTY LABELS long)
if(PLEAT_SANITIZE STREQUAL "thread")
    add_test(NAME cli_threads COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/cli.sh $<TARGET_FILE:pleat>
        ${PROJECT_BINARY_DIR}/test-output/cli_threads any_threads)
    set_property(TEST cli_threads APPEND PROPERTY LABELS threads)
    add_dependencies(pleat_thread_tests pleat)
endif()

add_test(NAME cli_files COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/cli_files.sh $<TARGET_FILE:pleat>
    ${PROJECT_BINARY_DIR}/test-output/cli_files)

# Its page and films are for eyes; what draws them has tests of its own.
foreach(which quick long)
    add_test(NAME demo_${which} COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/demo.sh $<TARGET_FILE:pleat>
        ${PROJECT_BINARY_DIR}/test-output/demo_${which} ${which})
    set_property(TEST demo_${which} APPEND PROPERTY LABELS long)
endforeach()
set_property(TEST demo_quick APPEND PROPERTY LABELS sample)

# The libraries from an empty prefix: what they show, and the examples built with them alone.
if(NOT PLEAT_SANITIZE)
    add_test(NAME install COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/install/install.sh ${CMAKE_COMMAND}
        ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c ${PROJECT_BINARY_DIR}/test-output/install
        ${PROJECT_VERSION})
endif()

# The C example of the README is compiled and run; a README without one fails.
set(readme ${PROJECT_SOURCE_DIR}/README.md)
if(EXISTS ${readme})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${readme})
    file(READ ${readme} readme_text)
    if(readme_text MATCHES "```c\n([^`]*)```")
        file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c CONTENT "${CMAKE_MATCH_1}" @ONLY)
        add_executable(readme_example ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c)
        target_link_libraries(readme_example PRIVATE pleat_job)
        add_test(NAME readme COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/readme.sh $<TARGET_FILE:pleat>
            $<TARGET_FILE:readme_example> ${CMAKE_CURRENT_BINARY_DIR}/readme_example.c
            ${PROJECT_BINARY_DIR}/test-output/readme)
    else()
        add_test(NAME readme COMMAND ${CMAKE_COMMAND} -E cat ${readme}/has-no-example-in-C)
    endif()
endif()
