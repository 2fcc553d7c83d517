# The libraries that one installs, each as a shared and a static one made from the same objects:
#   libpleat-core   mesh, rig, stack, layers, export, measure: libc and libm alone
#   libpleat        the core, and files, jobs, built-in characters, pictures
# A host links one of the two. Symbols are hidden but for what public headers declare (PLEAT_BEGIN in pleat/base.h).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Until 1.0 a new minor version may change anything; from then on a new major one.
set(so_version ${PROJECT_VERSION_MAJOR})
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(so_version 0.${PROJECT_VERSION_MINOR})
    set(compatible SameMinorVersion)
endif()
file(STRINGS ${PROJECT_SOURCE_DIR}/include/pleat/base.h said REGEX "^#define PLEAT_VERSION \"")
if(NOT said MATCHES "\"${PROJECT_VERSION}\"")
    message(FATAL_ERROR "CMakeLists.txt has version ${PROJECT_VERSION}; pleat/base.h has ${said}")
endif()

# pleat_library(NAME PARTS static libraries here... NEEDS libraries to link...): targets pleat_NAME_shared and
# pleat_NAME_static, installed as pleat::NAME and pleat::NAME-static.
function(pleat_library name file)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "PARTS;NEEDS")
    set(objects)
    foreach(part ${arg_PARTS})
        list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endforeach()
    foreach(kind shared static)
        string(TOUPPER ${kind} type)
        set(target pleat_${name}_${kind})
        add_library(${target} ${type} ${objects})
        set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} LINKER_LANGUAGE C)
        target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        install(TARGETS ${target} EXPORT pleat-targets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endforeach()
    # A static library asks its user for what it needs; a shared one has it already.
    target_link_libraries(pleat_${name}_static INTERFACE ${arg_NEEDS})
    target_link_libraries(pleat_${name}_shared PRIVATE ${arg_NEEDS})
    target_link_options(pleat_${name}_shared PRIVATE ${pleat_sanitize_flags})
    if(NOT pleat_sanitize_flags)
        target_link_options(pleat_${name}_shared PRIVATE -Wl,--no-undefined)
    endif()
    set_target_properties(pleat_${name}_shared PROPERTIES
        EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${so_version})
    set_target_properties(pleat_${name}_static PROPERTIES EXPORT_NAME ${name}-static)
endfunction()

# pleat_pkg_config(FILE DESCRIPTION libraries that a static link needs...)
function(pleat_pkg_config file description)
    set(needs ${ARGN})
    list(TRANSFORM needs PREPEND -l)
    list(JOIN needs " " needs)
    file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/pleat.pc.in ${PROJECT_BINARY_DIR}/${file}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${file}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(core_parts pleat_core pleat_wide_base)
if(TARGET pleat_wide_avx2)
    list(APPEND core_parts pleat_wide_avx2)
endif()
pleat_library(core pleat-core PARTS ${core_parts} NEEDS m pthread)
pleat_pkg_config(pleat-core "Folds and wrinkles for animated characters: the core" m pthread)
if(PLEAT_TOOLS)
    set(needs ${JANSSON_LIBRARIES} ${PNG_LIBRARIES} ${JPEG_LIBRARIES} meshoptimizer ${EPOXY_LIBRARIES} ${CMAKE_DL_LIBS} m
        pthread)
    pleat_library(pleat pleat PARTS ${core_parts} pleat_io pleat_job pleat_make pleat_draw pleat_gpu
        pleat_program NEEDS ${needs})
    pleat_pkg_config(pleat "Folds and wrinkles for animated characters, with files, jobs and pictures" ${needs})
endif()

# Headers of what is not there are left out.
set(left_out)
if(NOT PLEAT_TOOLS)
    set(left_out PATTERN "io*" EXCLUDE PATTERN "job*" EXCLUDE PATTERN "make.h" EXCLUDE PATTERN "draw.h" EXCLUDE
        PATTERN "plot.h" EXCLUDE PATTERN "render.h" EXCLUDE
        PATTERN "program.h" EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pleat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" ${left_out})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pleat)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pleat-config.cmake.in ${PROJECT_BINARY_DIR}/pleat-config.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pleat-config-version.cmake COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/pleat-config.cmake ${PROJECT_BINARY_DIR}/pleat-config-version.cmake
    DESTINATION ${package})
install(EXPORT pleat-targets NAMESPACE pleat:: DESTINATION ${package})
