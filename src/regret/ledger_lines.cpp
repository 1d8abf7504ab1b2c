#include "regret/ledger_lines.hpp"

#include "digest_chain.hpp"
#include "ledger_format.hpp"

#include <utility>

namespace proxstream {

struct LedgerLines::State {
    /// Seals what was appended since `start` by `chain`; returns the bytes of the line.
    static std::size_t seal(std::string& out, std::size_t start, DigestChain& chain, std::size_t digits) {
        out += kSealKey;
        chain.absorb(std::string_view(out).substr(start));
        out += chain.seal(digits);
        out += kSealClose;
        return out.size() - start;
    }
    void count(std::size_t size) {
        bytes += size;
        ++line;
    }

    std::string source;
    RunHeader header;
    DigestChain chain = DigestChain();
    std::uint64_t line = 0;
    std::uint64_t bytes = 0;
    RoundOrder order = {};
};

LedgerLines::LedgerLines(std::string source, const RunHeader& header)
    : state_(std::make_unique<State>(State{std::move(source), header})) {
    header.validate();
}

LedgerLines::LedgerLines(std::string source, const RunHeader& header, const LedgerMark& mark)
    : state_(
          std::make_unique<State>(State{std::move(source), header, DigestChain(std::string_view(mark.digest)),
                                        mark.lines, mark.bytes, mark.order})) {}

LedgerLines::~LedgerLines() = default;
LedgerLines::LedgerLines(LedgerLines&&) noexcept = default;
LedgerLines& LedgerLines::operator=(LedgerLines&&) noexcept = default;

const RunHeader& LedgerLines::header() const {
    return state_->header;
}

void LedgerLines::append_header(std::string& out) {
    const std::size_t start = out.size();
    proxstream::append_header(out, state_->header);
    state_->count(State::seal(out, start, state_->chain, kRowDigits));
}

void LedgerLines::append_row(std::string& out, const RoundReport& report, const RowExtras& extras) {
    State& state = *state_;
    check_row(state.header, report, extras, state.source, state.line + 1);
    state.order.check(report, state.source, state.line + 1);
    const std::size_t start = out.size();
    proxstream::append_row(out, report, extras);
    state.count(State::seal(out, start, state.chain, kRowDigits));
}

void LedgerLines::append_footer(std::string& out, const RunFooter& footer) {
    State& state = *state_;
    check_footer(state.header, footer, state.source, state.line + 1);
    const std::size_t start = out.size();
    proxstream::append_footer(out, footer);
    const std::string here = state.chain.state();
    DigestChain aside{std::string_view(here)};
    State::seal(out, start, aside, kAllDigits);
}

std::uint64_t LedgerLines::count() const {
    return state_->line;
}

LedgerMark LedgerLines::mark() const {
    return {state_->line, state_->bytes, state_->chain.state(), state_->order};
}

void LedgerMark::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("lines", lines);
    checkpoint.exchange("bytes", bytes);
    checkpoint.exchange("digest", digest);
    checkpoint.part("order", order);
}

}  // namespace proxstream
