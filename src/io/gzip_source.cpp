#include "io/gzip_source.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include <zlib.h>

namespace proxstream {
namespace {

constexpr std::size_t kPackedBlock = std::size_t{1} << 14U;
constexpr char kMagic[2] = {'\x1f', '\x8b'};
constexpr int kGzipOnly = 15 + 16;  // zlib: the largest window, gzip framing and no other

/// Puts bytes that were already read in front of the rest.
class PeekedSource final : public ByteSource {
  public:
    PeekedSource(std::unique_ptr<ByteSource> source, std::vector<char> peeked)
        : source_(std::move(source)), peeked_(std::move(peeked)) {}

    std::size_t read(std::span<char> into) override {
        if (position_ == peeked_.size()) return source_->read(into);
        const std::size_t count = std::min(into.size(), peeked_.size() - position_);
        std::memcpy(into.data(), peeked_.data() + position_, count);
        position_ += count;
        return count;
    }
    const std::string& name() const noexcept override { return source_->name(); }
    bool stopped() const noexcept override { return source_->stopped(); }

  private:
    std::unique_ptr<ByteSource> source_;
    std::vector<char> peeked_;
    std::size_t position_ = 0;
};

class GzipSource final : public ByteSource {
  public:
    explicit GzipSource(std::unique_ptr<ByteSource> source)
        : source_(std::move(source)), packed_(kPackedBlock) {
        if (inflateInit2(&zlib_, kGzipOnly) != Z_OK) throw std::bad_alloc();
    }
    ~GzipSource() override { inflateEnd(&zlib_); }
    GzipSource(const GzipSource&) = delete;
    GzipSource& operator=(const GzipSource&) = delete;

    std::size_t read(std::span<char> into) override {
        into = into.first(std::min(into.size(), std::size_t{1} << 30U));  // zlib counts in 32 bits
        zlib_.next_out = reinterpret_cast<Bytef*>(into.data());
        zlib_.avail_out = static_cast<uInt>(into.size());
        while (zlib_.avail_out == into.size()) {
            if (broken_) damaged("the gzip data is damaged");
            // zlib may still hold bytes that did not fit before: they come before any wait for more input.
            if (zlib_.avail_in == 0 && !holds_output_ && !refill()) return 0;
            if (between_members_ && !start_member()) continue;
            const int status = inflate(&zlib_, Z_SYNC_FLUSH);
            holds_output_ = status != Z_STREAM_END && zlib_.avail_out == 0;
            if (status == Z_STREAM_END) {
                between_members_ = true;
            } else if (status == Z_MEM_ERROR) {
                throw std::bad_alloc();
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                broken_ = true;  // reported after the bytes before the damage
            }
        }
        return into.size() - zlib_.avail_out;
    }
    const std::string& name() const noexcept override { return source_->name(); }
    bool stopped() const noexcept override { return source_->stopped(); }

  private:
    /// False at a proper end, or after a stop.
    bool refill() {
        const std::size_t count = source_->read(packed_);
        zlib_.next_in = reinterpret_cast<Bytef*>(packed_.data());
        zlib_.avail_in = static_cast<uInt>(count);
        if (count != 0) {
            packed_offset_ += count;
            return true;
        }
        if (!between_members_ && !source_->stopped()) damaged("the gzip data ends in the middle (torn file)");
        return false;
    }

    /// Members may follow each other directly or after zero bytes (tape padding). False: only padding so far.
    bool start_member() {
        while (zlib_.avail_in != 0 && *zlib_.next_in == 0) {
            ++zlib_.next_in;
            --zlib_.avail_in;
        }
        if (zlib_.avail_in == 0) return false;
        if (*zlib_.next_in != static_cast<Bytef>(kMagic[0])) damaged("other bytes follow the gzip data");
        inflateReset(&zlib_);
        between_members_ = false;
        return true;
    }

    [[noreturn]] void damaged(const std::string& problem) const {
        const std::uint64_t offset = packed_offset_ - zlib_.avail_in;
        throw DamagedFile({name(), 0, 0, ""}, problem + " at byte " + std::to_string(offset),
                          "a complete gzip file");
    }

    std::unique_ptr<ByteSource> source_;
    std::vector<char> packed_;
    std::uint64_t packed_offset_ = 0;  // bytes taken from source_
    z_stream zlib_{};
    bool between_members_ = false;
    bool broken_ = false;
    bool holds_output_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> source) {
    std::vector<char> peeked;
    // One byte decides for nearly every text, so a live stream need not wait for a second one.
    while (peeked.size() < 2 && (peeked.empty() || peeked[0] == kMagic[0])) {
        char byte = 0;
        if (source->read({&byte, 1}) == 0) break;
        peeked.push_back(byte);
    }
    const bool gzip = peeked.size() == 2 && std::equal(peeked.begin(), peeked.end(), kMagic);
    auto whole = std::make_unique<PeekedSource>(std::move(source), std::move(peeked));
    if (!gzip) return whole;
    return std::make_unique<GzipSource>(std::move(whole));
}

}  // namespace proxstream
