/// Built-in streams of linear regression rows whose true weights move: demonstration data. Row t is a pure
/// function of the seed and t (core/draw.hpp). So a stream can be read from any place, with the same numbers
/// on every machine.
#pragma once

#include "run/row_reader.hpp"

#include <memory>
#include <string_view>

namespace proxstream {

enum class SyntheticKind : std::uint8_t {
    iid,     // constant weights
    drift,   // weights rotate slowly, and half of the support is replaced every `jump` rows
    swap,    // named "switch": two weight vectors alternate, `jump` rows each
    season,  // weights grow and shrink with period `period`
};

struct SyntheticOptions {
    SyntheticKind kind = SyntheticKind::drift;
    std::uint64_t rows = 5000;
    Index features = 50;
    std::uint64_t seed = 1;
    Index active = 5;             // weights that are not zero
    std::uint64_t jump = 1000;    // rows between sudden changes
    std::uint64_t period = 2000;  // rows of a full turn or season
    Real noise = 0.1;             // scale of the noise
    Index degrees = 3;            // of freedom of its Student t distribution: 3 has heavy tails
    Real outliers = 0.02;         // share of rows with a gross error
    Real outlier_size = 10;       // its scale

    /// Parses the text after "builtin:", such as "drift,rows=5000,features=50". Throws ConfigError.
    static SyntheticOptions parse(std::string_view text);
};

/// Rows y = a.w(t) + noise, with standard normal features a. A `sign` target is the sign of y.
class SyntheticReader final : public RowReader {
  public:
    /// Throws ConfigError with every option out of range, or for a categorical target.
    explicit SyntheticReader(SyntheticOptions options, TargetKind target = TargetKind::number);

    bool read_row(RowBlock& block) override;
    Index features() const override { return options_.features; }
    bool sparse() const override { return false; }
    const std::vector<std::string>& feature_names() const override { return names_; }
    const std::string& source() const override { return source_; }
    std::uint64_t line() const override { return next_row_ - 1; }

    /// The true weights of row t, from 1.
    void weights(std::uint64_t t, View out) const;
    /// Row t: fills its features and returns its target.
    Real row(std::uint64_t t, View features) const;

  private:
    Real noise(std::uint64_t t) const;

    SyntheticOptions options_;
    TargetKind target_;
    std::string source_;
    std::vector<std::string> names_;
    std::uint64_t next_row_ = 1;
    std::vector<Real> row_;
};

inline constexpr std::string_view kBuiltinPrefix = "builtin:";

/// Opens the stream that the text after the prefix names, which may be the sparse one
/// (run/sparse_synthetic.hpp). Throws ConfigError.
std::unique_ptr<RowReader> open_builtin(std::string_view text, TargetKind target);

}  // namespace proxstream
