# Warnings and arithmetic rules for our own code; users of the library do not inherit them.
add_library(proxstream_warnings INTERFACE)
target_compile_options(proxstream_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  # Same bits everywhere: no multiply-add is fused behind our back, whatever the instruction set.
  -ffp-contract=off
  # g++ 12 sees overlapping copies in "literal" + std::string where there are none (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # and, once those are inlined at -O3, copies of 2^63 bytes (GCC bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  # The same once more where strings come from a precompiled header, which is no system header to it.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>
  # Copies of an empty std::optional, once units are large enough to see them through (GCC bug 80635).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # A vector that is freed where it began, seen through two inlined calls.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-free-nonheap-object>)
