/// Bytes as a store keeps those that shrink well: deflated. Stores of older versions keep them as they are;
/// both are read.
#pragma once

#include <string>
#include <string_view>

namespace proxstream {

/// A column that is packed in the file; its row's seal covers it unpacked. Packed is for writing, Unpacked
/// for reading.
struct Packed {
    std::string_view bytes;
};
struct Unpacked {
    std::string& bytes;
};

/// Deflated with a head, or the bytes themselves if that is shorter.
std::string packed(std::string_view bytes);
/// What was packed. Returns an empty text if the bytes are damaged; a seal or a checksum has to tell.
std::string unpacked(std::string_view stored);

}  // namespace proxstream
