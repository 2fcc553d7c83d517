# The core for WebAssembly with SIMD, by clang for this one purpose: pleat_wasm(OUT.wasm source...) compiles each source by a
# rule of its own, which knows the headers that it read.
find_program(WASM_CLANG clang REQUIRED)
set(wasm_flags --target=wasm32-wasi -std=gnu17 -O2 -msimd128 -ffp-contract=off -fno-math-errno -DPL_WIDE_SUFFIX=base
    -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
    -Wall -Wextra -Wshadow -Wconversion -Wno-shorten-64-to-32 $<$<BOOL:${PLEAT_WERROR}>:-Werror>)

function(pleat_wasm out)
    set(objects)
    foreach(source ${ARGN})
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
        string(REPLACE "/" "_" name ${name})
        set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WASM_CLANG} ${wasm_flags} -MD -MF ${object}.d -c ${source} -o ${object}
            DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building for WebAssembly ${name}" VERBATIM)
        list(APPEND objects ${object})
    endforeach()
    add_custom_command(OUTPUT ${out} COMMAND ${WASM_CLANG} --target=wasm32-wasi ${objects} -o ${out} DEPENDS ${objects}
        COMMENT "Linking for WebAssembly ${out}" VERBATIM)
endfunction()
