/// Running standardisation of dense features: each column is shifted by its mean and divided by its standard
/// deviation, both over the rows seen so far. A row's own features count as seen, its target never does: what
/// is predicted for a row may depend on that row's features and on everything before it, and on nothing else.
/// A column that has been constant so far becomes 0.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace proxstream {

class Standardiser {
  public:
    /// Everything there is to know, for a model file. Welford's sums: they do not lose digits over long
    /// streams.
    struct State {
        std::uint64_t count = 0;
        std::vector<Real> mean;
        std::vector<Real> m2;  // sum of squared deviations from the mean
    };

    explicit Standardiser(Index features);
    /// Goes on from an exported state; throws ConfigError if it is not one.
    explicit Standardiser(State state);

    Index features() const noexcept { return state_.mean.size(); }
    const State& state() const noexcept { return state_; }

    /// The first value beyond 1e140, with which the sums would overflow.
    static std::optional<Index> too_large(ConstView row);
    /// Throws DataError for such a value.
    [[noreturn]] static void refuse(DataLocation where);
    /// 0 for a column that has been constant so far.
    Real deviation(Index column) const;

    /// Counts the row. Values beyond 1e140 would overflow the sums: DataError, and nothing has changed.
    void update(ConstView row);
    /// The row in the present statistics, which stay as they are. `out` may be `row`.
    void transform(ConstView row, View out) const;

    /// The row as update() and transform() would leave it, but nothing is counted.
    void transform_next(ConstView row, View out) const;

    void serialise(StateArchive& archive);

  private:
    State state_;
};

}  // namespace proxstream
