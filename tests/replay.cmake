# What fuzzing found: each fuzz target once more as a program that runs it over files, and a test over those in
# data/NAME. make fuzz starts from the same files.
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(replay_${name} ${source} ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
    target_link_libraries(replay_${name} PRIVATE pleat_io)
    file(GLOB found CONFIGURE_DEPENDS data/${name}/*)
    if(found)
        add_test(NAME replay_${name} COMMAND replay_${name} ${found})
        set_tests_properties(replay_${name} PROPERTIES ENVIRONMENT PLEAT_FUZZ_ALL=1)
    endif()
endforeach()
