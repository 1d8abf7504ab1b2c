/// A comparison of learners on one stream that is held in memory. Entries with a learning rate, or another
/// number to choose, are tuned on a prefix by loss; then every entry runs over the whole stream and is scored
/// on what follows the prefix.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "run/problem.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// One setting of a method, and the numbers in which it differs from the others.
struct Candidate {
    std::string learner;
    std::vector<std::pair<std::string, Real>> knobs = {};
};

struct Entry {
    std::string name;
    std::vector<Candidate> candidates;  // a single one is not tuned; none: the last value of the label
    bool draws = false;                 // its result depends on the random seed
};

struct EntryScore {
    Candidate chosen;
    Real loss = 0;                    // mean of f_t(x_t) after the prefix
    std::optional<Real> clean_loss;   // the same over labels without a gross error, where some have one
    std::optional<Real> error_share;  // of labels predicted wrongly, where labels are classes
    Real gradients = 0;               // record gradients a round, after the prefix
    Real seconds = 0;                 // spent by the learner on the whole stream
    Round refused = 0;
    std::string complaint;  // of the certificate; empty when it is sound
};

class StreamComparison {
  public:
    /// Reads at most `rows` records. The data must be readable more than once. Throws what Problem does.
    StreamComparison(const LearnSettings& settings, Index rows);

    Index rounds() const noexcept { return records_.size(); }
    /// A tenth of the stream, at most 2000 rounds.
    Index prefix() const noexcept;
    /// Whether an entry without candidates can run: the label's previous value is a feature.
    bool has_last_value() const noexcept { return !last_values_.empty(); }

    /// nullopt when stopped. `seed` is that of the learner's draws; the rows do not depend on it. `on_rounds`
    /// gets the rounds played so far, from 0 to work(entry).
    std::optional<EntryScore> run(const Entry& entry, std::uint64_t seed, StopFlag stop,
                                  const std::function<void(Index)>& on_rounds) const;
    Index work(const Entry& entry) const;

  private:
    class EntryRun;
    EntryScore score_last_value() const;
    bool is_clean(Index t) const { return corrupted_.empty() || !corrupted_[t]; }

    LearnSettings settings_;
    Problem problem_;
    std::vector<RowBlock> records_;
    std::vector<bool> corrupted_;    // by record; empty: none is
    std::vector<Real> last_values_;  // prediction by record, in the units of its label; may be empty
};

}  // namespace proxstream
