/// Gzip data as a byte source, recognised by its first two bytes and not by the name of the file.
#pragma once

#include "proxstream/io/byte_source.hpp"

namespace proxstream {

/// The source itself, or its inflated bytes when it starts like gzip. Waits for two bytes at most. Torn or
/// damaged data shows as DamagedFile from read(), after everything before the damage was delivered.
std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> source);

}  // namespace proxstream
