#include "store/packed.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#include <zlib.h>

namespace proxstream {
namespace {

/// In front of packed bytes, with their unpacked size. Nothing else in a store begins like this: states,
/// JSON, and buckets whose first byte belongs to a power of two.
constexpr char kMark = 'z';
constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);
/// Deflate shrinks at most by this factor: a damaged size does not ask for all memory.
constexpr std::uint64_t kMostShrinking = 1032;

}  // namespace

std::string packed(std::string_view bytes) {
    uLongf size = compressBound(bytes.size());
    std::string out(kHead + size, kMark);
    const std::uint64_t whole = bytes.size();
    std::memcpy(out.data() + 1, &whole, sizeof whole);
    const int status = compress2(reinterpret_cast<Bytef*>(out.data() + kHead), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_SPEED);
    if (status != Z_OK) throw std::bad_alloc();
    const bool shorter = kHead + size < bytes.size();
    if (!shorter && !bytes.starts_with(kMark)) return std::string(bytes);
    out.resize(kHead + size);
    return out;
}

std::string unpacked(std::string_view stored) {
    if (!stored.starts_with(kMark)) return std::string(stored);
    std::uint64_t whole = 0;
    if (stored.size() < kHead) return {};
    std::memcpy(&whole, stored.data() + 1, sizeof whole);
    stored.remove_prefix(kHead);
    if (whole / kMostShrinking > stored.size()) return {};
    std::string out(whole, '\0');
    uLongf size = out.size();
    const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                  reinterpret_cast<const Bytef*>(stored.data()), stored.size());
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    return status == Z_OK && size == whole ? out : std::string();
}

}  // namespace proxstream
