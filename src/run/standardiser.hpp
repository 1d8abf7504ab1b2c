/// Running standardisation of dense features: each column is shifted by its mean and divided by its standard
/// deviation over the rows so far. A row's features are counted before the row is scaled, its target never.
/// So the prediction for a row depends only on its features and on earlier rows. A column that was constant
/// so far becomes 0.
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
    /// The whole state, for a model file. Welford's sums lose no digits over long streams.
    struct State {
        std::uint64_t count = 0;
        std::vector<Real> mean;
        std::vector<Real> m2;  // sum of squared deviations from the mean
    };

    explicit Standardiser(Index features);
    /// Continues from an exported state; throws ConfigError if it is invalid.
    explicit Standardiser(State state);

    Index features() const noexcept { return state_.mean.size(); }
    const State& state() const noexcept { return state_; }

    /// The first value beyond 1e140, with which the sums would overflow.
    static std::optional<Index> too_large(ConstView row);
    /// Throws DataError for such a value.
    [[noreturn]] static void refuse(DataLocation where);
    /// 0 for a column that was constant so far.
    Real deviation(Index column) const;

    /// Counts the row. Throws DataError for values beyond 1e140, which would overflow the sums; nothing has
    /// changed then.
    void update(ConstView row);
    /// Scales the row by the present statistics. `out` may be `row`.
    void transform(ConstView row, View out) const;

    /// The row as after update() and transform(), without counting it.
    void transform_next(ConstView row, View out) const;

    void serialise(StateArchive& archive);

  private:
    State state_;
};

}  // namespace proxstream
