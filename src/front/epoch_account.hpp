/// The account of a learner whose losses change between rounds: an epoch from one change to the next, each
/// with a certificate of its own that starts from the window as it was.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "online/learner.hpp"
#include "regret/tally.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

class EpochAccount {
  public:
    struct Options {
        std::vector<std::pair<std::string, std::string>> settings = {};  // that the header carries
        Index dimension = 0;
        std::optional<std::uint64_t> max_steps = {};
        std::optional<Real> max_seconds = {};
    };
    explicit EpochAccount(Options options) : options_(std::move(options)) {}

    /// From here on the learner is the one these facts describe. `seconds` it has spent learning so far.
    void begin(const LearnerFacts& facts, double seconds);
    /// Before a round is added; true: the epoch has none yet.
    bool open();
    /// A round of an epoch that is open.
    void add(const RoundReport& report, const RowExtras& extras);
    /// How the open epoch would end here.
    RunFooter footer(const Closing& closing, RunEnding ending, double seconds) const {
        return tally_->footer(closing, ending, seconds - begun_);
    }
    /// The open epoch is over.
    void end(const RunFooter& footer);
    /// The certificates there would be if the run ended here; an open epoch stays open.
    std::vector<Certificate> certificates_here(const Closing& closing, RunEnding ending,
                                               double seconds) const;

    bool is_open() const noexcept { return tally_.has_value(); }
    const RunHeader& header() const noexcept { return header_; }
    Real regret() const noexcept { return regret_; }              // of all epochs
    Real regret_bound() const noexcept { return regret_bound_; }  // what C2 allows for it
    /// Of the epochs that are over.
    const std::vector<Certificate>& certificates() const noexcept { return certificates_; }

    /// Between two rounds.
    void serialise(StateArchive& archive);

  private:
    void serialise_past(StateArchive& archive);

    Options options_;
    RunHeader header_;
    std::optional<Tally> tally_;             // of the open epoch
    std::vector<Certificate> certificates_;  // of the epochs that are over
    std::vector<std::string> past_;          // what each was made of, as a checkpoint
    double begun_ = 0;                       // seconds of learning before the epoch
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

}  // namespace proxstream
