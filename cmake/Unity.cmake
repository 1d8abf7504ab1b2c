# Units of several sources, compiled together: what they include is parsed once instead of once a file. The files
# of a unit are of one room, so a name in an unnamed namespace has to be one's own within the room.
option(PROXSTREAM_UNITY "Compile a room's sources together: a whole build takes a fraction, a changed file longer" OFF)

# proxstream_unity(TARGET SOURCE...): the sources of one room in as few units as a compiler takes in half a minute or
# so, equally large.
function(proxstream_unity target)
  if(NOT PROXSTREAM_UNITY)
    return()
  endif()
  set(limit 200000)  # bytes
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(total 0)
  foreach(source IN LISTS ARGN)
    file(SIZE ${source} size)
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR units "(${total} + ${limit} - 1) / ${limit}")
  list(GET ARGN 0 first)
  get_filename_component(folder ${first} DIRECTORY)
  get_filename_component(room ${folder} NAME)
  set(before 0)
  foreach(source IN LISTS ARGN)
    file(SIZE ${source} size)
    math(EXPR unit "(2 * ${before} + ${size}) * ${units} / (2 * ${total} + 1)")
    math(EXPR before "${before} + ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${unit})
  endforeach()
endfunction()

# proxstream_alone(SOURCE...): compiled by itself, whatever its room does.
function(proxstream_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
