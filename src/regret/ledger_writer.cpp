#include "regret/ledger_writer.hpp"

#include "proxstream/core/error.hpp"

#include "digest_chain.hpp"
#include "ledger_format.hpp"
#include "regret/ledger_lines.hpp"

#include <cerrno>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace proxstream {

struct LedgerWriter::State {
    State(const std::string& file, LedgerLines formed, Index rounds)
        : path(file), lines(std::move(formed)), flush_every(rounds) {}
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

    void require_open() const {
        if (failed || descriptor < 0) throw Error(path + ": the ledger is closed");
    }

    void close() {
        // Pipes and terminals cannot be synchronised; everything else must be.
        if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
            fail("write the ledger to the disk");
        }
        if (::close(std::exchange(descriptor, -1)) != 0) fail("close the ledger");
    }

    std::string path;
    LedgerLines lines;
    Index flush_every;
    int descriptor = -1;
    Index pending = 0;  // rounds in the buffer
    bool failed = false;
    std::string buffer;
};

namespace {

/// Are the bytes before the mark still those it was made on?
bool still_there(const std::string& path, const LedgerMark& mark) {
    std::ifstream file(path, std::ios::binary);
    DigestChain chain;
    std::uint64_t bytes = 0;
    std::string line;
    const std::size_t tail = kRowDigits + kSealClose.size() - 1;  // the newline is cut off
    while (bytes < mark.bytes && std::getline(file, line)) {
        if (line.size() < tail) return false;
        bytes += line.size() + 1;
        const std::string_view text = line;
        chain.absorb(text.substr(0, text.size() - tail));
        if (chain.seal(kRowDigits) != text.substr(text.size() - tail, kRowDigits)) return false;
    }
    return bytes == mark.bytes && chain.state() == mark.digest;
}

}  // namespace

LedgerWriter::LedgerWriter(const std::string& path, const RunHeader& header, Index flush_every)
    : state_(std::make_unique<State>(path, LedgerLines(path, header), flush_every)) {
    state_->descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (state_->descriptor < 0) state_->fail("open the ledger for writing");
    state_->lines.append_header(state_->buffer);
    state_->flush();
}

LedgerWriter::LedgerWriter(const std::string& path, const RunHeader& header, const LedgerMark& mark,
                           Index flush_every)
    : state_(std::make_unique<State>(path, LedgerLines(path, header, mark), flush_every)) {
    State& state = *state_;
    state.descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (state.descriptor < 0) state.fail("open the ledger for going on");
    if (!still_there(path, mark)) {
        state.failed = true;
        throw DataError({path, mark.lines, 0, ""}, "the ledger has changed since it was read", "");
    }
    // The rest is given up only now.
    if (::ftruncate(state.descriptor, static_cast<off_t>(mark.bytes)) != 0) state.fail("cut the ledger");
}

LedgerWriter::~LedgerWriter() = default;
LedgerWriter::LedgerWriter(LedgerWriter&&) noexcept = default;
LedgerWriter& LedgerWriter::operator=(LedgerWriter&&) noexcept = default;

void LedgerWriter::write(const RoundReport& report, const RowExtras& extras) {
    State& state = *state_;
    state.require_open();
    state.lines.append_row(state.buffer, report, extras);
    if (++state.pending >= state.flush_every) state.flush();
}

LedgerMark LedgerWriter::mark() const {
    return state_->lines.mark();
}

void LedgerWriter::flush() {
    if (!state_->failed && state_->descriptor >= 0) state_->flush();
}

void LedgerWriter::finish(const RunFooter& footer) {
    State& state = *state_;
    state.require_open();
    state.lines.append_footer(state.buffer, footer);
    state.flush();
    state.close();
}

}  // namespace proxstream
