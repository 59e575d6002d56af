# Compiles every law for the device where there is a CUDA compiler; nothing links it.
if(KNEAD_CUDA)
  add_library(laws_on_device OBJECT ${CMAKE_CURRENT_LIST_DIR}/laws_on_device.cu)
  target_include_directories(laws_on_device PRIVATE ${CMAKE_SOURCE_DIR}/src)
endif()
