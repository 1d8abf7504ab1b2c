/// Arguments that several built-in games read from their text.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "core/spec_range.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// The index of one of these words; the first is the default.
Index choice_of(const Spec& spec, std::string_view key, const std::vector<std::string>& words);
/// `set=`: box (from -1 to 1), simplex, ball (of radius 1), or any text of parse_regulariser, in parentheses
/// where it has commas.
std::string set_argument(const Spec& spec, std::string_view fallback);

/// The point of dom g nearest to v.
std::vector<Real> nearest_play(const AnyRegulariser& g, std::vector<Real> v);

/// Numbers drawn one after the other.
class DrawSequence {
  public:
    explicit DrawSequence(std::uint64_t seed) { at_.seed = seed; }
    Real normal() { return proxstream::normal(next()); }
    Real uniform(Real low, Real high) { return low + (high - low) * proxstream::uniform(next()); }
    std::vector<Real> normals(Index count, Real deviation = 1);

  private:
    Draw next() {
        ++at_.sample;
        return at_;
    }
    Draw at_;
};

}  // namespace proxstream
