# Judges of the ends: other programs open what pleat writes. Not in the sanitizers' builds, where they say nothing more.
if(PLEAT_SANITIZE)
    return()
endif()
set(judges ${CMAKE_CURRENT_SOURCE_DIR}/judges)
set(judged ${PROJECT_BINARY_DIR}/test-output)

# The python that Debian's python3-numpy belongs to comes before any other.
find_program(PYTHON_PROGRAM python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PYTHON_PROGRAM python3 REQUIRED)

# The built-in characters as files, in test-output/characters.
add_executable(judge_characters judges/characters.c)
target_link_libraries(judge_characters PRIVATE pleat_io pleat_make)
file(MAKE_DIRECTORY ${judged}/characters)
add_test(NAME judge_characters COMMAND judge_characters ${judged}/characters quick)
set_tests_properties(judge_characters PROPERTIES FIXTURES_SETUP characters)
add_test(NAME judge_characters_long COMMAND judge_characters ${judged}/characters long)
set_tests_properties(judge_characters_long PROPERTIES FIXTURES_SETUP characters_long LABELS long)

# A test that reads the built-in characters and skips itself with 77; further arguments are its command. A long one reads all
# of them.
function(add_judge name)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 FIXTURES_REQUIRED characters)
endfunction()

function(add_long_judge name)
    add_judge(${name} ${ARGN})
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED "characters;characters_long")
    set_property(TEST ${name} APPEND PROPERTY LABELS long)
endfunction()

# One in Python whose cases are for every day or long.
function(add_judge_twice name)
    add_judge(judge_${name} ${PYTHON_PROGRAM} -B ${judges}/${name}.py $<TARGET_FILE:pleat> ${judged} quick)
    add_long_judge(judge_${name}_long ${PYTHON_PROGRAM} -B ${judges}/${name}.py $<TARGET_FILE:pleat> ${judged} long)
endfunction()

add_judge_twice(evaluate)

# The Khronos validator over every kind of glTF that pleat writes.
find_program(NODE_PROGRAM node REQUIRED)
add_judge(judge_files ${NODE_PROGRAM} ${judges}/files.mjs $<TARGET_FILE:pleat> ${judged} quick)
add_long_judge(judge_files_long ${NODE_PROGRAM} ${judges}/files.mjs $<TARGET_FILE:pleat> ${judged} long)

# Blender and a browser: only make test-long.
find_program(BLENDER_PROGRAM blender)
if(BLENDER_PROGRAM)
    add_long_judge(judge_blender ${BLENDER_PROGRAM} -b --factory-startup --python-exit-code 3
        --python ${judges}/blender.py -- $<TARGET_FILE:pleat> ${judged})
    add_long_judge(judge_blender_maps ${BLENDER_PROGRAM} -b --factory-startup --python-exit-code 3
        --python ${judges}/blender_maps.py -- $<TARGET_FILE:pleat> ${judged})
else()
    add_long_judge(judge_blender_maps ${BASH_PROGRAM} -c "echo 'skipped: no blender here'; exit 77")
    add_long_judge(judge_blender ${BASH_PROGRAM} -c "echo 'skipped: no blender here'; exit 77")
endif()
add_long_judge(judge_browser ${NODE_PROGRAM} ${judges}/browser.mjs $<TARGET_FILE:pleat> ${judged})
add_long_judge(judge_browser_maps ${NODE_PROGRAM} ${judges}/browser_maps.mjs $<TARGET_FILE:pleat> ${judged})
add_long_judge(judge_browser_vat ${NODE_PROGRAM} ${judges}/browser_vat.mjs $<TARGET_FILE:pleat> ${judged})

# Maps, applied by numpy to the coarse mesh.
add_long_judge(judge_maps ${PYTHON_PROGRAM} -B ${judges}/maps.py $<TARGET_FILE:pleat> ${judged})

# Figures of pleat measure, by numpy.
add_judge_twice(measure)

# Attributes of bake --stretch, by numpy.
add_judge_twice(stretch)

# Lengths, compression, lives and continuity of wrinkles, by numpy.
add_judge(judge_wrinkles ${PYTHON_PROGRAM} -B ${judges}/wrinkles.py $<TARGET_FILE:pleat> ${judged} quick)
add_long_judge(judge_wrinkles_long ${PYTHON_PROGRAM} -B ${judges}/wrinkles.py $<TARGET_FILE:pleat> ${judged} long)
# Meshes with a topology for each frame: closed, covered once, crests as edges.
add_judge_twice(topology)

# The folds layer, by numpy, on sleeves written in many ways.
add_judge_twice(folds)

# The volume layer, by numpy.
add_judge(judge_volume ${PYTHON_PROGRAM} -B ${judges}/volume.py $<TARGET_FILE:pleat> ${judged})

# What .ci/run takes of the long ones.
set_property(TEST judge_blender judge_browser judge_maps APPEND PROPERTY LABELS sample)
