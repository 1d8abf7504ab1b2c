/// The records of a learner on a changing network: a ledger for every epoch, and the accounts of the run
/// store.
#pragma once

#include "front/epoch_account.hpp"
#include "regret/ledger_writer.hpp"
#include "store/journal.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

class Epochs {
  public:
    /// `ledger` is the file of the first epoch; later ones have -2, -3, .. before the extension; empty: none.
    /// Accounts go to `journal` too, if there is one; it has to outlive this.
    explicit Epochs(EpochAccount::Options options, std::string ledger = {}, Journal* journal = nullptr)
        : account_(std::move(options)), ledger_path_(std::move(ledger)), journal_(journal) {}

    /// From the next epoch on, accounts go to this journal.
    void record_in(Journal* journal) { journal_ = journal; }
    /// Begins an epoch of the learner with these facts. Nothing is written before its first round.
    void begin(const RunHeader& facts, double seconds) { account_.begin(facts, seconds); }
    void add(const RoundReport& report, const EnsembleRound* ensemble);
    /// Ends the epoch. An epoch without a round leaves nothing.
    void end(const Closing& closing, RunEnding ending, double seconds);
    void flush();
    /// The certificates if the run ended here; the epoch continues.
    std::vector<Certificate> certificates_here(const Closing& closing, RunEnding ending,
                                               double seconds) const {
        return account_.certificates_here(closing, ending, seconds);
    }
    /// Writes to the journal how the epoch would end here. The epoch continues.
    void close_account(const Closing& closing, RunEnding ending, double seconds);
    /// Completes the ledger file of the present epoch, if there is one. No round may follow.
    void close_ledger(const Closing& closing, RunEnding ending, double seconds);

    Index count() const noexcept { return certificates().size() + (account_.is_open() ? 1 : 0); }
    Real regret() const noexcept { return account_.regret(); }
    Real regret_bound() const noexcept { return account_.regret_bound(); }
    const std::vector<Certificate>& certificates() const noexcept { return account_.certificates(); }
    const std::vector<std::string>& ledgers() const noexcept { return ledgers_; }

    /// Between two rounds; reading continues the ledger's file.
    void serialise(StateArchive& archive);
    void mark_outputs(OutputMarks& marks);

  private:
    void serialise_ledger(StateArchive& archive);

    EpochAccount account_;
    std::string ledger_path_;
    Journal* journal_;
    std::optional<LedgerWriter> ledger_;
    std::vector<std::string> ledgers_;
    OutputMarks complete_;  // ledgers of earlier epochs
};

/// `path` for the first, then with -2, -3, ... before its extension.
std::string epoch_path(const std::string& path, Index epoch);

}  // namespace proxstream
