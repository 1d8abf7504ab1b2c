#include "proxstream/regret/ledger_reader.hpp"

#include "digest_chain.hpp"
#include "ledger_format.hpp"

#include <cerrno>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 26;

}  // namespace

TruncatedLedger::TruncatedLedger(DataLocation where, const std::string& problem, Round last_round)
    : DataError(std::move(where),
                fmt::format("the ledger is truncated: {}; its last whole round is {}", problem, last_round),
                ""),
      last_round_(last_round) {}

struct LedgerReader::State {
    State(std::istream& stream, std::string from) : in(stream), source(std::move(from)) {}

    /// The next line without its newline. Throws if there is none, or only a part of one.
    std::string_view read_line() {
        ++line;
        std::size_t searched = start;
        std::size_t end = buffer.find('\n', searched);
        while (end == std::string::npos) {
            searched = buffer.size() - start;
            if (!refill()) throw_truncated();
            end = buffer.find('\n', searched);
        }
        const std::string_view text = std::string_view(buffer).substr(start, end - start);
        start = end + 1;
        return text;
    }

    /// Drops what was used and reads on; false at the end of the file.
    bool refill() {
        buffer.erase(0, start);
        start = 0;
        if (buffer.size() > kLongestLine) {
            throw DataError({source, line, 0, ""}, "the line has no end", "lines of at most 64 MiB");
        }
        const std::size_t kept = buffer.size();
        buffer.resize(kept + kChunk);
        errno = 0;
        in.read(buffer.data() + kept, static_cast<std::streamsize>(kChunk));
        buffer.resize(kept + static_cast<std::size_t>(in.gcount()));
        if (in.bad()) throw IoError(source, "read the ledger", errno);
        return buffer.size() > kept;
    }

    [[noreturn]] void throw_truncated() const {
        const std::string_view torn = std::string_view(buffer).substr(start);
        if (line == 1 && !torn.starts_with(kLedgerOpening) && !kLedgerOpening.starts_with(torn))
            throw_foreign();
        const char* problem = line == 1 && torn.empty() ? "the file is empty"
                              : torn.empty()            ? "there is no footer"
                                                        : "this line is torn";
        throw TruncatedLedger({source, line, 0, ""}, problem, order.last());
    }

    [[noreturn]] void throw_foreign() const {
        throw DataError({source, 1, 0, ""}, "this is not a proxstream ledger",
                        fmt::format("a first line that begins {}", kLedgerOpening));
    }

    /// Checks the seal and returns the part of the line before it.
    std::string_view unseal(std::string_view text, std::size_t digits) {
        const std::size_t tail = kSealKey.size() + digits + kSealClose.size() - 1;  // the newline is cut off
        const std::size_t body = text.size() < tail ? 0 : text.size() - tail;
        if (!text.substr(body).starts_with(kSealKey) || !text.ends_with(kSealClose.substr(0, 2))) {
            throw DataError({source, line, 0, "key h"}, "the line has no seal",
                            fmt::format("a last key \"h\" with {} hexadecimal digits", digits));
        }
        const std::size_t sealed = body + kSealKey.size();
        const std::string_view fitting = chain.seal(text.substr(0, sealed), digits);
        if (text.substr(sealed, digits) != fitting) {
            throw DataError(
                {source, line, 0, "key h"},
                "the digest does not fit: this line was changed, or lines before it were removed, "
                "added or exchanged",
                std::string(fitting));
        }
        bytes += text.size() + 1;
        return text.substr(0, body);
    }

    void read_opening() {
        const std::string_view text = read_line();
        if (!text.starts_with(kLedgerOpening)) throw_foreign();
        // A version that cannot be read is named even where the seal does not fit.
        LineCursor opening(text, source, line);
        read_version(opening);
        LineCursor cursor(unseal(text, kRowDigits), source, line);
        header = read_header(cursor);
        finish(cursor);
        try {
            validate(header);
        } catch (const ConfigError& error) {
            throw DataError({source, line, 0, ""}, error.what(), "");
        }
    }

    void finish(const LineCursor& cursor) const {
        if (!cursor.rest().empty()) cursor.fail("the end of the line");
    }

    std::unique_ptr<std::ifstream> file;
    std::istream& in;
    std::string source;
    std::uint64_t line = 0;
    std::uint64_t bytes = 0;  // of the lines whose seals have been checked
    std::string buffer;
    std::size_t start = 0;  // of what is not used yet
    DigestChain chain;
    RoundOrder order;
    RunHeader header;
    LedgerRow row;
    RunFooter footer;
    bool finished = false;
};

LedgerReader::LedgerReader(const std::string& path) {
    auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
    if (!*file) throw IoError(path, "open the ledger", errno);
    state_ = std::make_unique<State>(*file, path);
    state_->file = std::move(file);
    state_->read_opening();
}

LedgerReader::LedgerReader(std::istream& in, std::string source)
    : state_(std::make_unique<State>(in, std::move(source))) {
    state_->read_opening();
}

LedgerReader::LedgerReader(std::istream& in, std::string source, const RunHeader& header,
                           const LedgerMark& mark)
    : state_(std::make_unique<State>(in, std::move(source))) {
    state_->header = header;
    state_->line = mark.lines;
    state_->bytes = mark.bytes;
    state_->order = mark.order;
    state_->chain = DigestChain(std::string_view(mark.digest));
}

LedgerReader::~LedgerReader() = default;
LedgerReader::LedgerReader(LedgerReader&&) noexcept = default;
LedgerReader& LedgerReader::operator=(LedgerReader&&) noexcept = default;

const RunHeader& LedgerReader::header() const {
    return state_->header;
}

bool LedgerReader::next() {
    State& state = *state_;
    if (state.finished) return false;
    const std::string_view text = state.read_line();
    if (text.starts_with(kFooterOpening)) {
        LineCursor cursor(state.unseal(text, kAllDigits), state.source, state.line);
        state.footer = read_footer(cursor);
        state.finish(cursor);
        check_footer(state.header, state.footer, state.source, state.line);
        if (state.start < state.buffer.size() || state.refill()) {
            throw DataError({state.source, state.line + 1, 0, ""}, "there is content after the footer",
                            "the end of the file");
        }
        state.finished = true;
        return false;
    }
    LineCursor cursor(state.unseal(text, kRowDigits), state.source, state.line);
    read_row(cursor, state.row);
    state.finish(cursor);
    check_row(state.header, state.row.report, extras(), state.source, state.line);
    state.order.check(state.row.report, state.source, state.line);
    return true;
}

const RoundReport& LedgerReader::report() const {
    return state_->row.report;
}

RowExtras LedgerReader::extras() const {
    return state_->row.extras();
}

const RunFooter& LedgerReader::footer() const {
    return state_->footer;
}

LedgerMark LedgerReader::mark() const {
    return {state_->line, state_->bytes, state_->chain.state(), state_->order};
}

}  // namespace proxstream
