#include "route/epochs.hpp"

#include <fmt/format.h>

namespace proxstream {

std::string epoch_path(const std::string& path, Index epoch) {
    if (epoch == 1 || path == "-") return path;
    const auto slash = path.rfind('/');
    auto dot = path.rfind('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) dot = path.size();
    return fmt::format("{}-{}{}", path.substr(0, dot), epoch, path.substr(dot));
}

void Epochs::add(const RoundReport& report, const EnsembleRound* ensemble) {
    const Index epoch = account_.certificates().size();
    if (account_.open()) {
        if (!ledger_path_.empty()) {
            ledgers_.push_back(epoch_path(ledger_path_, epoch + 1));
            ledger_.emplace(open_output(journal_, ledgers_.back()), account_.header());
        }
        if (journal_ != nullptr) journal_->open_account(epoch, account_.header());
    }
    RowExtras extras;
    extras.ensemble = ensemble;
    account_.add(report, extras);
    if (ledger_) ledger_->write(report, extras);
    if (journal_ != nullptr) journal_->row(epoch, report, extras);
}

void Epochs::end(const Closing& closing, RunEnding ending, double seconds) {
    if (!account_.is_open()) return;
    const RunFooter last = account_.footer(closing, ending, seconds);
    if (journal_ != nullptr) journal_->close_account(account_.certificates().size(), last, account_.tally());
    account_.end(last);
    if (ledger_) ledger_->finish(last);
    ledger_.reset();
}

void Epochs::close_account(const Closing& closing, RunEnding ending, double seconds) {
    if (!account_.is_open() || journal_ == nullptr) return;
    journal_->close_account(account_.certificates().size(), account_.footer(closing, ending, seconds),
                            account_.tally());
}

void Epochs::close_ledger(const Closing& closing, RunEnding ending, double seconds) {
    if (ledger_) ledger_->finish(account_.footer(closing, ending, seconds));
    ledger_.reset();
}

void Epochs::serialise(StateArchive& archive) {
    account_.serialise(archive);
    if (archive.reading()) {
        ledgers_.clear();
        for (Index epoch = 1; !ledger_path_.empty() && epoch <= account_.certificates().size(); ++epoch)
            ledgers_.push_back(epoch_path(ledger_path_, epoch));
        for (const std::string& ledger : ledgers_)
            if (journal_ != nullptr && journal_->output(ledger) != nullptr)
                open_output(journal_, ledger).close();  // as it was
    }
    if (account_.is_open()) serialise_ledger(archive);
}

void Epochs::serialise_ledger(StateArchive& archive) {
    bool written = ledger_.has_value();
    archive.field("written", written);
    LedgerMark mark;
    if (ledger_) mark = ledger_->mark();
    if (written) archive.section("ledger", mark);
    if (!archive.reading() || ledger_path_.empty() || journal_ == nullptr) return;
    archive.require(written, "a run that has written a ledger");
    ledgers_.push_back(epoch_path(ledger_path_, account_.certificates().size() + 1));
    ledger_.emplace(open_output(journal_, ledgers_.back()), account_.header(), mark);
}

void Epochs::mark_outputs(OutputMarks& marks) {
    const Index complete = ledgers_.size() - (ledger_ ? 1 : 0);
    for (Index i = complete_.size(); i < complete; ++i)
        complete_.emplace(ledgers_[i], read_mark(ledgers_[i]));
    marks.insert(complete_.begin(), complete_.end());
    if (ledger_) ledger_->mark(marks);
}

void Epochs::flush() {
    if (ledger_) ledger_->flush();
}

}  // namespace proxstream
