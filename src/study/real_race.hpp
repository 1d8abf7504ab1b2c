/// A race over one real stream that is held in memory: learners with a step, or another number to choose, are
/// tuned on a prefix by realised loss; then everybody runs over the whole stream and is scored on what
/// follows the prefix.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "run/problem.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// One setting of a method, and the numbers that tell it from the others.
struct Candidate {
    std::string learner;
    std::vector<std::pair<std::string, Real>> knobs;
};

struct Racer {
    std::string name;
    std::vector<Candidate> candidates;  // a single one is not tuned
};

struct RaceScore {
    Candidate chosen;
    Real loss = 0;                    // mean of f_t(x_t) after the prefix
    std::optional<Real> clean_loss;   // the same over labels that were left alone, where some were not
    std::optional<Real> error_share;  // of labels predicted wrongly, where labels are classes
    Real gradients = 0;               // record gradients a round, after the prefix
    Real seconds = 0;                 // the learner's own, for the whole stream
    Round refused = 0;
    std::string complaint;  // of the certificate; empty when it is sound
};

class Race {
  public:
    /// Reads at most `rows` records. Throws what Problem does.
    Race(const LearnSettings& settings, Index rows);

    Index rounds() const noexcept { return records_.size(); }
    /// A tenth of the stream, at most 2000 rounds.
    Index prefix() const noexcept;

    /// nullopt when stopped. `on_rounds` is told the rounds played, from 0 to work(racer).
    std::optional<RaceScore> run(const Racer& racer, StopFlag stop,
                                 const std::function<void(Index)>& on_rounds) const;
    Index work(const Racer& racer) const;

  private:
    class Lap;

    LearnSettings settings_;
    Problem problem_;
    std::vector<RowBlock> records_;
    std::vector<bool> corrupted_;  // by record; empty: none is
};

}  // namespace proxstream
