/// The account of a learner whose losses may change between rounds. Each change starts a new epoch with a
/// certificate of its own, which begins with the window at that time.
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
        std::vector<std::pair<std::string, std::string>> settings = {};  // for the header
        Index dimension = 0;
        std::optional<std::uint64_t> max_steps = {};
        std::optional<Real> max_seconds = {};
    };
    explicit EpochAccount(Options options) : options_(std::move(options)) {}

    /// Starts an epoch of the learner with these facts, which has spent `seconds` learning so far.
    void begin(const RunHeader& facts, double seconds);
    /// Call it before a round is added. Returns whether this is the first round of the epoch.
    bool open();
    /// Adds a round to the open epoch.
    void add(const RoundReport& report, const RowExtras& extras);
    /// The footer of the open epoch if it ended here.
    RunFooter footer(const Closing& closing, RunEnding ending, double seconds) const {
        return tally_->footer(closing, ending, seconds - begun_);
    }
    /// Ends the open epoch.
    void end(const RunFooter& footer);
    /// The certificates if the run ended here. An open epoch stays open.
    std::vector<Certificate> certificates_here(const Closing& closing, RunEnding ending,
                                               double seconds) const;

    bool is_open() const noexcept { return tally_.has_value(); }
    /// Of the open epoch.
    const Tally& tally() const { return *tally_; }
    const RunHeader& header() const noexcept { return header_; }
    Real regret() const noexcept { return regret_; }              // of all epochs
    Real regret_bound() const noexcept { return regret_bound_; }  // its bound by C2
    /// Of past epochs.
    const std::vector<Certificate>& certificates() const noexcept { return certificates_; }

    /// Between two rounds.
    void serialise(StateArchive& archive);

  private:
    void serialise_past(StateArchive& archive);

    Options options_;
    RunHeader header_;
    std::optional<Tally> tally_;             // of the open epoch
    std::vector<Certificate> certificates_;  // of past epochs
    std::vector<std::string> past_;          // their states
    double begun_ = 0;                       // seconds of learning before the epoch
    Real regret_ = 0;
    Real regret_bound_ = 0;
};

/// Each inequality over all epochs: the worst verdict, with the sides of the tightest epoch.
std::vector<Inequality> combine(const std::vector<Certificate>& epochs);
bool sound(const std::vector<Certificate>& epochs);
/// The conclusion as text; for one epoch, that of its certificate.
std::string epochs_conclusion(const std::vector<Certificate>& epochs);
std::string epochs_text(const std::vector<Certificate>& epochs);
std::string epochs_json(const std::vector<Certificate>& epochs);

}  // namespace proxstream
