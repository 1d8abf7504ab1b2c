#include "proxstream/regret/ledger_writer.hpp"

#include "proxstream/core/error.hpp"

#include "digest_chain.hpp"
#include "ledger_format.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace proxstream {

struct LedgerWriter::State {
    State(const std::string& file, const RunHeader& run, Index rounds)
        : path(file), header(run), flush_every(rounds) {}
    ~State() {
        if (descriptor < 0) return;
        try {
            if (!failed) flush();
        } catch (const IoError&) {
            // Nobody is left to tell; the missing footer says that the run was not recorded to its end.
        }
        ::close(descriptor);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    [[noreturn]] void fail(const std::string& action) {
        const int problem = errno;
        failed = true;
        throw IoError(path, action, problem);
    }

    /// Seals what was appended since `start`, so that the buffer always holds whole lines.
    void seal(std::size_t start, std::size_t digits) {
        buffer += kSealKey;
        chain.absorb(std::string_view(buffer).substr(start));
        const std::size_t sealed = buffer.size();
        buffer += chain.hex(digits);
        buffer += kSealClose;
        chain.absorb(std::string_view(buffer).substr(sealed));
        bytes += buffer.size() - start;
        ++line;
    }

    void flush() {
        std::string_view rest = buffer;
        while (!rest.empty()) {
            const ssize_t written = ::write(descriptor, rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail("write the ledger");
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
        buffer.clear();
        pending = 0;
    }

    /// Follows the chain over lines that are there already.
    void absorb_first(std::uint64_t count) {
        constexpr std::uint64_t kPiece = std::uint64_t{1} << 16U;
        std::string piece;
        while (count > 0) {
            piece.resize(static_cast<std::size_t>(std::min(count, kPiece)));
            const ssize_t got = ::read(descriptor, piece.data(), piece.size());
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) fail("read the ledger");
            if (got == 0) return;
            piece.resize(static_cast<std::size_t>(got));
            chain.absorb(piece);
            count -= piece.size();
        }
    }

    void close() {
        // Pipes and terminals cannot be synchronised; everything else must be.
        if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
            fail("write the ledger to the disk");
        }
        if (::close(std::exchange(descriptor, -1)) != 0) fail("close the ledger");
    }

    std::string path;
    RunHeader header;
    Index flush_every;
    int descriptor = -1;
    std::uint64_t line = 0;   // lines sealed so far
    std::uint64_t bytes = 0;  // of them
    Index pending = 0;        // rounds in the buffer
    bool failed = false;
    std::string buffer;
    DigestChain chain;
    RoundOrder order;
};

LedgerWriter::LedgerWriter(const std::string& path, const RunHeader& header, Index flush_every) {
    header.validate();
    state_ = std::make_unique<State>(path, header, flush_every);
    state_->descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (state_->descriptor < 0) state_->fail("open the ledger for writing");
    append_header(state_->buffer, header);
    state_->seal(0, kRowDigits);
    state_->flush();
}

LedgerWriter::LedgerWriter(const std::string& path, const RunHeader& header, const LedgerMark& mark,
                           Index flush_every) {
    state_ = std::make_unique<State>(path, header, flush_every);
    State& state = *state_;
    state.descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (state.descriptor < 0) state.fail("open the ledger for going on");
    state.absorb_first(mark.bytes);
    if (state.chain.hex(kAllDigits) != mark.digest) {
        state.failed = true;
        throw DataError({path, mark.lines, 0, ""}, "the ledger has changed since it was read", "");
    }
    state.line = mark.lines;
    state.bytes = mark.bytes;
    state.order = mark.order;
    // The rest is given up only now.
    if (::ftruncate(state.descriptor, static_cast<off_t>(mark.bytes)) != 0) state.fail("cut the ledger");
}

LedgerWriter::~LedgerWriter() = default;
LedgerWriter::LedgerWriter(LedgerWriter&&) noexcept = default;
LedgerWriter& LedgerWriter::operator=(LedgerWriter&&) noexcept = default;

void LedgerWriter::write(const RoundReport& report, const RowExtras& extras) {
    State& state = *state_;
    if (state.failed || state.descriptor < 0) throw Error(state.path + ": the ledger is closed");
    check_row(state.header, report, extras, state.path, state.line + 1);
    state.order.check(report, state.path, state.line + 1);
    const std::size_t start = state.buffer.size();
    append_row(state.buffer, report, extras);
    state.seal(start, kRowDigits);
    if (++state.pending >= state.flush_every) state.flush();
}

LedgerMark LedgerWriter::mark() const {
    return {state_->line, state_->bytes, std::string(state_->chain.hex(kAllDigits)), state_->order};
}

void LedgerWriter::flush() {
    if (!state_->failed && state_->descriptor >= 0) state_->flush();
}

void LedgerWriter::finish(const RunFooter& footer) {
    State& state = *state_;
    if (state.failed || state.descriptor < 0) throw Error(state.path + ": the ledger is closed");
    check_footer(state.header, footer, state.path, state.line + 1);
    const std::size_t start = state.buffer.size();
    append_footer(state.buffer, footer);
    state.seal(start, kAllDigits);
    state.flush();
    state.close();
}

}  // namespace proxstream
