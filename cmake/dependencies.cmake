# Everything here is a Debian package named in tools/packages.txt.
find_package(TBB REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(embree 3 REQUIRED CONFIG)
find_package(tomlplusplus REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(PNG REQUIRED)
find_package(TinyGLTF REQUIRED CONFIG)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(GTest REQUIRED CONFIG)
find_package(Eigen3 REQUIRED CONFIG)

# The font of legends becomes a part of the program.
find_path(STB_INCLUDE stb/stb_truetype.h REQUIRED)
find_file(KNEAD_FONT DejaVuSans.ttf PATHS /usr/share/fonts PATH_SUFFIXES truetype/dejavu dejavu TTF REQUIRED)

# OpenVDB's own find module asks for Python bindings of Imath, which nothing here needs.
find_library(OPENVDB_LIBRARY openvdb REQUIRED)
find_path(OPENVDB_INCLUDE openvdb/openvdb.h REQUIRED)
add_library(knead_openvdb INTERFACE)
target_include_directories(knead_openvdb SYSTEM INTERFACE ${OPENVDB_INCLUDE})
target_link_libraries(knead_openvdb INTERFACE ${OPENVDB_LIBRARY} TBB::tbb)

# cpp-httplib comes without a CMake package; these are the switches that its library was built with.
find_library(HTTPLIB_LIBRARY cpp-httplib REQUIRED)
find_path(HTTPLIB_INCLUDE httplib.h REQUIRED)
add_library(knead_httplib INTERFACE)
target_include_directories(knead_httplib SYSTEM INTERFACE ${HTTPLIB_INCLUDE})
target_compile_definitions(knead_httplib INTERFACE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT
                                                   CPPHTTPLIB_BROTLI_SUPPORT)
target_link_libraries(knead_httplib INTERFACE ${HTTPLIB_LIBRARY})
