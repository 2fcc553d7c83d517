# Flags of every target. -ffp-contract=off: results are the same on every machine and for every width of kernel.
add_library(pleat_flags INTERFACE)
target_compile_options(pleat_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fno-trapping-math
    -Wall -Wextra -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>
    $<$<BOOL:${PLEAT_WERROR}>:-Werror>)
target_include_directories(pleat_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

if(PLEAT_SANITIZE STREQUAL "address+undefined")
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(PLEAT_SANITIZE STREQUAL "thread")
    set(sanitize -fsanitize=thread)
elseif(PLEAT_SANITIZE)
    message(FATAL_ERROR "PLEAT_SANITIZE is '${PLEAT_SANITIZE}'; it can be empty, address+undefined or thread")
endif()
if(PLEAT_FUZZ)
    list(APPEND sanitize -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
endif()
set(pleat_sanitize_flags ${sanitize})
target_compile_options(pleat_flags INTERFACE ${sanitize})
target_link_options(pleat_flags INTERFACE ${sanitize})
