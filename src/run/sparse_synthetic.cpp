#include "run/sparse_synthetic.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"

#include "run/builtin_text.hpp"
#include "run/synthetic.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

/// Each purpose draws with its own record number, so that draws are independent.
enum SparsePurpose : std::uint32_t { kColumn, kValue, kSparseNoise, kActive, kWeight };

std::vector<std::string> violations(const SparseSyntheticOptions& o, TargetKind target) {
    std::vector<std::string> found;
    const auto require = [&](bool holds, const char* what) {
        if (!holds) found.push_back(std::string("built-in stream: ") + what);
    };
    require(o.rows > 0, "rows must be at least 1");
    require(o.columns > 0 && o.columns <= std::numeric_limits<FeatureIndex>::max(),
            "columns must be from 1 to 4294967295");
    require(o.nonzeros > 0 && o.nonzeros <= o.columns, "nonzeros must be from 1 to columns");
    require(o.skew >= 1 && o.skew <= 100, "skew must be from 1 to 100");
    require(o.active > 0 && o.active <= 1, "active is a share: above 0, up to 1");
    require(o.noise >= 0 && o.noise <= 1e100, "noise must be from 0 to 1e100");
    require(target != TargetKind::category, "its target is a number or a sign, not a category");
    return found;
}

}  // namespace

SparseSyntheticOptions SparseSyntheticOptions::parse(std::string_view text) {
    const Spec spec = builtin_spec(text);
    SparseSyntheticOptions options;
    options.rows = whole_number(spec, "rows", options.rows);
    options.columns = whole_number(spec, "columns", options.columns);
    options.nonzeros = whole_number(spec, "nonzeros", std::min(options.nonzeros, options.columns));
    options.seed = whole_number(spec, "seed", options.seed);
    options.skew = spec.number_or(Spec::kByNameOnly, "skew", options.skew);
    options.active = spec.number_or(Spec::kByNameOnly, "active", options.active);
    options.noise = spec.number_or(Spec::kByNameOnly, "noise", options.noise);
    spec.finish();
    return options;
}

SparseSyntheticReader::SparseSyntheticReader(SparseSyntheticOptions options, TargetKind target)
    : options_(options), target_(target) {
    if (auto found = violations(options_, target_); !found.empty()) throw ConfigError(std::move(found));
    source_ = std::string(kBuiltinPrefix) + std::string(SparseSyntheticOptions::kName);
    indices_.resize(options_.nonzeros);
    values_.resize(options_.nonzeros);
    weights_.resize(options_.columns);
    for (Index i = 0; i < weights_.size(); ++i) {
        if (uniform({.seed = options_.seed, .record = kActive, .sample = i}) >= options_.active) continue;
        weights_[i] =
            normal({.seed = options_.seed, .record = kWeight, .sample = i}) / std::sqrt(options_.active);
    }
}

/// Slot s of a row chooses its column among those with index s modulo `nonzeros`. So slots never collide, and
/// every row has exactly `nonzeros` values.
bool SparseSyntheticReader::read_row(RowBlock& block) {
    assert(block.sparse());
    if (next_row_ > options_.rows) return false;
    const std::uint64_t t = next_row_++;
    const Index slots = options_.nonzeros;
    for (Index slot = 0; slot < slots; ++slot) {
        const Index choices = (options_.columns - slot - 1) / slots + 1;
        const Real share = std::pow(
            uniform({.seed = options_.seed, .round = t, .record = kColumn, .sample = slot}), options_.skew);
        const auto choice = static_cast<Index>(share * static_cast<Real>(choices));
        indices_[slot] = static_cast<FeatureIndex>(slot + slots * std::min(choice, choices - 1));
    }
    std::sort(indices_.begin(), indices_.end());
    const Real size = 1 / std::sqrt(static_cast<Real>(slots));
    Real response = options_.noise * normal({.seed = options_.seed, .round = t, .record = kSparseNoise});
    for (Index k = 0; k < slots; ++k) {
        values_[k] = size * normal({.seed = options_.seed, .round = t, .record = kValue, .sample = k});
        response += values_[k] * weights_[indices_[k]];
    }
    if (target_ == TargetKind::none) response = 0;
    if (target_ == TargetKind::sign) response = response < 0 ? -1 : 1;
    block.add_sparse(indices_, values_, response);
    return true;
}

}  // namespace proxstream
