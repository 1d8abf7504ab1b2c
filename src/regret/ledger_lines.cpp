#include "regret/ledger_lines.hpp"

#include "ledger_format.hpp"

#include <utility>

namespace proxstream {
namespace {

/// Seals what was appended since `start`.
void seal(std::string& out, std::size_t start, DigestChain& chain, std::size_t digits) {
    out += kSealKey;
    out += chain.seal(std::string_view(out).substr(start), digits);
    out += kSealClose;
}

}  // namespace

LedgerLines::LedgerLines(std::string source, const RunHeader& header)
    : source_(std::move(source)), header_(header) {
    validate(header);
}

LedgerLines::LedgerLines(std::string source, const RunHeader& header, const LedgerMark& mark)
    : source_(std::move(source)),
      header_(header),
      chain_(mark.digest),
      line_(mark.lines),
      bytes_(mark.bytes),
      order_(mark.order) {}

void LedgerLines::seal_row(std::string& out, std::size_t start) {
    seal(out, start, chain_, kRowDigits);
    bytes_ += out.size() - start;
    ++line_;
}

void LedgerLines::append_header(std::string& out) {
    const std::size_t start = out.size();
    proxstream::append_header(out, header_);
    seal_row(out, start);
}

void LedgerLines::append_row(std::string& out, const RoundReport& report, const RowExtras& extras) {
    check_row(header_, report, extras, source_, line_ + 1);
    order_.check(report, source_, line_ + 1);
    const std::size_t start = out.size();
    proxstream::append_row(out, report, extras);
    seal_row(out, start);
}

void LedgerLines::append_footer(std::string& out, const RunFooter& footer) {
    check_footer(header_, footer, source_, line_ + 1);
    const std::size_t start = out.size();
    proxstream::append_footer(out, footer);
    DigestChain aside = chain_;
    seal(out, start, aside, kAllDigits);
}

void LedgerMark::serialise(StateArchive& archive) {
    archive.fields(Field{"lines", lines}, Field{"bytes", bytes}, Field{"digest", digest},
                   Field{"order", order});
}

}  // namespace proxstream
