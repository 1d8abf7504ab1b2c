/// The account of a learner on a network that changes: an epoch from one change to the next, each with a
/// ledger and a certificate of its own, which begins with the window as it was.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "online/learner.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/tally.hpp"
#include "store/journal.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

class Epochs {
  public:
    struct Options {
        std::string ledger =
            {};  // of the first epoch; later ones have -2, -3, .. before the extension; empty: none
        std::vector<std::pair<std::string, std::string>> settings = {};
        Index dimension = 0;
        std::optional<std::uint64_t> max_steps = {};
        std::optional<Real> max_seconds = {};
    };
    /// Accounts go to `journal` too, if there is one; it has to stay.
    explicit Epochs(Options options, Journal* journal = nullptr)
        : options_(std::move(options)), journal_(journal) {}

    /// From the next epoch on, accounts go there.
    void record_in(Journal* journal) { journal_ = journal; }
    /// From here on the learner is the one these facts describe. Nothing is written before a round comes.
    void begin(const LearnerFacts& facts, double seconds);
    void add(const RoundReport& report, const BankRound* bank);
    /// The epoch is over; one without a round leaves nothing.
    void end(const Closing& closing, RunEnding ending, double seconds);
    void flush();
    /// The certificates there would be if the run ended here; the epoch goes on.
    std::vector<Certificate> certificates_here(const Closing& closing, RunEnding ending,
                                               double seconds) const;
    /// Tells the journal how the epoch would end here.
    void close_account(const Closing& closing, RunEnding ending, double seconds);
    /// The ledger of the present epoch ends, if it has one: its file is whole. No round may follow.
    void close_ledger(const Closing& closing, RunEnding ending, double seconds);

    Index count() const noexcept { return certificates_.size() + (tally_ ? 1 : 0); }
    Real regret() const noexcept { return regret_; }              // of all epochs
    Real regret_bound() const noexcept { return regret_bound_; }  // what C2 allows for it
    const std::vector<Certificate>& certificates() const noexcept { return certificates_; }
    const std::vector<std::string>& ledgers() const noexcept { return ledgers_; }

    /// Between two rounds; reading goes on with the ledger's file.
    void exchange(Checkpoint& checkpoint);

  private:
    void exchange_past(Checkpoint& checkpoint);
    void exchange_ledger(Checkpoint& checkpoint);
    RunFooter footer(const Closing& closing, RunEnding ending, double seconds) const {
        return tally_->footer(closing, ending, seconds - begun_);
    }

    Options options_;
    Journal* journal_;
    RunHeader header_;
    std::optional<Tally> tally_;  // of the epoch that goes on
    std::optional<LedgerWriter> ledger_;
    std::vector<Certificate> certificates_;  // of the epochs that are over
    std::vector<std::string> past_;          // what each was made of, as a checkpoint
    std::vector<std::string> ledgers_;
    double begun_ = 0;  // seconds of learning before the epoch
    Real regret_ = 0;
    Real regret_bound_ = 0;
};

/// Each inequality over all epochs: the worst verdict, with the sides of the epoch where it came closest.
std::vector<Inequality> combine(const std::vector<Certificate>& epochs);
bool sound(const std::vector<Certificate>& epochs);
/// In words; of one epoch, its certificate's own.
std::string epochs_conclusion(const std::vector<Certificate>& epochs);
std::string epochs_text(const std::vector<Certificate>& epochs);
std::string epochs_json(const std::vector<Certificate>& epochs);
/// `path` for the first, then with -2, -3, ... before its extension.
std::string epoch_path(const std::string& path, Index epoch);

}  // namespace proxstream
