#include "io/output_mark.hpp"

#include "io/output_file.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include <zlib.h>

namespace proxstream {

void OutputMark::add(std::string_view text) {
    checksum = crc32_z(checksum, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    bytes += text.size();
}

OutputMark read_mark(const std::string& path, std::uint64_t bytes) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
    OutputMark mark;
    std::ifstream file(path, std::ios::binary);
    std::vector<char> piece(kPiece);
    while (file && mark.bytes < bytes) {
        file.read(piece.data(), static_cast<std::streamsize>(std::min(kPiece, bytes - mark.bytes)));
        mark.add({piece.data(), static_cast<std::size_t>(file.gcount())});
    }
    return mark;
}

std::string change_since(const OutputMark& mark, const std::string& path) {
    if (!is_regular_file(path)) return "is missing";
    const OutputMark found = read_mark(path, mark.bytes);
    if (found.bytes < mark.bytes) return "is shorter than it was";
    return found == mark ? "" : "has changed";
}

}  // namespace proxstream
